"""How many tokens or updates a second this machine makes: what a run of so many seconds can do."""

import math
import time
from dataclasses import replace
from functools import cache

import torch

from gptcore.config import GPTConfig
from gptcore.model import GPT, random_model
from gptcore.training import RepeatedSequences, StepEvent, Trainer, TrainingConfig, generator_for
from gptcore.training.config import Precision
from gptcore.training.cuda_graphs import WARM_UPS


def passes_rate(
    shape: GPTConfig,
    batch_size: int,
    precision: Precision,
    *,
    seconds: float = 0.15,
    enough: float = math.inf,
) -> float:
    """Measures forward and backward throughput on the CPU, in tokens per second, under the
    current load.

    Args:
        shape: of the model; passes fill its window.
        batch_size: B, rows in a pass.
        precision: of the products.
        seconds: duration of the measurement; at least one pass.
        enough: tokens per second; two passes at this rate end the measurement.
    """
    model = random_model(shape, 0)
    generator = generator_for(0, "trial")
    ids = torch.randint(shape.vocab_size, (batch_size, shape.n_positions), generator=generator)
    _pass(model, ids[:1], precision)  # warms up
    n_passes = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        _pass(model, ids, precision)
        n_passes += 1
        if n_passes > 1 and n_passes * ids.numel() >= enough * (time.perf_counter() - began):
            break
    return n_passes * ids.numel() / (time.perf_counter() - began)


@cache
def update_seconds(
    shape: GPTConfig, config: TrainingConfig, device: torch.device, *, seconds: float = 0.2
) -> float:
    """Seconds that one update takes on a GPU, measured once per process, recorded where
    updates are.

    Args:
        shape: of the model; batches fill its window.
        config: batch size, optimiser and precision of the run.
        device: the GPU.
        seconds: of the measurement, after the first updates.
    """
    data = RepeatedSequences(
        shape.vocab_size, window=shape.n_positions, batch_size=config.batch_size, periods=(2, 4)
    )
    endless = replace(config, max_steps=10**6, time_budget=None, warmup_steps=0)
    times = list[float]()
    for event in Trainer(random_model(shape, 0).to(device), endless, data).events():
        times.append(event.elapsed if isinstance(event, StepEvent) else 0.0)
        if len(times) > 2 * WARM_UPS and times[-1] - times[WARM_UPS + 1] > seconds:
            break
    return (times[-1] - times[WARM_UPS + 1]) / (len(times) - WARM_UPS - 2)


def _pass(model: GPT, ids: torch.Tensor, precision: Precision) -> None:
    """One forward and backward pass."""
    with torch.enable_grad(), torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        loss = model(ids, ids).loss
    loss.backward()
    model.zero_grad(set_to_none=True)
