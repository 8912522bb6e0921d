"""Tasks in wordings of their own."""

import re

import pytest

from gptcore.zero_shot.tasks import TASKS
from weights.recipes.everyday.worded import worded, wordings
from weights.recipes.world.lexicon import pairs
from weights.recipes.world.splits import Draw

FIELDS = {
    "translate": {"english"}, "sentiment": {"text"}, "question": {"text", "question"}, "summarise": {"text"},
    "cloze": {"text"}, "analogy": {"a", "b", "c"},
}  # fmt: skip


def test_every_task_and_relation_has_wordings():
    assert {f"analogy {relation}" for relation in pairs()} | {*FIELDS, "arithmetic", "difference"} == set(wordings())


@pytest.mark.parametrize("section", sorted(wordings()))
def test_wordings_show_what_their_task_gives_and_ask_for_the_rest(section):
    lines = wordings()[section]
    assert len({line.body for line in lines}) == len(lines) > 3
    for line in lines:
        if section.startswith("analogy "):
            assert {"a", "b"} == set(line.fields) and line.body.index("{a}") < line.body.index("{b}"), line.body
            continue
        assert line.body.endswith("{answer}") or line.end, line.body
        if section in FIELDS:
            assert set(line.fields) == FIELDS[section], line.body
        elif section == "difference":
            assert set(line.fields) & {"c", "three"} and set(line.fields) & {"b", "two"}, line.body
        else:
            assert set(line.fields) & {"a", "one"} and set(line.fields) & {"b", "two"}, line.body


def test_no_wording_is_one_that_is_held_out():
    def shape(body: str) -> str:
        return re.sub(r"\W+", " ", re.sub(r"\{\w+\}", "_", body)).strip().lower()

    held_out = {shape(template.body) for task in TASKS.values() for template in task.templates if template.held_out}
    said = {shape(line.body) for lines in wordings().values() for line in lines}
    assert len(held_out) > 8 and not held_out & said
    cues = r"\b(?:gist|EN|FR|passage|student|opinion|feeling|the customer is|calculate|goes with|The French for)\b"
    assert not [line.body for lines in wordings().values() for line in lines if re.search(cues, line.body)]


def test_pages_of_sums_are_right_and_pairs_are_of_one_relation():
    sums = 0
    for seed in range(2_000):
        page = worded(Draw(seed))
        for a, b, c in re.findall(r"\b(\d+) ?\+ ?(\d+)(?: = |\? | -> | is the same as )(\d+)", page):
            assert int(a) + int(b) == int(c), page
            sums += 1
        for b, c, a in re.findall(r"[Tt]ake (\d+) from (\d+): (\d+)", page):
            assert int(c) - int(b) == int(a), page
    assert sums > 20
    opposites = {*pairs()["opposite"]} | {(b, a) for a, b in pairs()["opposite"]}
    told = [page for seed in range(4_000) if (page := worded(Draw(seed))).startswith("The opposite of")]
    assert told
    for page in told:
        found = re.findall(r"opposite of (.+?) is (\w+(?: \w+)?)(?=[.,;\n]|$)", page, re.IGNORECASE)
        assert found and all(pair in opposites for pair in found), page


def test_a_wording_stands_alone_in_most_pages():
    made = [worded(Draw(seed)) for seed in range(400)]
    assert sum("\n\n" not in page for page in made) > 200 and made == [worded(Draw(seed)) for seed in range(400)]
