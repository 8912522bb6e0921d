"""Pages in everyday language: notes and their questions, opinions, and what no page may hold."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from gptcore.zero_shot.tasks import TASKS
from weights.recipes.everyday.notes import frames, note, told
from weights.recipes.everyday.pages import KEPT_OUT, pages
from weights.recipes.everyday.reviews import opinion
from weights.recipes.everyday.slots import Slots
from weights.recipes.everyday.word_problems import reckoning
from weights.recipes.world.splits import Draw
from weights.recipes.world.sums import is_shown

FILLERS = {"the", "a", "an", "in", "at", "on", "to", "with", "for", "by"}


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-zé0-9'-]+", text.lower())


@pytest.mark.parametrize("number", range(len(frames())))
def test_every_answer_and_last_word_is_told_by_its_note(number):
    for seed in range(5):
        made = told(Draw((number, seed)), frames()[number])
        said = set(words_of(made.text)) | {word.removesuffix("'s") for word in words_of(made.text)} | FILLERS
        assert made.asked
        for question, answer in made.asked:
            assert question.endswith("?") and question[0].isupper() and "{" not in question + answer
            assert set(words_of(answer)) <= said, (made.text, question, answer)
        if made.last:
            assert words_of(made.last)[-1] in words_of(f"{made.text} {made.last.rpartition(' ')[0]}"), made


def test_notes_together_are_about_different_people_and_things():
    for seed in range(200):
        made = note(Draw(seed))
        questions = [question for question, _, _ in made.questions]
        assert 1 <= len(made.sentences) <= 3 and len(set(questions)) >= 0.9 * len(questions)


def test_slots_are_drawn_once_and_never_the_same():
    slots = Slots(Draw(1))
    assert slots.fill("{A} {thing} {thing}") == f"{slots['A']} {slots['thing']} {slots['thing']}"
    things = {Slots(Draw(seed)).fill("{thing}|{thing2}|{thing3}") for seed in range(100)}
    assert all(len(set(one.split("|"))) == 3 for one in things) and len(things) > 90
    assert (
        Slots(Draw(2), frozenset(slots.values())).keys()
        and slots["A"] not in Slots(Draw(1), frozenset(slots.values())).values()
    )
    assert slots["Her"] == slots["her"].capitalize() and slots["a_thing"].split(" ", 1)[1] == slots["thing"]
    with pytest.raises(KeyError):
        slots.fill("{nothing}")


def test_opinions_take_both_sides_as_often():
    made = [opinion(Draw(seed)) for seed in range(600)]
    assert 240 < sum(positive for _, positive in made) < 360
    sides = [{text for text, positive in made if positive is side} for side in (True, False)]
    assert not sides[0] & sides[1] and min(len(side) for side in sides) > 200


def test_reckoning_is_right_and_keeps_strict_sums_out():
    for seed in range(600):
        made = reckoning(Draw(seed))
        asked = re.sub(r"minus|take away|less", "-", re.sub(r"plus|add|and", "+", made.fields["sum"])).replace(" ", "")
        if re.fullmatch(r"[0-9+-]+", asked):
            numbers = [int(number) for number in re.findall(r"-?\d+", asked)]
            assert sum(numbers) == int(made.answer) and 0 <= int(made.answer) <= 100
            assert numbers[1] < 0 or is_shown(numbers[0], numbers[1])


def test_no_page_holds_what_is_kept_out_or_names_a_held_out_template():
    made = list(pages(1500, 3, found=[("A film of a kind. One of the best films!", True), ("A dull one.", False)]))
    text = "\n".join(made).lower()
    assert len(made) == 1500 and len(set(made)) > 1450 and max(map(len, made)) < 900
    assert not [words for words in KEPT_OUT if words in text] and "a dull one." in text
    for task in TASKS.values():
        for template in task.templates:
            if template.held_out and template.name != "Very positive or very negative (held out)":
                literal = max(re.split(r"\{\w+\}", template.body), key=len).strip().lower()
                assert f"\n{literal}" not in text and f" {literal} " not in text, template.name


def test_the_command_prints_pages():
    done = subprocess.run(
        [sys.executable, "-m", "weights.recipes.everyday", "--pages", "20", "--seed", "4"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout.count("<|endoftext|>\n") == 20
    assert done.stdout == "".join(f"{page}\n<|endoftext|>\n" for page in pages(20, 4))
