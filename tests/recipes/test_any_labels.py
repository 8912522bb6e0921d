"""Labels and verbs of any kind, and facts in other words: none is a template that is held out."""

import re

import pytest

from gptcore.zero_shot.tasks import TASKS
from weights.recipes.everyday import labels
from weights.recipes.everyday.pages import ALONE, pages_of


def held_out() -> set[str]:
    return {shape(template.body) for task in TASKS.values() for template in task.templates if template.held_out}


def shape(body: str) -> str:
    return re.sub(r"\W+", " ", re.sub(r"\{\w+\}", "_", body)).strip().lower()


def test_no_label_verb_or_wording_is_one_of_a_held_out_template():
    said = (*labels.FACTS, *labels.ENGLISH, *labels.FRENCH, *labels.VERBS, *labels.FRAMES, *labels.ANY)
    assert not [line for line in said if labels.KEPT.search(line)]
    assert not held_out() & {shape(line) for line in (*labels.FACTS, *labels.FRAMES)}


@pytest.mark.parametrize("kind", ["labels", "facts"])
def test_no_page_has_the_words_of_a_held_out_template(kind):
    cues = r"\bEN:|\bFR:|\bAsk:|\bReply:|goes with|\bGist:|Passage:|Student:|Teacher:|Calculate"
    pages = list(pages_of(kind, 400, 5))
    assert len(set(pages)) > 350 and not [page for page in pages if re.search(cues, page)]


@pytest.mark.parametrize("kind", list(ALONE))
def test_pages_of_a_kind_are_the_same_for_the_same_seed(kind):
    assert list(pages_of(kind, 20, 3)) == list(pages_of(kind, 20, 3)) != list(pages_of(kind, 20, 4))
    assert all(len(page) < 900 for page in pages_of(kind, 20, 3))
