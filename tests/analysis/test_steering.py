"""A steered model is the model with a vector added to its stream, and nothing else."""

from dataclasses import replace

import pytest
import torch

import gptcore
from gptcore import LanguageModel
from gptcore.analysis import steering_vector
from gptcore.errors import ConfigError, TokenIdError
from gptcore.inference.steering import Steering
from gptcore.model import evaluating
from gptcore.tokenizers import CharTokenizer
from tiny import SMALL, Seen, make_model, random_ids

SHAPES = {
    "gpt2": SMALL,
    "post-norm": replace(SMALL, norm_position="post"),
    "no MLPs": replace(SMALL, use_mlp=False),
}
VECTOR = torch.linspace(-1, 1, 24)


@torch.no_grad()
def logits_by_hand(model, ids, depth, vector=VECTOR):
    """The pass cut in two, the vector added to the stream between."""
    probe = Seen()
    with evaluating(model):
        model.hidden_states(torch.tensor([ids]), probe=probe)
        return model.lm_head(model.resumed(probe.by_name["residual"][depth] + vector, depth))[0]


@pytest.mark.parametrize("name", SHAPES)
def test_a_steered_pass_equals_one_that_is_cut_in_two_with_the_vector_added_between(name):
    model = make_model(SHAPES[name])
    ids = random_ids(model.config, 9).tolist()
    before = model(torch.tensor([ids])).logits.detach()
    for depth in (1, 2, 3):
        steered = Steering(depth, VECTOR).applied(model)
        found = steered(torch.tensor([ids])).logits[0].detach()
        torch.testing.assert_close(found, logits_by_hand(model, ids, depth), atol=1e-4, rtol=1e-4)
        assert (found - before[0]).abs().max() > 0.01
        shared = sum(
            a.data_ptr() == b.data_ptr()
            for a, b in zip(model.parameters(), steered.parameters(), strict=True)
        )
        assert shared == len(list(model.parameters())) - 1
    assert torch.equal(model(torch.tensor([ids])).logits, before)  # the model itself is as it was


def test_generation_is_steered_with_and_without_a_cache():
    model = make_model(SMALL)
    ids = random_ids(model.config, 4).tolist()
    seen = list(ids)
    for _ in range(8):
        seen.append(int(logits_by_hand(model, seen, 2, 3 * VECTOR)[-1].argmax()))

    def written(**how):
        return [
            t.id
            for t in gptcore.generate(
                model, ids, max_new_tokens=8, temperature=0, precision="exact", **how
            )
        ]

    for use_cache in (True, False):
        assert written(use_cache=use_cache, steering=Steering(2, 3 * VECTOR)) == seen[4:]
    assert written() == written(steering=Steering(2, 0 * VECTOR))


def test_the_vector_is_the_difference_of_the_means_over_all_positions_but_the_first():
    letters = CharTokenizer("abc de")
    lm = LanguageModel(make_model(replace(SMALL, vocab_size=6, n_positions=12)), letters, "letters")
    towards = ["abc", "a bad"]
    away = ["dead", "e"]

    def mean(text):
        probe = Seen()
        with torch.no_grad(), evaluating(lm.model):
            lm.model.hidden_states(torch.tensor([letters.encode(text)]), probe=probe)
        stream = probe.by_name["residual"][2][0]
        return stream[1:].mean(0) if len(stream) > 1 else stream[0]

    found = steering_vector(lm, towards, away, 2)
    by_hand = sum(map(mean, towards)) / 2 - sum(map(mean, away)) / 2
    torch.testing.assert_close(found.vector, by_hand, atol=1e-5, rtol=1e-5)
    assert found.depth == 2
    with pytest.raises(TokenIdError, match="at least one text"):
        steering_vector(lm, [], away, 2)
    for depth in (0, 4):
        with pytest.raises(ConfigError, match="this model has 1 to 3"):
            steering_vector(lm, towards, away, depth)
        with pytest.raises(ConfigError, match="this model has 1 to 3"):
            Steering(depth, VECTOR).applied(lm.model)
    with pytest.raises(ConfigError, match="24 wide"):
        Steering(1, torch.ones(3)).applied(lm.model)
    bare = make_model(replace(SMALL, use_mlp=False, attention_bias=False))
    with pytest.raises(ConfigError, match="neither MLPs nor biases in attention"):
        Steering(1, VECTOR).applied(bare)
