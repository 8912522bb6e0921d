"""The stories that the page makes instructions of."""

from itertools import islice

import pytest

import gptcore
from gptcore.errors import TrainingError
from gptcore.finetuning.answering import judge
from weights.recipes import own_stories


def test_its_stories_end_and_fit_a_window_with_their_prompts():
    lm = gptcore.load("mini")
    found = list(islice(own_stories.stories(lm), 2))
    assert len(set(found)) == 2
    for story in found:
        told = judge(story, (), ended=True)
        assert told.ends and told.n_words >= 50 and told.repeated < 0.03
        assert len(lm.tokenizer.encode(story)) <= 192


def test_a_model_that_cannot_end_a_text_is_refused():
    with pytest.raises(TrainingError, match="no token that ends a text"):
        next(own_stories.stories(gptcore.load("shakespeare-char")))
