"""The scripts of gptcore/examples do what they say, each in under 40 lines."""

import re
import runpy
import sys

import pytest
import torch

import gptcore
from tiny import ROOT, ran

FOLDER = ROOT / "gptcore" / "examples"
NAMES = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem != "__init__")
STORY = (
    "Tom had a red ball. He threw it to Lily.\n\nLily ran to the park. She saw a dog and a cat.\n\n"
    * 40
)
# What each prints, as a regular expression.
PRINTS = {
    "finetune_classifier": (
        r"before: ClassScore\(.*accuracy=0\.\d+.*\n"
        r"after:  ClassScore\(.*accuracy=(0\.[89]\d*|1\.0)"
    ),
    "generate_many": r"(0\.\d\d  .+\n?){4}",
    "patch_head": (
        r"gives ' ball' \d\d\.\d%.\nIt falls most without layer \d, head \d.*\nThe cell .* \d+% of "
        r"it"
    ),
    "read_attention": (
        r"Layer \d, head \d looks back furthest: \d+\.\d tokens.*\nAfter the last token it looks "
        r"most at"
    ),
    "resume_training": r"stopped and resumed: (\[.*\])\nin one piece:        \1",
    "score_file": (
        r"[\d,]+ tokens, 3,\d+ bytes\nloss \d\.\d+ nats.*bits per byte\n"
        r"('.*': \d+\.\d bits\n?){5}"
    ),
    "steer": r"-2: The little boy was(.|\n)*\+0: The little boy was(.|\n)*\+2: The little boy was",
    "stop_rule": r"The old man had a boat\.",
    "train_on_text": r"EvalEvent\(step=0.*\n10: loss \d.*(.|\n)*EvalEvent\(step=50",
    "two_processes": r"1: loss (\d\.\d+)(.|\n)*10: loss ",
}


def test_every_script_is_tried_and_short():
    assert sorted(PRINTS) == NAMES and len(NAMES) == 10
    for name in NAMES:
        code = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        lines = [line for line in code.partition('"""\n\n')[2].splitlines() if line.strip()]
        assert len(lines) < 40, (name, len(lines))
        assert f"python -m gptcore.examples.{name}" in code or f"-m gptcore.examples.{name}" in code


@pytest.mark.parametrize("name", NAMES)
def test_a_script_does_what_it_says(name, tmp_path, monkeypatch, capsys):
    text = tmp_path / "story.txt"
    text.write_text(STORY, encoding="utf-8")
    given = {"score_file": [str(text)], "train_on_text": [str(text), str(tmp_path / "mine")]}.get(
        name, []
    )
    if name == "two_processes":
        start = ("-m", "torch.distributed.run", "--nproc-per-node", "2")
        done = ran(*start, "-m", f"gptcore.examples.{name}", *given)
        assert done.returncode == 0, done.stderr[-800:]
        printed = done.stdout
    else:
        monkeypatch.setattr(sys, "argv", [name, *given])
        with torch.random.fork_rng():
            runpy.run_module(f"gptcore.examples.{name}", run_name="__main__")
        printed = capsys.readouterr().out
    assert re.search(PRINTS[name], printed), printed
    if name == "train_on_text":
        lm = gptcore.load(tmp_path / "mine")
        assert (
            lm.model.config.n_embd == 64
            and lm.tokenizer.decode(lm.tokenizer.encode("Tom")) == "Tom"
        )


@pytest.mark.parametrize("name", ["score_file", "train_on_text"])
def test_a_script_without_its_file_says_how_it_is_called(name, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name])
    with pytest.raises(SystemExit, match=f"python -m gptcore.examples.{name}"):
        runpy.run_module(f"gptcore.examples.{name}", run_name="__main__")
