import itertools

import pytest
import torch

import gptcore
from gptcore import GPTConfig
from gptcore.errors import ContextLengthError, TokenIdError
from tiny import make_model, random_ids


def test_attention_rows_sum_to_one_and_the_future_is_exactly_zero(tiny_model):
    ids = random_ids(tiny_model.config, 20)
    patterns = gptcore.attention_patterns(tiny_model, ids)
    assert patterns.shape == (3, 4, 20, 20) and patterns.dtype == torch.float32
    torch.testing.assert_close(patterns.sum(-1), torch.ones(3, 4, 20), atol=1e-5, rtol=0)
    assert float(patterns.triu(1).abs().max()) == 0.0


def test_attention_equals_transformers_eager_weights(tiny_model):
    hf_model = gptcore.to_hf(tiny_model)
    hf_model.set_attn_implementation("eager")
    ids = random_ids(tiny_model.config, 1, 20)
    with torch.inference_mode():
        theirs = torch.cat(hf_model(ids, output_attentions=True).attentions)
    torch.testing.assert_close(gptcore.attention_patterns(tiny_model, ids), theirs, atol=1e-5, rtol=0)


def test_attention_ignores_dropout_and_leaves_training_mode_alone():
    model = make_model(GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4)).train()
    first, second = (gptcore.attention_patterns(model, [1, 2, 3, 4]) for _ in range(2))
    assert torch.equal(first, second) and model.training


def test_attention_of_nothing_too_much_or_several_texts_is_a_sentence(tiny_model):
    with pytest.raises(TokenIdError):
        gptcore.attention_patterns(tiny_model, [])
    with pytest.raises(ContextLengthError, match="reads 24"):
        gptcore.attention_patterns(tiny_model, [1] * 25)
    with pytest.raises(TokenIdError, match="one text"):
        gptcore.attention_patterns(tiny_model, torch.ones(2, 5, dtype=torch.long))


@pytest.mark.parametrize("preset", list(gptcore.PRESETS))
def test_the_count_is_the_real_models_for_every_preset(preset):
    config = gptcore.PRESETS[preset]
    with torch.device("meta"):
        real = sum(parameter.numel() for parameter in gptcore.GPT(config).parameters())
    assert gptcore.count_parameters(config).total == real


def test_the_count_follows_every_switch():
    names = ["tie_word_embeddings", "attention_bias", "use_mlp", "use_positions"]
    for values in itertools.product([True, False], repeat=4):
        for norm in ("pre", "post"):
            switches = dict(zip(names, values, strict=True))
            config = GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=3, n_head=4, n_inner=50,
                               norm_position=norm, **switches)  # fmt: skip
            with torch.device("meta"):
                model = gptcore.GPT(config)
            count = gptcore.count_parameters(config)
            assert count.total == sum(parameter.numel() for parameter in model.parameters())
            in_blocks = sum(parameter.numel() for parameter in model.h.parameters())
            assert in_blocks == count.attention + count.mlp + count.block_norms
