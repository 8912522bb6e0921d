import math
from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from gptcore import GPT, PRESETS, GPTConfig
from gptcore.errors import ConfigError, ContextLengthError, TokenIdError
from tiny import Seen, make_model, random_ids


def test_logits_cover_all_positions_and_have_no_future_leakage(tiny_model):
    ids = random_ids(tiny_model.config, 2, 12)
    changed = ids.clone()
    changed[:, 8:] = (changed[:, 8:] + 7) % tiny_model.config.vocab_size
    first = tiny_model(ids).logits
    second = tiny_model(changed).logits
    assert first.shape == (2, 12, tiny_model.config.vocab_size)
    # The same sums in the same order: nothing but rounding of batched products may differ.
    torch.testing.assert_close(first[:, :8], second[:, :8], atol=1e-6, rtol=1e-5)
    assert (first[:, 8:] - second[:, 8:]).abs().max() > 0.1


def test_residual_projections_start_smaller_by_the_root_of_twice_the_layers():
    config = GPTConfig(vocab_size=100, n_positions=8, n_embd=256, n_layer=8, n_head=4)
    torch.manual_seed(0)
    model = GPT(config)
    for linear in (model.h[3].attn.c_proj, model.h[3].mlp.c_proj):
        assert linear.weight.std().item() == pytest.approx(0.02 / 4, rel=0.02)
    assert model.h[3].mlp.c_fc.weight.std().item() == pytest.approx(0.02, rel=0.02)
    plain = GPT(replace(config, residual_scaling=False))
    assert plain.h[3].mlp.c_proj.weight.std().item() == pytest.approx(0.02, rel=0.02)
    first = model.h[0].requires_grad_(False)
    assert float(first.ln_1.weight.min()) == 1 and float(first.attn.c_attn.bias.abs().max()) == 0


@torch.inference_mode()
def test_the_explicit_attention_path_equals_the_fast_one(tiny_model):
    ids = random_ids(tiny_model.config, 2, 20)
    seen = Seen(weights=True)
    explicit = tiny_model(ids, probe=seen).logits
    # Two ways to the same fp32 sums; the logits are of order 10.
    torch.testing.assert_close(explicit, tiny_model(ids).logits, atol=2e-5, rtol=1e-5)
    assert len(seen.by_name["weights"]) == 3
    for query, key, weights in zip(
        *(seen.by_name[name] for name in ("queries", "keys", "weights")), strict=True
    ):
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 20), atol=1e-6, rtol=0)
        assert float(weights.triu(1).abs().max()) == 0.0
        scores = query @ key.transpose(-2, -1) / math.sqrt(8)
        by_hand = scores.masked_fill(torch.ones(20, 20).triu(1).bool(), -math.inf).softmax(-1)
        torch.testing.assert_close(weights, by_hand)


@torch.inference_mode()
def test_a_probe_sees_the_sums_that_make_the_residual_stream():
    model = make_model(GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=3, n_head=4))
    ids = random_ids(model.config, 1, 10)
    seen = Seen()
    logits = model(ids, probe=seen).logits
    streams = seen.by_name["residual"]
    assert len(streams) == 4
    written = zip(pairwise(streams), seen.by_name["attention"], seen.by_name["mlp"], strict=True)
    for (before, after), attention, mlp in written:
        torch.testing.assert_close(after, before + attention + mlp, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(model.lm_head(model.ln_f(streams[-1])), logits)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_padded_batch_gives_each_row_what_it_gets_alone(tiny_model, side):
    long = random_ids(tiny_model.config, 1, 9)
    short = random_ids(tiny_model.config, 1, 5, seed=3)
    fill = torch.zeros(1, 4, dtype=torch.long)
    row = torch.cat([fill, short] if side == "left" else [short, fill], dim=1)
    attention_mask = torch.ones(2, 9)
    attention_mask[1, :4] = 0 if side == "left" else 1
    attention_mask[1, 5:] = 1 if side == "left" else 0
    logits = tiny_model(torch.cat([long, row]), attention_mask=attention_mask).logits
    real = slice(4, 9) if side == "left" else slice(0, 5)
    torch.testing.assert_close(logits[:1], tiny_model(long).logits, atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(logits[1:, real], tiny_model(short).logits, atol=2e-5, rtol=1e-5)
    assert torch.isfinite(logits).all()


@pytest.mark.parametrize(
    "switches",
    [
        {"use_mlp": False},
        {"use_positions": False},
        {"attention_bias": False},
        {"tie_word_embeddings": False},
        {"activation_function": "relu"},
        {"activation_function": "gelu"},
        {"norm_position": "post", "use_mlp": False},
    ],
)
def test_every_switch_trains_all_of_its_tensors(switches):
    config = GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4, **switches)
    model = make_model(config)
    ids = random_ids(config, 4, 16)
    model(ids[:, :-1], ids[:, 1:]).loss.backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_without_positions_only_the_mask_tells_order():
    config = GPTConfig(
        vocab_size=61, n_positions=24, n_embd=32, n_layer=1, n_head=4, use_positions=False
    )
    model = make_model(config)
    a = torch.tensor([[3, 9, 4, 7]])
    b = torch.tensor([[4, 3, 9, 7]])
    torch.testing.assert_close(model(a).logits[:, -1], model(b).logits[:, -1], atol=1e-5, rtol=1e-5)


def test_too_many_tokens_and_ids_outside_the_vocabulary_are_sentences(tiny_model):
    with pytest.raises(ContextLengthError, match=r"25 tokens.* reads 24"):
        tiny_model(random_ids(tiny_model.config, 1, 25))
    with pytest.raises(TokenIdError, match=r"61.*0 to 60"):
        tiny_model(torch.tensor([[3, 61]]))
    with pytest.raises(TokenIdError, match="-1"):
        tiny_model(torch.tensor([[-1]]))
    with pytest.raises(TokenIdError, match="at least one token"):
        tiny_model(torch.zeros(1, 0, dtype=torch.long))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_embd": 100, "n_head": 12}, ["100", "12", "108"]),
        ({"n_layer": 0}, ["n_layer", "0", "at least 1"]),
        ({"vocab_size": -5}, ["vocab_size", "-5"]),
        ({"n_positions": 2.5}, ["n_positions", "2.5"]),
        ({"n_head": True}, ["n_head", "True"]),
        ({"n_inner": 0}, ["n_inner"]),
        ({"activation_function": "swish"}, ["swish", "gelu_new"]),
        ({"norm_position": "middle"}, ["middle", "pre"]),
        ({"resid_pdrop": 1.0}, ["resid_pdrop", "[0, 1)"]),
        ({"embd_pdrop": float("nan")}, ["embd_pdrop"]),
        ({"causal": "yes"}, ["causal", "True or False"]),
        ({"layer_norm_epsilon": 0.0}, ["layer_norm_epsilon"]),
    ],
)
def test_a_shape_that_no_model_can_have_is_refused_with_value_and_limit(changes, words):
    with pytest.raises(ConfigError) as error:
        GPTConfig(**changes)
    assert all(word in str(error.value) for word in words)


def test_an_unknown_preset_names_the_known_ones():
    with pytest.raises(ConfigError, match="gpt2-xl"):
        GPTConfig.from_preset("gpt5")


def test_a_config_survives_its_dictionary():
    config = GPTConfig.from_preset("char-day19", n_inner=96, use_positions=False)
    assert GPTConfig.from_dict({**config.to_dict(), "unknown": 1}) == config


def test_presets_of_gpt2_alone_scale_what_is_added_to_the_stream():
    """GPT-2 (Radford et al., 2019, section 2.3) by 1/sqrt(2 n_layer); GPT-1 and the lesson's model
    by nothing.
    """
    plain = {name for name, config in PRESETS.items() if not config.residual_scaling}
    assert plain == {"gpt1", "gpt1-preln", "char-day19"}
