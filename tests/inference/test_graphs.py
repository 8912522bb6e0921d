"""Captured decode steps have the logits of plain ones, with a recorder that needs no GPU, and with
CUDA's.
"""

from functools import partial

import pytest
import torch

from gptcore import GPTConfig
from gptcore.inference.engine import DecodeEngine
from gptcore.inference.gpu_sampling import sample_on_gpu
from gptcore.inference.graphs import CapturedSteps, cuda_graph, positions_for
from gptcore.inference.packed import _pack, decode_step
from tiny import make_model, random_ids

SHAPE = {"vocab_size": 97, "n_positions": 150, "n_embd": 36, "n_layer": 2, "n_head": 3}


def engines(config, device="cpu", capture=lambda compute: compute):
    model = make_model(GPTConfig(**config)).to(device)
    plain = DecodeEngine(model, precision="exact")
    captured = DecodeEngine(model, precision="exact")
    captured._engine(1)
    captured._graphs = CapturedSteps(
        partial(decode_step, _pack(model, "fp32")), sample_on_gpu, capture=capture
    )
    return model, plain, captured


def compare(plain, captured, tokens):
    expected = plain.step(tokens)
    found = captured.step(tokens)
    assert captured.cache.lengths == plain.cache.lengths
    torch.testing.assert_close(found, expected, atol=2e-4, rtol=1e-4)


def both(engines, method, *arguments):
    for engine in engines:
        getattr(engine if hasattr(engine, method) else engine.cache, method)(*arguments)


def follow(model, plain, captured):
    """Rows of several lengths that come, go, move and pass from one number of positions to the
    next.
    """
    ids = random_ids(model.config, 4, 140).tolist()
    both((plain, captured), "add")
    both((plain, captured), "read", 0, ids[0][:3])
    for step in range(3, 6):
        compare(plain, captured, [ids[0][step]])
    for row, length in ((1, 60), (2, 5)):
        both((plain, captured), "add")  # the cache's memory moves
        both((plain, captured), "read", row, ids[row][:length])
    for step in range(60, 70):
        compare(plain, captured, [ids[row][step] for row in range(3)])
    both((plain, captured), "remove", 0)
    for step in range(70, 73):
        compare(plain, captured, [ids[row][step] for row in range(2)])


@pytest.mark.parametrize(
    "config", [{}, {"norm_position": "post"}, {"use_positions": False, "use_mlp": False}]
)
def test_recorded_steps_are_plain_ones(config):
    calls = []

    def capture(compute):
        calls.append(compute)
        return compute

    model, plain, captured = engines({**SHAPE, **config}, capture=capture)
    follow(model, plain, captured)
    # one row; three up to 64 positions and up to 128; two after one has gone
    assert len(calls) == 4


def test_what_cannot_be_recorded_is_computed_plainly(caplog):
    tried = []

    def refuse(compute):
        tried.append(compute)
        raise RuntimeError("operation not permitted when stream is capturing")

    model, plain, captured = engines(SHAPE, capture=refuse)
    follow(model, plain, captured)
    assert len(tried) == 1
    assert "cannot be captured as a CUDA graph: operation not permitted" in caplog.text


def test_the_number_of_positions_is_a_power_of_two_within_the_cache():
    assert [positions_for(n, 1000) for n in (1, 64, 65, 128, 513, 1000)] == [
        64,
        64,
        128,
        128,
        1000,
        1000,
    ]
    assert positions_for(3, 8) == 8


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_cuda_replays_what_it_recorded():
    follow(*engines(SHAPE, "cuda", capture=cuda_graph))
