"""The plan that trains every bundled model anew: what it lists, and how it goes on."""

import importlib.util
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from gptcore.corpora import corpus
from gptcore.tokenizers.base import END_OF_TEXT
from gptcore.training.arguments import make_parser
from weights.recipes import plan

ROOT = Path(__file__).parents[2]
OF_RECIPES = {"--teacher", "--text-share", "--against-repetition", "--against-doubling", "--own-texts"}
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
        if line[2] == "weights.recipes.training":  # which has options beside those of every training
            unknown = make_parser("training").parse_known_args(line[3:])[1]
            assert {one.partition("=")[0] for one in unknown if one.startswith("--")} <= OF_RECIPES


def test_a_plan_that_was_stopped_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    ran, status = [], {"train": 3}

    def run(command, *, stdout=None, check=False):
        ran.append(command[2:])
        if stdout is not None:
            stdout.write("a text")
        return subprocess.CompletedProcess(command, status.get(command[2], 0))

    monkeypatch.setattr(plan, "subprocess", SimpleNamespace(run=run))
    text, model = tmp_path / "texts" / "t.txt", tmp_path / "models" / "m"
    stages = [
        plan.Stage("text", ("write",), text, prints=True),
        plan.Stage("model", ("train",), model, work_dir=tmp_path),
    ]
    assert plan.run(stages) == 3 and text.read_text() == "a text"
    assert "model ended with status 3" in capsys.readouterr().err
    status.clear()
    assert plan.run(stages) == 0 and "text: there already" in capsys.readouterr().out
    assert ran == [["write"], ["train", "--resume"], ["train", "--resume"]]
    status["write"] = 1
    text.unlink()
    assert plan.run(stages) == 1 and not text.exists()  # a text appears whole or not at all


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
