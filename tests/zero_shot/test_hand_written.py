"""Items that people wrote: read, scored, and enough of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import gptcore
from gptcore.errors import PromptError
from gptcore.zero_shot.evaluation import score
from gptcore.zero_shot.items import hand_written
from gptcore.zero_shot.metrics import tells
from weights.recipes.everyday.french import phrases
from weights.recipes.everyday.pages import pages
from weights.recipes.world.documents import documents

FILE = Path(__file__).with_name("hand_written.json")


def test_no_item_is_one_of_the_pages():
    read = "\n".join((*documents(500, seed=3), *pages(1000, 3))).lower()
    found = json.loads(FILE.read_text(encoding="utf-8"))
    whole = [
        item["fields"]["text"].lower()
        for task in ("question", "cloze", "summarise")
        for item in found[task]
    ]
    assert not [text for text in whole if text in read]
    translated = {item["fields"]["english"].lower() for item in found["translate"]}
    assert not translated & {english.lower().rstrip(".!?") for english, _ in phrases()}


@pytest.mark.parametrize(("answer", "expected"), [
    ("Ian and Rob built a raft.", 1.0), ("Rob and Ian sank.", 1.0), ("Ian built a raft.", 0.0),
    ("Ian and Rob were glad.", 0.0), ("", 0.0), ("Robin and Ian built a raft.", 0.0),
])  # fmt: skip
def test_a_summary_names_all_and_says_what_happened(answer, expected):
    assert tells(["Ian", "Rob"], ["raft", "sank"], answer) == expected


def test_a_model_is_scored_on_them_without_a_crash():
    lm = gptcore.load("world")
    for _, trial in hand_written(FILE):
        reached = score(lm, replace(trial, items=trial.items[:1]))
        assert len(reached.cases) == 1 and 0 <= reached.estimate.mean <= 1
        assert (reached.test.metric == "people and event") == (trial.task == "summarise")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"free": 3}', '{"sentiment": [{}], "free": {}}', "no json"]
)
def test_a_file_that_is_none_is_a_sentence(tmp_path, text):
    (tmp_path / "items.json").write_text(text, encoding="utf-8")
    with pytest.raises(PromptError, match=r"is not a file of hand-written items"):
        hand_written(tmp_path / "items.json")
    with pytest.raises(PromptError):
        hand_written(tmp_path / "missing.json")
