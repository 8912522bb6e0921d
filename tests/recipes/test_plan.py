"""The plan that trains every bundled model anew: what it lists, and a run of all of it with one update each."""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
from contextlib import nullcontext, redirect_stdout
from multiprocessing.pool import ThreadPool
from pathlib import Path
from types import SimpleNamespace

import pytest

import gptcore
from gptcore.corpora import corpus
from gptcore.tokenizers.base import END_OF_TEXT
from weights.recipes import plan

ROOT = Path(__file__).parents[2]
WRONG = [
    ("minutes", "0"),
    ("minutes", "nan"),
    ("minutes", "inf"),
    ("updates", "0"),
    ("pages", "-1"),
    ("batch-size", "0"),
]


@pytest.fixture
def data(tmp_path):
    """The texts that the plan asks for, out of stories that the mini wrote."""
    stories, folder = corpus("stories"), tmp_path / "data"
    folder.mkdir()
    for place, name in enumerate(plan._TEXTS):
        few = stories[60 * place : 60 * place + (60 if "valid" not in name else 4)]
        (folder / name).write_text(f"\n{END_OF_TEXT}\n".join(few), encoding="utf-8")
    return folder


@pytest.fixture
def in_this_process(monkeypatch):
    """Stages run here instead of each importing torch anew; the names of the modules are kept."""
    ran = []

    def run(command, *, stdout=None, check=False):
        assert command[1] == "-m" and not check
        ran.append(command[2])
        module = importlib.import_module(command[2])
        if hasattr(module, "__path__"):  # a package
            module = importlib.import_module(f"{command[2]}.__main__")
        with redirect_stdout(stdout) if stdout is not None else nullcontext():
            status = module.main(list(command[3:]))
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(plan, "subprocess", SimpleNamespace(run=run))
    monkeypatch.setattr(plan, "ThreadPool", lambda _: ThreadPool(1))  # a process has one standard output
    return ran


def given(data, out, *options: str) -> list[str]:
    return ["--data", str(data), "--out", str(out), "--device", "cpu", *options]


def test_a_dry_run_prints_every_command_and_the_hour_is_shared_out(data, tmp_path, capsys):
    assert plan.main(given(data, tmp_path / "out", "--dry-run", "--minutes", "60")) == 0
    lines = [shlex.split(line) for line in capsys.readouterr().out.splitlines()]
    assert all(line[:2] == ["python", "-m"] for line in lines) and not (tmp_path / "out").exists()
    outs = {Path(line[line.index("--out") + 1]).name for line in lines if "--out" in line}
    assert outs >= {folder.parent.name for folder in (ROOT / "weights").glob("*/config.json")}
    seconds = [int(line[line.index(at) + 1]) for line in lines for at in ("--time-budget", "--seconds") if at in line]
    assert 0.85 * 3600 < sum(seconds) <= 3600  # the rest is for texts, unlearning and preferences
    for line in lines:
        assert importlib.util.find_spec(line[2]) is not None


@pytest.mark.slow
def test_all_of_it_runs_and_makes_models_that_load_and_goes_on_where_it_was_stopped(
    data, tmp_path, capsys, in_this_process, monkeypatch
):
    out = tmp_path / "out"
    few = given(data, out, "--updates", "1", "--pages", "40", "--batch-size", "2")
    failing = plan._printed
    monkeypatch.setattr(plan, "_printed", lambda stage: 3 if stage.name == "everyday" else failing(stage))
    assert plan.main(few) == 3
    said = capsys.readouterr()
    assert "everyday ended with status 3" in said.err and not (out / "texts" / "everyday.txt").exists()
    assert plan.main([*few, "--only", "openings"]) == 0 and "there already" in capsys.readouterr().out
    monkeypatch.setattr(plan, "_printed", failing)
    before = len(in_this_process)
    assert plan.main(few) == 0
    assert "mini: there already" in capsys.readouterr().out
    assert in_this_process[before:].count("weights.recipes.averaging") == 2  # the assistant's; the mini's is done
    for name in ("mini", "world", "shakespeare-char", "anthology", "induction", "assistant"):
        lm = gptcore.load(str(out / "weights" / name))
        assert len(list(gptcore.generate(lm, lm.tokenizer.encode("The "), max_new_tokens=3, seed=1))) > 0


def test_what_is_missing_is_a_sentence(data, tmp_path, capsys):
    (data / "simple_stories.txt").unlink()
    with pytest.raises(SystemExit):
        plan.main(given(data, tmp_path / "out"))
    assert "lacks simple_stories.txt" in capsys.readouterr().err
    (data / "simple_stories.txt").write_text("x", encoding="utf-8")
    for wrong, words in (
        (["--only", "nothing"], "no stage is called nothing"),
        *(([f"--{name}", value], "above 0") for name, value in WRONG),
    ):
        with pytest.raises(SystemExit):
            plan.main(given(data, tmp_path / "out", *wrong))
        assert words in capsys.readouterr().err
