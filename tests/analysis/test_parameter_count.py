import itertools
import math
from dataclasses import replace

import pytest
import torch

import gptcore
from gptcore import GPTConfig
from gptcore.analysis import count_parameters, tensor_shapes

SHAPE = GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=3, n_head=4, n_inner=50)


def test_the_count_follows_every_switch():
    names = ["tie_word_embeddings", "attention_bias", "use_mlp", "use_positions"]
    for values in itertools.product([True, False], repeat=4):
        for norm in ("pre", "post"):
            switches = dict(zip(names, values, strict=True))
            config = replace(SHAPE, norm_position=norm, **switches)
            with torch.device("meta"):
                model = gptcore.GPT(config)
            count = gptcore.count_parameters(config)
            assert count.total == sum(parameter.numel() for parameter in model.parameters())
            in_blocks = sum(parameter.numel() for parameter in model.h.parameters())
            assert in_blocks == count.attention + count.mlp + count.block_norms


@pytest.mark.parametrize("preset", list(gptcore.PRESETS))
def test_the_listed_tensors_and_their_count_are_those_of_the_real_model(preset):
    config = gptcore.PRESETS[preset]
    with torch.device("meta"):
        real = {name: tuple(p.shape) for name, p in gptcore.GPT(config).named_parameters()}
    listed = {name: shape for _, name, shape in tensor_shapes(config)}
    assert listed == real
    count = count_parameters(config)
    assert count.total == sum(map(math.prod, real.values()))
    for component in count.components:
        tensors = [shape for name, _, shape in tensor_shapes(config) if name == component.name]
        assert component.count == sum(math.prod(shape) for shape in tensors)


def test_formulas_with_numbers_come_out_at_the_count():
    count = count_parameters(gptcore.PRESETS["gpt2"])
    for component in count.components:
        text = component.numbers.replace(",", "").replace("·", "*").replace("²", "**2")
        assert eval(text) == component.count  # noqa: S307 - our own arithmetic
    assert count.without_embeddings == 85_056_000


def test_a_trillion_of_everything_is_counted_and_not_built():
    huge = GPTConfig(
        vocab_size=10**12, n_positions=10**12, n_embd=10**12, n_head=10**6, n_layer=10**12
    )
    assert count_parameters(huge).total > 10**37
    assert len(list(tensor_shapes(huge, layers=range(1)))) == 16
