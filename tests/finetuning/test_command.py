"""The command line that makes an assistant: both stages, the table, and a run that goes on after it
was stopped.
"""

import json
import re

import pytest
from test_instruction import STORIES

import gptcore
from gptcore.tokenizers import END_OF_TEXT, ByteBPE
from tiny import make_model
from weights.recipes.assistant import main

OPTIONS = (
    "--instructions 60 --updates 4 --asked 8 --answers 3 --measured 2 --batch-size 2 --own-stories "
    "3"
)
SMALL = OPTIONS.split()


@pytest.fixture
def given(tmp_path):
    """The options of every call: the stories, and the folders to write to."""
    (tmp_path / "stories.txt").write_text(f"\n{END_OF_TEXT}\n".join(STORIES), encoding="utf-8")
    return [
        "--stories",
        str(tmp_path / "stories.txt"),
        "--out",
        str(tmp_path / "a"),
        "--work-dir",
        str(tmp_path / "w"),
    ]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The folder of a model that answers in a moment, whatever it says."""
    shape = gptcore.GPTConfig(vocab_size=400, n_positions=256, n_embd=16, n_layer=1, n_head=2)
    folder = tmp_path_factory.mktemp("models") / "small"
    return str(
        gptcore.save_folder(folder, make_model(shape), ByteBPE.train(STORIES, vocab_size=400))
    )


@pytest.mark.slow
def test_it_teaches_prefers_measures_and_goes_on_from_its_checkpoints(
    tmp_path, given, small, capsys
):
    valid = tmp_path / "valid.txt"
    # an empty line divides stories as well
    valid.write_text("\n\n".join(STORIES[:2]), encoding="utf-8")
    given += ["--model", small, "--valid", str(valid), *SMALL]
    assert main(given) == 0
    said = capsys.readouterr().out
    assert (
        f"{len(STORIES)} different stories to learn from; 2 of them are held out, and left out here"
        in said
    )
    assert (
        re.search(r"\d+ examples, made from 4 stories", said)
        and "instruction: 4 updates, the last loss" in said
    )
    for stage in ("before", "after instructions", "after preferences, round 1"):
        (line,) = [line for line in said.splitlines() if line.startswith(f"{stage}: ")]
        assert {"all_words", "words", "ends", "repeated", "bits_per_byte"} <= set(
            json.loads(line.split(": ", 1)[1])
        )
    made = gptcore.load(tmp_path / "a").model
    before = gptcore.load(small).model
    assert made.config == before.config and not made.wte.weight.equal(before.wte.weight)
    assert main([*given, "--resume"]) == 0  # both stages are used up, and nothing is trained again
    again = capsys.readouterr().out
    told = [[line for line in item.splitlines() if "after" in line] for item in (said, again)]
    assert "loss" not in again and told[0] == told[1]


@pytest.mark.slow
def test_a_model_that_has_learned_instructions_goes_on_with_preferences(
    tmp_path, given, small, capsys
):
    more = [
        "--model",
        small,
        "--instructions",
        "0",
        "--asked",
        "12",
        "--answers",
        "4",
        "--pairs",
        "2",
        "--plain-rows",
        "2",
        "--teacher",
        small,
    ]
    assert main([*given, *more]) == 0
    said = capsys.readouterr().out
    assert "after instructions" not in said and "--valid FILE" in said and "before: " not in said
    assert (
        not (tmp_path / "w" / "instructed").exists()
        and (tmp_path / "w" / "round-1" / "model.safetensors").is_file()
    )
    assert not gptcore.load(tmp_path / "a").model.wte.weight.equal(
        gptcore.load(small).model.wte.weight
    )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("plain-rows", "-1"),
        ("plain-share", "nan"),
        ("plain-weight", "nan"),
        ("own-weight", "inf"),
        ("beta", "-1"),
        ("pairs", "0"),
        ("answers", "1"),
        ("asked", "0"),
        ("rounds", "-1"),
        ("instructions", "-1"),
    ],
)
def test_numbers_that_cannot_be_are_refused_before_anything_is_written(
    tmp_path, given, capsys, option, value
):
    assert main([*given, f"--{option}", value]) == 1
    assert f"--{option} is" in capsys.readouterr().err and not (tmp_path / "w").exists()


def test_what_cannot_be_used_is_a_sentence(tmp_path, given, small, capsys):
    assert main([*given, "--model", "nobody", *SMALL]) == 1
    assert "There is no model 'nobody'" in capsys.readouterr().err
    (tmp_path / "stories.txt").write_text("One. Two.", encoding="utf-8")
    assert main([*given, "--model", small, *SMALL]) == 1
    assert "give more texts" in capsys.readouterr().err
