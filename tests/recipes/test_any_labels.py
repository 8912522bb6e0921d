"""Labels, verbs, facts and tasks in other words: none is a template that is held out."""

import re

import pytest

from gptcore.zero_shot.tasks import TASKS
from weights.recipes.everyday import labels
from weights.recipes.everyday.pages import pages_of
from weights.recipes.everyday.worded import wordings


def held_out() -> set[str]:
    return {
        shape(template.body)
        for task in TASKS.values()
        for template in task.templates
        if template.held_out
    }


def shape(body: str) -> str:
    return re.sub(r"\W+", " ", re.sub(r"\{\w+\}", "_", body)).strip().lower()


def test_no_label_verb_or_wording_is_one_of_a_held_out_template():
    said = (
        *labels.FACTS,
        *labels.ENGLISH,
        *labels.FRENCH,
        *labels.VERBS,
        *labels.FRAMES,
        *labels.ANY,
    )
    assert not [line for line in said if labels.KEPT.search(line)]
    worded = [line.body for lines in wordings().values() for line in lines]
    assert len(held_out()) > 8 and not held_out() & {
        shape(line) for line in (*labels.FACTS, *labels.FRAMES, *worded)
    }
    cues = r"\b(?:gist|EN|FR|passage|student|opinion|feeling|the customer is|calculate|goes with|The French for)\b"
    assert not [body for body in worded if re.search(cues, body)]


@pytest.mark.parametrize("kind", ["labels", "facts"])
def test_no_page_has_the_words_of_a_held_out_template(kind):
    cues = r"\bEN:|\bFR:|\bAsk:|\bReply:|goes with|\bGist:|Passage:|Student:|Teacher:|Calculate"
    pages = list(pages_of(kind, 400, 5))
    assert len(set(pages)) > 350 and not [page for page in pages if re.search(cues, page)]
