"""Jacobians equal finite differences, and a swap is the linear map that it says, at its depth and nowhere else."""

from __future__ import annotations

import pytest
import torch

import gptcore
from gptcore import LanguageModel
from gptcore.analysis import concept_swap, mean_jacobian, swapped_logits, swapped_text
from gptcore.errors import ConfigError, TokenIdError
from gptcore.inference.sampling import SamplingSettings
from gptcore.model import evaluating
from gptcore.probe import Probe
from gptcore.tokenizers import CharTokenizer
from tiny import make_model, random_ids

SHAPE = gptcore.GPTConfig(vocab_size=40, n_positions=16, n_embd=24, n_layer=3, n_head=4)


class _Streams(Probe):
    def __init__(self) -> None:
        self.streams: list[torch.Tensor] = []

    def residual(self, depth, stream):
        self.streams.append(stream.clone())


@torch.no_grad()
def streams(model, ids):
    probe = _Streams()
    with evaluating(model):
        model.hidden_states(torch.tensor(ids), probe=probe)
    return probe.streams


@torch.no_grad()
def test_the_jacobian_is_the_mean_answer_to_a_small_push_at_each_token():
    model = make_model(SHAPE).double()
    texts = [random_ids(SHAPE, 5, seed=seed).tolist() for seed in (1, 2)]
    found = mean_jacobian(model, texts, 1)
    before = streams(model, texts)
    push, answers = 1e-5, []
    for channel in (0, 7, 23):
        moved = 0.0
        for row in range(2):
            for place in range(5):
                stream = before[1].clone()
                stream[row, place, channel] += push
                after = _Streams()
                model.resumed(stream, 1, probe=after)
                moved = moved + (after.streams[-1] - before[-1]).sum((0, 1)) / push / 10
        answers.append(moved)
    # 1e-4: finite differences of doubles.
    torch.testing.assert_close(found[:, [0, 7, 23]].double(), torch.stack(answers, 1), atol=1e-4, rtol=1e-3)
    torch.testing.assert_close(mean_jacobian(model, texts, 3), torch.eye(24), atol=1e-6, rtol=0)


@torch.no_grad()
def test_a_swap_is_its_linear_map_on_the_stream_of_its_depth():
    model = make_model(SHAPE)
    ids = [random_ids(SHAPE, 7).tolist()]
    jacobian = mean_jacobian(model, ids, 2)
    swap = concept_swap(model, jacobian, 2, 5, 9, strength=1.5)
    rows = (model.lm_head.weight - model.lm_head.weight.mean(0)) * model.ln_f.weight
    rows = (rows - rows.mean(-1, keepdim=True)) @ jacobian
    for direction, token in ((swap.source, 5), (swap.target, 9)):
        torch.testing.assert_close(direction, rows[token] / rows[token].norm(), atol=1e-5, rtol=1e-4)
    stream = streams(model, ids)[2]
    stream = stream + 1.5 * (stream @ swap.source)[..., None] * (swap.target - swap.source)
    expected = model.lm_head(model.resumed(stream, 2))[0, -1]
    torch.testing.assert_close(swapped_logits(model, ids[0], swap), expected, atol=1e-4, rtol=1e-4)
    still = concept_swap(model, jacobian, 2, 5, 9, strength=0.0)
    torch.testing.assert_close(
        swapped_logits(model, ids[0], still), model(torch.tensor(ids)).logits[0, -1], atol=1e-5, rtol=1e-5
    )


def test_a_swapped_text_is_chosen_token_by_token_and_reads_on_past_the_window():
    letters = CharTokenizer("abc de")
    config = gptcore.GPTConfig(vocab_size=6, n_positions=12, n_embd=24, n_layer=2, n_head=4)
    lm = LanguageModel(make_model(config), letters, "letters")
    swap = concept_swap(lm.model, torch.eye(24), 1, 0, 3)
    greedy = SamplingSettings(temperature=0)
    ids = letters.encode("a bad")
    for token in swapped_text(lm, "a bad", swap, max_new_tokens=20, sampling=greedy):
        if len(ids) < 12:
            assert token.id == int(swapped_logits(lm.model, ids, swap).argmax())
        ids.append(token.id)
    assert len(ids) == 25 and token.end == "length"
    still = concept_swap(lm.model, torch.eye(24), 1, 0, 3, strength=0)
    plain = gptcore.generate(lm, "a bad", max_new_tokens=20, seed=3, temperature=0.9)
    same = swapped_text(lm, "a bad", still, max_new_tokens=20, sampling=SamplingSettings(temperature=0.9), seed=3)
    assert [token.id for token in same] == [token.id for token in plain]


def test_what_cannot_be_swapped_is_refused():
    model, eye = make_model(SHAPE), torch.eye(24)
    with pytest.raises(TokenIdError, match="outside"):
        concept_swap(model, eye, 1, 5, 400)
    with pytest.raises(TokenIdError, match="same"):
        concept_swap(model, eye, 1, 5, 5)
    for depth, jacobian in ((0, eye), (4, eye), (1, torch.eye(3))):
        with pytest.raises(ConfigError, match="does not fit"):
            concept_swap(model, jacobian, depth, 5, 6)
    post = gptcore.GPTConfig(vocab_size=40, n_positions=16, n_embd=24, n_layer=1, n_head=4, norm_position="post")
    with pytest.raises(ConfigError, match="another shape"):
        concept_swap(make_model(post), eye, 1, 5, 6)
    with pytest.raises(ConfigError, match="0 to 3"):
        mean_jacobian(model, [[1, 2]], 4)
    for texts in ([], [[1, 2], [1]]):
        with pytest.raises(TokenIdError, match="of one length"):
            mean_jacobian(model, texts, 1)


def test_a_direction_is_the_gradient_of_its_centred_logit_behind_the_last_norm():
    model = make_model(SHAPE)
    stream = torch.randn(24, generator=torch.Generator().manual_seed(3)).requires_grad_()
    scale = ((stream - stream.mean()).pow(2).mean() + 1e-5).sqrt().detach()  # held still, as in a linear reading
    logits = ((stream - stream.mean()) / scale * model.ln_f.weight + model.ln_f.bias) @ model.lm_head.weight.T
    (gradient,) = torch.autograd.grad(logits[5] - logits.mean(), stream)
    swap = concept_swap(model, torch.eye(24), 3, 5, 9)
    torch.testing.assert_close(swap.source, gradient / gradient.norm(), atol=1e-5, rtol=1e-4)
