"""Openings as people type them: of stories written here."""

import random
import re

import pytest

from weights.recipes import openings

STORY = (
    "Once upon a time, there was a little fox named Ruby. She lived near a pond with her friend Tom. "
    'One day Ruby found a red shell in the sand. "Look at this shell, it is so shiny!" she said to Tom. '
    "Tom was happy, and Ruby let him hold it. The two friends walked home and put the shell on the table. "
    "In the night it began to glow, and the whole room was red. Then Ruby woke up and called for Tom. "
    '"It is only the moon," said Tom, and he showed Ruby the window. Ruby laughed and went to sleep again. '
    "In the morning the shell was white, and they gave it back to the sea where it had come from, all by themselves."
)


def test_the_hero_is_whom_a_story_names_most_and_a_story_without_one_is_left_out():
    assert openings.hero(STORY) == "Ruby"
    nameless = "There was a cat. It slept all day."
    assert openings.hero(nameless) is None
    assert list(openings.documents([nameless], random.Random(1))) == []


@pytest.mark.parametrize(
    "way", [openings.from_a_sentence, openings.from_a_word, openings.from_speech, openings.renamed]
)
def test_a_document_ends_as_its_story_does_and_begins_somewhere_in_its_first_half(way):
    for seed in range(30):
        told = way(STORY, "Ruby", random.Random(seed))
        tail = told.lstrip()[1:]
        assert STORY.endswith(tail)
        assert len(tail) >= 0.45 * len(STORY)


def test_what_somebody_may_type_is_taken_up_by_the_hero_before_the_story_goes_on():
    firsts = set()
    for seed in range(200):
        told = openings.from_words_of_others(STORY, "Ruby", random.Random(seed))
        assert STORY.endswith(told[-200:])
        before = told[: told.index("Ruby")]
        firsts.add(before)
        total = re.match(r"(\d+) ?([+-]) ?(\d+) ?= ?(\d+)\.", told)
        if total:
            first, operator, second, result = total.groups()
            assert int(result) == (int(first) + int(second) if operator == "+" else int(first) - int(second))
    assert len(firsts) > 100


def test_half_of_the_heroes_get_another_name_and_the_old_one_is_gone():
    told = list(openings.documents([STORY] * 300, random.Random(4)))
    renamed = [one for one in told if "Ruby" not in one]
    assert 0.35 < len(renamed) / len(told) < 0.65
    assert all("Tom" in one for one in renamed)
