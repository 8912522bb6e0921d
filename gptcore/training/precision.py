"""Where 16 bits pay: on GPUs, and on processors that multiply bfloat16 matrices, where a short trial says so."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from functools import cache

import torch

from gptcore.config import GPTConfig
from gptcore.model import GPT
from gptcore.processor import multiplies_bf16
from gptcore.training.config import Precision
from gptcore.training.data import generator_for

_ROUNDS = 3  # of a trial, of which the fastest counts
_ENOUGH_TOKENS = 1024  # in a pass: of more, the larger half is like the smaller
_LONG = 0.1  # seconds; a pass that takes as long is not repeated


def faster_precision(shape: GPTConfig, batch_size: int, *, window: int | None = None, device: str = "cpu") -> Precision:
    """The precision in which an update is the faster here: tried once in a process for a shape, a batch and threads.

    Ask in the thread that will train: another one's OpenMP workers slow both precisions, and hide what one gains.

    Args:
        shape: of the model.
        batch_size: B, rows in one forward pass.
        window: T, tokens in a row; None for the model's window.
        device: "cpu" or "cuda".
    """
    if not multiplies_bf16(device):
        return "fp32"
    if device.startswith("cuda"):
        return "bf16"
    window = window or shape.n_positions
    rows = max(1, min(batch_size, _ENOUGH_TOKENS // window))
    return _tried(replace(shape, n_layer=1), rows, window, torch.get_num_threads())


def passes_rate(shape: GPTConfig, batch_size: int, precision: Precision, *, seconds: float = 0.15) -> float:
    """Tokens a second of passes forward and back as they are on the CPU now, with all that computes beside them.

    Args:
        shape: of the model; its window is full.
        batch_size: B, rows in a pass.
        precision: of the products.
        seconds: for which is measured, a pass at least.
    """
    generator = generator_for(0, "trial")
    model = GPT(shape)
    model.initialise(generator)
    ids = torch.randint(shape.vocab_size, (batch_size, shape.n_positions), generator=generator)
    _seconds(model, ids[:1], precision)  # warms up
    n_passes, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < seconds:
        _seconds(model, ids, precision)
        n_passes += 1
    return n_passes * ids.numel() / took


@cache
def _tried(shape: GPTConfig, batch_size: int, window: int, _n_threads: int) -> Precision:
    """The faster one for a model of one block: what the others add is the same again."""
    generator = generator_for(0, "trial")
    model = GPT(shape)
    model.initialise(generator)
    ids = torch.randint(shape.vocab_size, (batch_size, window), generator=generator)
    seconds: dict[Precision, float] = {"fp32": math.inf, "bf16": math.inf}  # of the fastest pass
    for place in range(1 + _ROUNDS):  # in turn, so that a busy moment is nobody's; the first warms up
        for precision, fastest in seconds.items():
            took = _seconds(model, ids, precision)
            if place:
                seconds[precision] = min(fastest, took)
        if place and max(seconds.values()) > _LONG:
            break
    return min(seconds, key=seconds.__getitem__)


def _seconds(model: GPT, ids: torch.Tensor, precision: Precision) -> float:
    """Of one pass forward and back."""
    began = time.perf_counter()
    with torch.enable_grad(), torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        loss = model(ids, ids).loss
    loss.backward()
    model.zero_grad(set_to_none=True)
    return time.perf_counter() - began
