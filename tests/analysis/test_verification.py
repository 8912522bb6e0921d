import dataclasses
import math
from types import SimpleNamespace

import pytest
import torch

from gptcore import GPT, GPTConfig
from gptcore.analysis import experiments, verification
from gptcore.analysis.verification import verify
from gptcore.errors import ConfigError
from tiny import make_model


def outcomes(model: GPT) -> dict[str, bool | None]:
    return {check.name: check.passed for check in verify(model)}


def failed(model: GPT) -> list[str]:
    return [name for name, passed in outcomes(model).items() if passed is False]


def test_a_right_model_passes_every_check(tiny_model):
    before = {name: parameter.clone() for name, parameter in tiny_model.named_parameters()}
    found = outcomes(tiny_model)
    assert len(found) == 9 and set(found.values()) == {True}
    assert all(
        torch.equal(before[name], parameter) for name, parameter in tiny_model.named_parameters()
    )
    assert all(parameter.grad is None for parameter in tiny_model.parameters())


def test_a_model_without_a_causal_mask_is_shown_as_failed():
    model = make_model(
        GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4, causal=False)
    )
    assert "No position sees the future" in failed(model)


def test_wrong_attention_and_a_cut_head_are_found(tiny_model):
    attention = tiny_model.h[1].attn
    attention._attend_explicitly = lambda q, k, v, *_: v
    assert failed(tiny_model) == ["Fast attention equals attention that writes out its weights"]
    tiny_model.lm_head.weight = torch.nn.Parameter(tiny_model.lm_head.weight[:-1].detach().clone())
    assert "The output has a score for every token of the vocabulary at every position" in failed(
        tiny_model
    )


def test_what_transformers_cannot_express_is_not_run_and_says_why():
    model = make_model(
        GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4, use_mlp=False)
    )
    last = list(verify(model))[-1]
    assert last.passed is None and "no MLP" in last.figure


@pytest.mark.parametrize(("vocab_size", "n_positions"), [(1, 8), (3, 1), (2, 2)])
def test_the_smallest_models_are_checked_without_an_accident(vocab_size, n_positions):
    model = make_model(
        GPTConfig(vocab_size=vocab_size, n_positions=n_positions, n_embd=8, n_layer=1, n_head=2)
    )
    assert len(outcomes(model)) == 9
    told = {check.name: check for check in verify(model)}
    figures = " ".join(check.figure for check in told.values())
    assert "Error" not in figures
    assert ("needs two positions and two tokens" in figures) == (min(vocab_size, n_positions) < 2)


class Guesses(torch.nn.Module):
    """A fresh model, but for its loss."""

    def __init__(self, loss):
        super().__init__()
        self._loss = loss

    def forward(self, ids, targets):
        return SimpleNamespace(loss=torch.tensor(self._loss))


@pytest.mark.parametrize(("apart", "passes"), [(0.0, True), (0.41, True), (0.42, False)])
def test_a_fresh_model_s_loss_is_that_of_guessing_by_a_tenth(
    tiny_model, monkeypatch, apart, passes
):
    model = make_model(dataclasses.replace(tiny_model.config, vocab_size=40))
    guessing = math.log(40)  # 3.689, of which a tenth and 0.05 are 0.419
    for sign in (1, -1):
        fresh = Guesses(guessing + sign * apart)
        monkeypatch.setattr(verification, "_redrawn", lambda *_, fresh=fresh: (fresh, 0, 0, ""))
        assert verification._initial_loss(model, 0)[0] is passes


def test_activations_are_their_formulas_and_slopes_their_derivatives():
    found = experiments.activation_curves()
    x = found.x
    torch.testing.assert_close(found.values["gelu"], x * found.gate)
    tanh = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    torch.testing.assert_close(found.values["gelu_new"], tanh)
    for name, values in found.values.items():
        middle = (values[2:] - values[:-2]) / (x[2:] - x[:-2])
        smooth = (
            x[1:-1].abs() > 0.05 if name == "relu" else torch.ones(len(x) - 2, dtype=torch.bool)
        )
        torch.testing.assert_close(
            found.slopes[name][1:-1][smooth], middle[smooth], atol=2e-3, rtol=0
        )


def test_a_norm_takes_mean_and_deviation_off(tiny_model):
    plain = dataclasses.replace(tiny_model.config, norm_position="pre")
    found = experiments.layer_norm_example(make_model(plain), [1, 2, 3, 4], 1)
    by_hand = (found.before - found.mean[:, None]) / found.deviation[:, None]
    torch.testing.assert_close(found.after, by_hand, atol=1e-3, rtol=1e-3)
    with pytest.raises(ConfigError, match="no layer 9"):
        experiments.layer_norm_example(tiny_model, [1, 2], 9)


def test_only_without_the_mask_do_earlier_predictions_move():
    found = experiments.future_leak(
        GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4)
    )
    assert float(found[True][:-1].abs().max()) == 0 and float(found[True][-1]) > 0
    assert float(found[False][:-1].min()) > 0


@pytest.mark.slow
def test_scaled_initialisation_keeps_the_stream_small_and_the_random_state_is_left_alone():
    config = GPTConfig(vocab_size=61, n_positions=24, n_embd=64, n_layer=12, n_head=4)
    state = torch.get_rng_state()
    stream = experiments.stream_by_depth(config)
    gradient = experiments.gradient_by_depth(config)
    assert torch.equal(state, torch.get_rng_state())
    assert float(stream[True][-1]) < 0.5 * float(stream[False][-1]) and stream[True].shape == (13,)
    # NormFormer: larger in early blocks
    assert float(gradient["pre"][0]) > 2 * float(gradient["pre"][-1])
    post = gradient["post"]  # Xiong et al.: large near the output, falling downwards
    assert float(post[-4:].mean()) > 1.3 * float(post[:4].mean())


def test_positions_are_compared_with_each_other(tiny_model):
    similarity = experiments.position_similarity(tiny_model)
    assert similarity.shape == (24, 24)
    torch.testing.assert_close(similarity.diagonal(), torch.ones(24))
    torch.testing.assert_close(similarity, similarity.T)
    without = make_model(
        GPTConfig(vocab_size=61, n_embd=32, n_layer=1, n_head=4, use_positions=False)
    )
    with pytest.raises(ConfigError, match="no position embeddings"):
        experiments.position_similarity(without)


def test_layer_norm_term_by_term_is_that_of_torch():
    generator = torch.Generator().manual_seed(3)
    x, weight, bias = (torch.randn(n, 7, generator=generator) for n in (5, 1, 1))
    found = experiments.layer_norm_by_hand(3 + x, weight[0], bias[0], 1e-5)
    expected = torch.nn.functional.layer_norm(3 + x, (7,), weight[0], bias[0], 1e-5)
    torch.testing.assert_close(found, expected)
