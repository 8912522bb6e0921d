import itertools

import pytest
import torch

import gptcore
from gptcore import GPTConfig


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
