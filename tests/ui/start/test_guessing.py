"""The game of guessing: what the model is said to guess is what it computes, on texts that it has not learned from."""

from __future__ import annotations

import json

import pytest
import torch

import gptcore
from gptcore.corpora import corpus
from gptcore.training import split
from helpers import named
from ui.handlers.start import guessing
from ui.services import make_services


@pytest.fixture(scope="module")
def services():
    return make_services(model="mini", offline=True)


def game(services, model="anthology", number=0):
    return json.loads(guessing.passage(services, {"model": model, "number": number}))


def test_passages_are_held_out_and_short():
    train, held_out = split(corpus("anthology"))
    assert len(guessing.passages()) == guessing.N_PASSAGES
    plain = [" ".join(document.split()) for document in held_out]
    learned = " ".join(" ".join(document.split()) for document in train)
    for text in guessing.passages():
        assert 100 < len(text) <= 220 and any(text in document for document in plain) and text not in learned


def test_letters_probabilities_and_ranks_are_the_model_s(services):
    found = game(services)
    lm = gptcore.load("anthology")
    ids = lm.tokenizer.encode(found["text"])
    assert found["kind"] == "letters" and len(found["parts"]) > 20
    for part in found["parts"][:: max(1, len(found["parts"]) // 6)]:
        assert part["to"] == part["from"] + 1  # a letter is a token
        chances = lm.model(torch.tensor([ids[: part["from"]]])).logits[0, -1].softmax(-1)
        by_letter: dict[str, float] = {}
        for token, chance in enumerate(chances.tolist()):
            letter = lm.tokenizer.decode([token]).lower()
            by_letter[letter] = by_letter.get(letter, 0.0) + chance
        here = by_letter[found["text"][part["from"]].lower()]
        assert part["p"] == pytest.approx(here, rel=5e-3)
        assert part["rank"] == 1 + sum(chance > here for chance in by_letter.values())
        assert part["best"][0][1] == pytest.approx(max(by_letter.values()), rel=5e-3)


def test_a_model_of_word_pieces_is_asked_for_whole_words(services):
    found = game(services, "mini", 3)
    assert found["kind"] == "words" and len(found["parts"]) > 5
    for part in found["parts"]:
        word = found["text"][part["from"] : part["to"]]
        assert word.isalpha() and not found["text"][part["to"] : part["to"] + 1].isalpha()
        assert found["text"][part["from"] - 1] == " " and part["from"] > 36
        assert all(text.isalpha() for text, _ in part["best"])


def test_any_number_is_a_passage_and_nonsense_is_none(services):
    assert game(services, number=12) == game(services, number=0) and game(services, number=-1) == game(
        services, number=11
    )
    for request in (None, [], ["anthology"], ["anthology", "1"], ["anthology", True], ["anthology", 1.5], 3):
        assert guessing.passage(services, named("model number", request)) is None
    assert "message" in game(services, "nobody") and "message" in game(services, 7)


def test_a_model_that_cannot_read_the_text_says_so(services):
    assert "message" in game(services, "induction")
