"""What each word of a prompt is worth to an answer, computed anew with transformers: nothing of our
own but the ids.
"""

import pytest
import torch

import gptcore
from gptcore.zero_shot.likelihood import word_effects
from gptcore.zero_shot.templates import Part, Prompt

PROMPTS = [
    (
        (
            Part("instruction", "Translate English to French:\n"),
            Part("input", "the red house"),
            Part("cue", " ="),
        ),
        " la",
    ),
    ((Part("input", "Review: I hated this film."), Part("cue", "\nSentiment:")), " positive"),
    ((Part("input", "Review: I hated this film."), Part("cue", "\nSentiment:")), " negative"),
    (
        (Part("input", "Tom has a red ball. What does Tom have?"), Part("cue", "\nAnswer:")),
        " a red ball",
    ),
    ((Part("input", "12 + 30"), Part("cue", " =")), " 42"),
]


@pytest.fixture(scope="module")
def world():
    lm = gptcore.load("world")
    return lm, gptcore.to_hf(lm.model).eval()


def logprob(lm, hf, prompt: str, answer: str) -> float:
    """Of the answer's tokens after a prompt, by transformers."""
    before = lm.tokenizer.encode(prompt)
    after = lm.tokenizer.encode(answer)
    with torch.inference_mode():
        rows = hf(torch.tensor([before + after])).logits[0].log_softmax(-1)
    return float(sum(rows[len(before) - 1 + index, token] for index, token in enumerate(after)))


@pytest.mark.parametrize(("parts", "answer"), PROMPTS)
def test_a_word_s_effect_is_what_transformers_loses_without_it(world, parts, answer):
    lm, hf = world
    base, effects = word_effects(lm, Prompt(parts), answer)
    text = "".join(part.text for part in parts)
    assert base == pytest.approx(logprob(lm, hf, text, answer), abs=2e-3)
    place = 0
    for effect in effects:
        begin = text.index(effect.text, place)
        place = begin + len(effect.text)
        without = logprob(lm, hf, text[:begin] + text[place:], answer)
        assert effect.effect == pytest.approx(base - without, abs=4e-3), effect.text
    assert any(abs(effect.effect) > 0.1 for effect in effects)
