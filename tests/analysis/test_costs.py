"""Estimates against what is measured: tensors kept, flops counted, keys and values written."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

import gptcore
from gptcore import GPT, GPTConfig
from gptcore.analysis import (
    activation_bytes,
    cache_arithmetic,
    forward_flops,
    kv_cache_bytes,
    optimizer_bytes,
    training_flops,
    weight_bytes,
)
from gptcore.inference.engine import DecodeEngine
from gptcore.kv_cache import KVCache
from gptcore.probe import NO_PROBE, Probe
from gptcore.training import TrainingConfig, make_optimizers
from tiny import NO_DROPOUT, random_ids

TINY = {"vocab_size": 101, "n_positions": 32, "n_embd": 32, "n_layer": 3, "n_head": 4, **NO_DROPOUT}


class Explicit(Probe):
    needs_weights = True


def measured_activations(model: GPT, batch_size: int, n_tokens: int, *, maps: bool) -> int:
    """Bytes of the different storages that autograd keeps for the backward pass, parameters left
    out.
    """
    parameters = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    kept: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.untyped_storage().data_ptr() not in parameters:
            kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    ids = random_ids(model.config, batch_size, n_tokens)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = model.train()(ids, ids, probe=Explicit() if maps else NO_PROBE).loss
    assert loss is not None
    return sum(tensor.untyped_storage().nbytes() for tensor in kept.values())


@pytest.mark.parametrize("maps", [False, True])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm_position": "post"},
        {"use_mlp": False},
        {"activation_function": "relu"},
        {"attention_bias": False},
        {"tie_word_embeddings": False},
        {"use_positions": False},
        {"n_inner": 50},
    ],
)
def test_activations_of_every_switch_are_what_autograd_keeps(changes, maps):
    config = GPTConfig(**{**TINY, **changes})
    measured = measured_activations(GPT(config), 3, 20, maps=maps)
    assert activation_bytes(
        config, batch_size=3, n_tokens=20, attention_maps=maps
    ) == pytest.approx(measured, abs=64)


def test_memory_of_the_mini_is_what_is_measured():
    config = GPTConfig.from_preset("mini", **NO_DROPOUT)
    model = GPT(config)
    stored = {
        storage.data_ptr(): storage.nbytes()
        for storage in (p.untyped_storage() for p in model.parameters())
    }
    assert weight_bytes(config) == pytest.approx(sum(stored.values()), rel=0.01)
    assert kv_cache_bytes(config, config.n_positions) == KVCache(config).data.nbytes
    estimated = activation_bytes(config, batch_size=2, n_tokens=64)
    assert estimated == pytest.approx(measured_activations(model, 2, 64, maps=False), rel=0.05)
    optimizer = make_optimizers(model, TrainingConfig())[0]
    ids = random_ids(config, 1, 8)
    model(ids, ids).loss.backward()
    optimizer.step()
    moments = sum(value.nbytes for state in optimizer.state.values() for value in state.values())
    gradients = sum(parameter.grad.nbytes for parameter in model.parameters())
    assert optimizer_bytes(config) == pytest.approx(moments + gradients, rel=0.01)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"n_embd": 48, "n_head": 6, "n_inner": 100, "vocab_size": 77},
        {"use_mlp": False, "n_layer": 1},
    ],
)
def test_flops_are_those_that_torch_counts(changes):
    # With dropout on the weights, attention is computed from plain products, which the counter
    # knows.
    config = GPTConfig(**{**TINY, **changes, "attn_pdrop": 0.1})
    model = GPT(config).train()
    ids = random_ids(config, 2, 20)
    with FlopCounterMode(display=False) as forward:
        loss = model(ids, ids).loss
    with FlopCounterMode(display=False) as backward:
        loss.backward()
    assert forward.get_total_flops() == 40 * forward_flops(config, 20)
    assert forward.get_total_flops() + backward.get_total_flops() == 40 * training_flops(config, 20)


def test_the_cache_arithmetic_is_what_generation_reads(monkeypatch):
    """Every token that is read has its keys and values computed in every layer."""
    read, (reads, step) = [], (DecodeEngine.read, DecodeEngine.step)
    monkeypatch.setattr(
        DecodeEngine, "read", lambda self, row, ids: read.append(len(ids)) or reads(self, row, ids)
    )
    monkeypatch.setattr(
        DecodeEngine, "step", lambda self, ids: read.append(len(ids)) or step(self, ids)
    )
    assert (
        len(
            list(
                gptcore.generate(GPT(GPTConfig(**TINY)), [1, 2, 3, 4, 5], max_new_tokens=7, seed=0)
            )
        )
        == 7
    )
    counted = cache_arithmetic(3, 5, 7)
    assert 3 * sum(read) == counted.with_cache and counted.without == 3 * sum(range(5, 12))
