"""A traced pass against separate computations: the model's own logits, the lens, maps, and sums by
hand.
"""

import copy
from dataclasses import replace

import pytest
import torch

from gptcore.analysis import ModelPart, attention_patterns, logit_lens, logits_without, trace
from gptcore.errors import ConfigError, TokenIdError
from gptcore.model import random_model
from tiny import Seen, random_ids


@pytest.mark.parametrize("at", [-1, 0, 7])
@torch.inference_mode()
def test_every_number_is_that_of_a_separate_computation(tiny_model, at):
    ids = random_ids(tiny_model.config, 20).tolist()
    found = trace(tiny_model, ids, at)
    place = at % 20
    assert found.at == place
    torch.testing.assert_close(
        found.logits, tiny_model(torch.tensor([ids])).logits[0], atol=1e-5, rtol=1e-4
    )
    maps = attention_patterns(tiny_model, ids)
    torch.testing.assert_close(found.looks, maps[:, :, place, : place + 1], atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(found.attended, maps.flatten(0, 1).amax(0), atol=1e-6, rtol=1e-5)
    lens = logit_lens(tiny_model, ids)
    assert torch.equal(found.lens.argmax(-1), lens.best[:, place])
    torch.testing.assert_close(
        found.lens.exp().amax(-1), lens.probability[:, place], atol=1e-6, rtol=1e-4
    )
    torch.testing.assert_close(
        found.lens[-1], found.logits[place].log_softmax(-1), atol=1e-5, rtol=1e-4
    )
    seen = Seen()
    hidden = tiny_model.hidden_states(torch.tensor([ids]), probe=seen)[0]
    written = {name: [item[0] for item in kept] for name, kept in seen.by_name.items()}
    for layer in range(tiny_model.config.n_layer):
        for norms, kind in ((found.attention_norms, "attention"), (found.mlp_norms, "mlp")):
            assert float(norms[layer]) == pytest.approx(
                float(written[kind][layer][place].norm()), rel=1e-4
            )
    for depth, stream in enumerate(written["residual"]):
        assert float(found.stream_norms[depth]) == pytest.approx(
            float(stream[place].norm()), rel=1e-4
        )
    assert found.final_norm == pytest.approx(float(hidden[place].norm()), rel=1e-4)
    embedded = tiny_model.wte.weight[ids[place]].norm(), tiny_model.wpe.weight[place].norm()
    assert (found.token_norm, found.position_norm) == pytest.approx(
        tuple(map(float, embedded)), rel=1e-5
    )


@torch.inference_mode()
def test_a_pass_without_parts_is_that_of_the_ablated_model(tiny_model):
    ids = random_ids(tiny_model.config, 9).tolist()
    for parts in ([ModelPart(0, "head", 1)], [ModelPart(1, "attention"), ModelPart(0, "mlp")]):
        found = trace(tiny_model, ids, without=parts)
        torch.testing.assert_close(
            found.logits[-1], logits_without(tiny_model, ids, [parts])[0], atol=1e-5, rtol=1e-4
        )
        torch.testing.assert_close(
            found.lens[-1], found.logits[-1].log_softmax(-1), atol=1e-5, rtol=1e-4
        )
        for part in parts:
            norms = {
                "head": found.head_norms,
                "attention": found.attention_norms,
                "mlp": found.mlp_norms,
            }[part.kind]
            assert float(norms[part.layer].flatten()[part.head or 0]) == 0
    with pytest.raises(ConfigError, match="no layer 9"):
        trace(tiny_model, ids, without=[ModelPart(9, "mlp")])


@torch.no_grad()
def test_what_heads_add_is_what_goes_when_they_are_switched_off(tiny_model):
    ids = random_ids(tiny_model.config, 12).tolist()
    config = tiny_model.config
    found = trace(tiny_model, ids)
    outputs = []
    for head in (None, *range(config.n_head)):
        model = copy.deepcopy(tiny_model)
        probe = Seen()
        if head is not None:
            model.h[0].attn.c_proj.weight[
                :, head * config.head_dim : (head + 1) * config.head_dim
            ] = 0
        model.hidden_states(torch.tensor([ids]), probe=probe)
        outputs.append(probe.by_name["attention"][0][0, -1])
    for head in range(config.n_head):
        expected = float((outputs[0] - outputs[head + 1]).norm())
        assert float(found.head_norms[0, head]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    "change", [{"norm_position": "post"}, {"use_mlp": False}, {"use_positions": False}]
)
def test_other_shapes_are_traced_too(tiny_model, change):
    model = random_model(replace(tiny_model.config, **change), 3)
    found = trace(model, [1, 2, 3, 4])
    expected = model(torch.tensor([[1, 2, 3, 4]])).logits[0, -1].log_softmax(-1).detach()
    torch.testing.assert_close(found.lens[-1], expected)
    assert (float(found.mlp_norms.sum()) == 0) == (not model.config.use_mlp)
    assert (found.position_norm == 0) == (not model.config.use_positions)


def test_a_position_that_is_not_there_is_a_sentence(tiny_model):
    with pytest.raises(TokenIdError, match="position is 3; the text has 3 tokens"):
        trace(tiny_model, [1, 2, 3], 3)
