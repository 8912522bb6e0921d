"""A concept is swapped on the page as in the core; counts and words follow, and bad input is a sentence."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

import gptcore
from gptcore.analysis import concept_swap, swapped_text
from gptcore.inference.sampling import SamplingSettings
from helpers import records_of
from ui.handlers.generate import swap
from ui.handlers.generate.steer import ENDED, SteeringForm, steer
from ui.handlers.generate.swap import SwapView, conclusion
from ui.services import make_services

SAMPLING = SamplingSettings(temperature=0.8, top_k=50, top_p=0.95)
PROMPT = "the cat sat on the mat"


def shown(services, model="tiny", prompt=PROMPT, words=("cat", "dog"), strength=2.0, seed=5):
    found, said = SwapView(), []
    for view in swap.swap(services, "v", model, prompt, words, strength, seed):
        found = replace(found, **{name: value for name, value in vars(view).items() if value is not None})
        said.append(view.said)
    return found, [one for one in said if one]


def ids_of(stream):
    return [token["id"] for token in records_of(stream, "token")]


def test_the_bundled_jacobian_swaps_as_the_core_does_and_its_story_changes():
    real = make_services(offline=True)
    lm = real.models.get("mini")
    found, said = shown(real, "mini", "Tom saw a dog. Tom gave food to the", ("dog", "cat"))
    depth, jacobian = swap._fitted[lm.model]
    assert depth == 3
    made = concept_swap(lm.model, jacobian, 3, *(lm.tokenizer.encode(word)[0] for word in (" dog", " cat")), 2.0)
    prompt = "Tom saw a dog. Tom gave food to the"
    again = swapped_text(lm, prompt, made, max_new_tokens=60, sampling=SAMPLING, seed=5)
    assert ids_of(found.swapped) == [token.id for token in again] != ids_of(found.plain)
    plain = gptcore.generate(lm, prompt, max_new_tokens=60, temperature=0.8, top_k=50, top_p=0.95, seed=5)
    assert ids_of(found.plain) == [token.id for token in plain]
    assert said[-1].startswith(("Without the swap “dog”", "Nothing stands out"))
    assert swap.measured("mini").startswith("Of 105 sentences that the model ends correctly")
    assert swap.measured("world") == ""
    real.close()


def test_an_upload_that_is_called_mini_does_not_get_the_bundled_jacobian(tiny_lm):
    real = make_services(offline=True)
    mini = real.models.get("mini")
    other = gptcore.LanguageModel(tiny_lm.model, tiny_lm.tokenizer, "mini")
    assert real.models.bundled_name(mini) == "mini" and real.models.bundled_name(other) == ""
    swap._fitted.pop(tiny_lm.model, None)
    assert next(swap._jacobian(real, other)) < 1  # fitted anew
    real.close()


def test_a_model_without_one_gets_a_jacobian_fitted_and_says_how_far_it_is(services, tiny_lm, monkeypatch):
    swap._fitted.pop(tiny_lm.model, None)
    monkeypatch.setattr(swap, "_token", lambda lm, word, name: {"cat": 3, "dog": 4}[word])
    found, said = shown(services)
    assert said[0].startswith("Computing this model's Jacobian: ") and "100%" in " ".join(said)
    assert ids_of(found.swapped) and tiny_lm.model in swap._fitted
    _, again = shown(services)
    assert not any("Reading" in one for one in again)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"words": ("", "dog")}, "The word"),
        ({"words": ("notaword" * 3, "dog")}, "is not a single token of tiny"),
        ({"words": (7, "dog")}, "The word"),
        ({"strength": 99}, "The strength"),
        ({"seed": None}, "The seed"),
        ({"prompt": ""}, "prompt"),
    ],
)
def test_bad_input_is_a_sentence(services, given, said):
    assert said.lower() in shown(services, **given)[0].said.lower()


def test_a_model_that_is_too_large_is_refused_before_anything_is_read(services, monkeypatch, tiny_lm):
    swap._fitted.pop(tiny_lm.model, None)
    monkeypatch.setattr(swap, "_LARGEST", 10)
    monkeypatch.setattr(swap, "_token", lambda lm, word, name: {"cat": 3, "dog": 4}[word])
    assert "is computed here for at most 10" in shown(services)[0].said


def test_the_words_follow_the_counts():
    assert conclusion(["dog", "cat"], [[5, 0], [1, 4]]) == (
        "Without the swap “dog” 5 and “cat” 0 times; with it “dog” 1 and “cat” 4 times."
    )
    assert conclusion(["dog", "cat"], [[0, 0], [0, 0]]).startswith("Nothing stands out")


def test_a_swap_that_is_stopped_says_so_and_one_that_is_asked_later_ends_the_steering_before_it(services, monkeypatch):
    monkeypatch.setattr(swap, "_token", lambda lm, word, name: {"cat": 3, "dog": 4}[word])
    swapping = swap.swap(services, "v", "tiny", PROMPT, ("cat", "dog"), 2.0, 5)
    next(swapping)
    services.sessions.get("v").stop()
    assert list(swapping)[-1].said == ENDED
    steering = steer(services, "v", "tiny", PROMPT, SteeringForm("the cat", "the dog", 1.0, 1, 5))
    next(steering)
    later = swap.swap(services, "v", "tiny", PROMPT, ("cat", "dog"), 2.0, 5)
    thread = threading.Thread(target=lambda: ended.extend(later))
    ended = []
    thread.start()
    while len(services.sessions.get("v")._runs) < 2:  # until the later one has asked for its turn
        time.sleep(0.01)
    assert list(steering)[-1].said == ENDED
    thread.join(60)
    assert ended[-1].said and ended[-1].said != ENDED
