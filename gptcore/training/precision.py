"""Precision selection: bf16 on GPUs, and on CPUs with bfloat16 instructions if a short trial finds it faster."""

import math
import time
from dataclasses import replace
from functools import cache

import torch

from gptcore.config import GPTConfig
from gptcore.machine import multiplies_bf16
from gptcore.model import GPT, random_model
from gptcore.training.config import Precision, TrainingConfig
from gptcore.training.data import RepeatedSequences, generator_for
from gptcore.training.loop import StepEvent, Trainer
from gptcore.training.recorded import WARM_UPS

_ROUNDS = 3  # of a trial; the fastest one counts
_ENOUGH_TOKENS = 1024  # in a trial pass; more would not change the result
_LONG = 0.1  # seconds; a pass that takes as long is not repeated


def faster_precision(shape: GPTConfig, batch_size: int, *, window: int | None = None, device: str = "cpu") -> Precision:
    """The faster precision on this machine, timed once per process for each shape, batch and thread count.

    Call it in the thread that will train: another thread's OpenMP workers slow both precisions and hide the gain.

    Args:
        shape: of the model.
        batch_size: B, rows in one forward pass.
        window: T, tokens in a row; None for the model's window.
        device: "cpu", "cuda" or "mps".
    """
    if device.startswith("mps") or not multiplies_bf16(device):
        return "fp32"
    if device.startswith("cuda"):
        return "bf16"
    window = window or shape.n_positions
    rows = max(1, min(batch_size, _ENOUGH_TOKENS // window))
    return _tried(replace(shape, n_layer=1), rows, window, torch.get_num_threads())


def passes_rate(
    shape: GPTConfig, batch_size: int, precision: Precision, *, seconds: float = 0.15, enough: float = math.inf
) -> float:
    """Measures forward and backward throughput on the processor, in tokens per second, under the current load.

    Args:
        shape: of the model; passes fill its window.
        batch_size: B, rows in a pass.
        precision: of the products.
        seconds: duration of the measurement; at least one pass.
        enough: tokens per second; two passes at this rate end the measurement.
    """
    model, generator = random_model(shape, 0), generator_for(0, "trial")
    ids = torch.randint(shape.vocab_size, (batch_size, shape.n_positions), generator=generator)
    _seconds(model, ids[:1], precision)  # warms up
    n_passes, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        _seconds(model, ids, precision)
        n_passes += 1
        if n_passes > 1 and n_passes * ids.numel() >= enough * (time.perf_counter() - began):
            break
    return n_passes * ids.numel() / (time.perf_counter() - began)


@cache
def update_seconds(shape: GPTConfig, config: TrainingConfig, device: torch.device, *, seconds: float = 0.2) -> float:
    """Seconds that one update takes on a graphics card, measured once per process, recorded where updates are.

    Args:
        shape: of the model; batches fill its window.
        config: batch size, optimiser and precision of the run.
        device: the card.
        seconds: of the measurement, after the first updates.
    """
    data = RepeatedSequences(shape.vocab_size, window=shape.n_positions, batch_size=config.batch_size, periods=(2, 4))
    endless = replace(config, max_steps=10**6, time_budget=None, warmup_steps=0)
    times = list[float]()
    for event in Trainer(random_model(shape, 0).to(device), endless, data).events():
        times.append(event.elapsed if isinstance(event, StepEvent) else 0.0)
        if len(times) > 2 * WARM_UPS and times[-1] - times[WARM_UPS + 1] > seconds:
            break
    return (times[-1] - times[WARM_UPS + 1]) / (len(times) - WARM_UPS - 2)


@cache
def _tried(shape: GPTConfig, batch_size: int, window: int, _n_threads: int) -> Precision:
    """The faster precision for a model of one block; each further block adds the same again."""
    model, generator = random_model(shape, 0), generator_for(0, "trial")
    ids = torch.randint(shape.vocab_size, (batch_size, window), generator=generator)
    seconds: dict[Precision, float] = {"fp32": math.inf, "bf16": math.inf}  # of the fastest pass
    for place in range(1 + _ROUNDS):  # alternating, so that a busy moment slows both; the first warms up
        for precision, fastest in seconds.items():
            took = _seconds(model, ids, precision)
            if place:
                seconds[precision] = min(fastest, took)
        if place and max(seconds.values()) > _LONG:
            break
    return min(seconds, key=seconds.__getitem__)


def _seconds(model: GPT, ids: torch.Tensor, precision: Precision) -> float:
    """Duration of one forward and backward pass."""
    began = time.perf_counter()
    with torch.enable_grad(), torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        loss = model(ids, ids).loss
    loss.backward()
    model.zero_grad(set_to_none=True)
    return time.perf_counter() - began
