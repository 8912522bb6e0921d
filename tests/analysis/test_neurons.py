"""Neurons of an MLP: what they react to and write is what the model computes."""

from dataclasses import replace

import pytest
import torch

from gptcore.analysis import neuron_activations, neuron_writes
from gptcore.config import GPTConfig
from gptcore.errors import ConfigError
from gptcore.model import random_model
from tiny import Seen

SMALL = GPTConfig(
    vocab_size=20, n_positions=16, n_embd=16, n_layer=3, n_head=2, initializer_range=0.3
)
IDS = [3, 1, 4, 1, 5, 9, 2, 6]


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_activations_are_those_that_the_mlp_projects(norm):
    model = random_model(replace(SMALL, norm_position=norm), 1).eval()
    seen = Seen()
    written = seen.by_name["mlp"]
    with torch.inference_mode():
        model.hidden_states(torch.tensor([IDS]), probe=seen)
        for layer in range(3):
            found = neuron_activations(model, IDS, layer)
            assert found.shape == (len(IDS), 64)
            # The same products summed by the same kernel; the shapes differ from the whole pass by
            # nothing.
            torch.testing.assert_close(
                model.blocks[layer].mlp.c_proj(found), written[layer][0], rtol=1e-4, atol=1e-5
            )


def test_a_neuron_writes_its_own_column_through_the_head():
    model = random_model(SMALL, 1).eval()
    written = neuron_writes(model, 1, 5)
    column = model.blocks[1].mlp.c_proj.weight[:, 5]
    with torch.no_grad():
        expected = model.lm_head.weight @ ((column - column.mean()) * model.ln_f.weight)
    torch.testing.assert_close(written, expected - expected.mean(), rtol=1e-4, atol=1e-5)
    assert abs(float(written.mean())) < 1e-5


def test_what_is_not_there_is_named():
    model = random_model(SMALL, 1)
    with pytest.raises(ConfigError, match="no layer 3; this model has 0 to 2"):
        neuron_activations(model, IDS, 3)
    with pytest.raises(ConfigError, match="no neuron 64; a layer of this model has 0 to 63"):
        neuron_writes(model, 0, 64)
    with pytest.raises(ConfigError, match="no MLPs"):
        neuron_activations(random_model(replace(SMALL, use_mlp=False), 1), IDS, 0)
