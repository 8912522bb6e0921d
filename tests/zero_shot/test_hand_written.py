"""Items that people wrote: read, scored, and enough of them."""

import json
import re
from pathlib import Path

import pytest

import gptcore
from gptcore.errors import PromptError
from gptcore.zero_shot import TASKS
from gptcore.zero_shot.evaluation import score
from gptcore.zero_shot.files import hand_written
from gptcore.zero_shot.metrics import tells
from weights.recipes.everyday.french import phrases
from weights.recipes.everyday.pages import pages
from weights.recipes.world.documents import documents

FILE = Path(__file__).with_name("hand_written.json")
SEEN = Path(__file__).with_name("hand_written_seen.json")  # the older ones, read before notes.txt was written
both = pytest.mark.parametrize("file", [FILE, SEEN], ids=lambda file: file.stem)


@both
def test_there_are_twenty_items_a_task_and_ten_wordings(file):
    trials = hand_written(file)
    sizes = {(way, trial.task): len(trial.items) for way, trial in trials}
    tasks = {task for _, task in sizes}
    assert tasks == {"summarise", "translate", "question", "sentiment", "cloze", "arithmetic", "analogy"}
    assert all(n >= (20 if way == "hand-written" else 10) for (way, _), n in sizes.items()) and len(sizes) == 14


@both
def test_answers_are_right_where_they_can_be_worked_out(file):
    found = json.loads(file.read_text(encoding="utf-8"))
    for item in found["arithmetic"]:
        asked = re.sub(r"minus|take away", "-", re.sub(r"plus|add", "+", item["fields"]["sum"])).replace(" ", "")
        if re.fullmatch(r"[0-9+-]+", asked):  # all but those in words
            assert sum(map(int, re.findall(r"-?\d+", asked))) == int(item["answer"]), item
    assert {item["answer"] for item in found["sentiment"]} == set(TASKS["sentiment"].choices)
    for item in found["question"]:
        words = item["answer"].lower().replace("her ", "").split()
        assert words[-1].strip(".") in item["fields"]["text"].lower(), item
    for item in found["cloze"]:
        assert item["answer"].lower() in item["fields"]["text"].lower(), item
    for item in [*found["summarise"], *found["free"]["summarise"]]:
        text = item.get("fields", {}).get("text", item.get("prompt"))
        assert tells(item["people"], item["event"], text) == 1.0, item


def test_no_item_is_one_of_the_pages():
    read = "\n".join((*documents(500, seed=3), *pages(1000, 3))).lower()
    found = json.loads(FILE.read_text(encoding="utf-8"))
    whole = [item["fields"]["text"].lower() for task in ("question", "cloze", "summarise") for item in found[task]]
    assert not [text for text in whole if text in read]
    translated = {item["fields"]["english"].lower() for item in found["translate"]}
    assert not translated & {english.lower().rstrip(".!?") for english, _ in phrases()}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Ian and Rob built a raft.", 1.0), ("Rob and Ian sank.", 1.0), ("Ian built a raft.", 0.0),
        ("Ian and Rob were glad.", 0.0), ("", 0.0), ("Robin and Ian built a raft.", 0.0),
    ],
)  # fmt: skip
def test_a_summary_names_all_and_says_what_happened(answer, expected):
    assert tells(["Ian", "Rob"], ["raft", "sank"], answer) == expected


@pytest.mark.slow
def test_a_model_is_scored_on_them_without_a_crash():
    lm = gptcore.load("world")
    for _, trial in hand_written(FILE):
        reached = score(lm, trial)
        assert len(reached.cases) == len(trial.items) and 0 <= reached.estimate.mean <= 1
        assert (reached.test.metric == "people and event") == (trial.task == "summarise")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"free": 3}', '{"sentiment": [{}], "free": {}}', "no json"])
def test_a_file_that_is_none_is_a_sentence(tmp_path, text):
    (tmp_path / "items.json").write_text(text)
    with pytest.raises(PromptError, match=r"is not a file of hand-written items"):
        hand_written(tmp_path / "items.json")
    with pytest.raises(PromptError):
        hand_written(tmp_path / "missing.json")
