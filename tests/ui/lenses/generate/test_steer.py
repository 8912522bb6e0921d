"""Steering on the page: both texts are the model's own, costs are measured, and bad input is a
sentence.
"""

import json
import re
from dataclasses import replace

import pytest
import torch

import gptcore
from gptcore.analysis import steering_vector
from helpers import records_of
from ui.lenses.generate.steer import steering as steer
from ui.lenses.generate.steer.steering import SteeringForm, conclusion

FORM = SteeringForm("the cat sat\nthe cat ran", "the dog sat\nthe dog", 2.0, 1, 5)
PROMPT = "the cat sat on the mat"


def shown(services, form=FORM, prompt=PROMPT, model="tiny") -> dict[str, str]:
    found = {}
    for view in steer.steer(services, "v", model, prompt, form):
        found |= view
    return found


def ids_of(stream):
    return [token["id"] for token in records_of(stream, "token")]


def test_both_texts_are_what_generate_writes_and_the_cost_is_measured_on_the_plain_one(
    services, tiny_lm
):
    seen = shown(services)
    vector = steering_vector(tiny_lm, ["the cat sat", "the cat ran"], ["the dog sat", "the dog"], 1)
    same = {"max_new_tokens": 80, "temperature": 0.8, "top_k": 50, "top_p": 0.95, "seed": 5}
    plain = [token.id for token in gptcore.generate(tiny_lm, PROMPT, **same)]
    pushed = [
        token.id for token in gptcore.generate(tiny_lm, PROMPT, steering=vector.scaled(2), **same)
    ]
    assert ids_of(seen["plain"]) == plain and ids_of(seen["steered"]) == pushed != plain
    prompt = tiny_lm.tokenizer.encode(PROMPT)
    window = tiny_lm.model.config.n_positions
    ids = torch.tensor([[*prompt, *plain][-window:]])
    n = min(len(plain), ids.shape[1] - 1)

    def loss(model):
        with torch.no_grad():
            found = model(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])
        return -float(found[-n:].mean())

    section = json.loads(seen["costs"])["sections"][0]
    rows = {row[0]: float(row[1].replace("−", "-")) for row in section["rows"]}
    # 0.006: the page rounds to two places.
    assert rows["×2"] == pytest.approx(
        loss(vector.scaled(2).applied(tiny_lm.model)) - loss(tiny_lm.model), abs=0.006
    )
    assert section["rows"][section["sums"][0]][0] == "×2" and len(rows) == 10


def test_only_written_words_count(services, tiny_lm, monkeypatch):
    monkeypatch.setattr(steer, "conclusion", lambda costs, strength, counts: str(counts))
    seen = shown(services)
    assert "cat" in PROMPT
    counts = []
    for side in ("plain", "steered"):
        words = re.findall("[a-z]+", tiny_lm.tokenizer.decode(ids_of(seen[side])).lower())
        counts.append(sum(word in ("cat", "ran") for word in words))
    assert seen["said"] == str(counts)


@pytest.mark.parametrize(
    ("form", "prompt", "said"),
    [
        (replace(FORM, towards=" \n "), PROMPT, "Towards"),
        (replace(FORM, away="x\n" * 30), PROMPT, "30 examples; write 1 to 20"),
        (replace(FORM, strength=9), PROMPT, "The strength"),
        (replace(FORM, strength=None), PROMPT, "The strength"),
        (replace(FORM, depth=99), PROMPT, "The depth"),
        (replace(FORM, seed=-1), PROMPT, "seed"),
        (FORM, "", "prompt"),
        (FORM, 7, "prompt"),
    ],
)
def test_bad_input_is_a_sentence(services, form, prompt, said):
    assert said.lower() in json.loads(shown(services, form, prompt)["costs"])["message"].lower()


def test_the_conclusion_follows_the_numbers():
    costs = {-1.0: 0.2, 1.0: 0.1, 2.0: 0.25, 3.0: 0.9}
    assert conclusion(costs, 2.0, [0, 5]) == (
        "Words from the first list appear 5 times with steering and 0 without. At ×2 the "
        "writing gets slightly worse (0.25 nats per token) but stays readable. It stays "
        "readable up to about ×2."
    )
    assert conclusion(costs, 3.0, [2, 2]).startswith(
        "Nothing stands out: words from the first list appear as often"
    )
    assert "No strength tried on this side stays readable" in conclusion({1.0: 0.9}, 1.0, [0, 1])
    assert "gets much worse (0.90 nats per token). It stays readable up to about ×2." in conclusion(
        costs, 3.0, [0, 1]
    )
    assert "At ×−1 the writing gets slightly worse" in conclusion(costs, -1.0, [0, 1])
    assert "does not get worse (−0.01 nats" in conclusion({1.0: -0.01}, 1.0, [0, 1])
    below = {-3.0: 0.9, -2.0: 0.3, -1.0: 0.2, 0.5: 0.1, 1.0: 0.9}
    assert "It stays readable up to about ×−2." in conclusion(below, -3.0, [0, 1])
    assert conclusion({0.0: 0.0, 0.5: 0.1}, 0.0, [0, 1]).endswith(
        "At strength 0 nothing is added, so it costs nothing."
    )


def test_words_of_three_letters_count_and_shorter_ones_do_not():
    assert steer._words("He saw an old cat, 123.") == ["saw", "old", "cat"]


@pytest.mark.parametrize(
    ("cost", "effect"),
    [(-0.1, "does not get worse"), (0.0, "does not get worse"), (0.01, "gets slightly worse"),
     (0.3, "gets slightly worse"), (0.31, "gets much worse")],
)  # fmt: skip
def test_what_steering_costs_in_words(cost, effect):
    assert f"At ×1 the writing {effect}" in steer._cost_in_words({1.0: cost}, 1.0)
