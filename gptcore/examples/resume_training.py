"""Stops a training run, saves it, and goes on in a new trainer as if it had never stopped.

`python -m gptcore.examples.resume_training`
"""

import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
import torch

import gptcore
from gptcore.training import RandomWindows, Source, StepEvent, Trainer, TrainingConfig

CONFIG = TrainingConfig(max_steps=12, batch_size=4, warmup_steps=2)
SHAPE = gptcore.GPTConfig(
    vocab_size=50, n_positions=16, n_embd=16, n_layer=1, n_head=2, resid_pdrop=0.1
)
TOKENS = np.arange(1000) * 7 % 50


def new_trainer() -> Trainer:
    """A trainer before its first update, always the same."""
    torch.manual_seed(1)
    return Trainer(
        gptcore.GPT(SHAPE), CONFIG, RandomWindows([Source(TOKENS)], window=16, batch_size=4)
    )


def losses(trainer: Trainer, most: int = CONFIG.max_steps) -> list[float]:
    """The losses of the next updates."""
    steps = (round(event.loss, 4) for event in trainer.events() if isinstance(event, StepEvent))
    return list(islice(steps, most))


with tempfile.TemporaryDirectory() as folder:
    first = new_trainer()
    before = losses(first, most=5)
    # weights, optimiser, step, and the state of dropout
    first.save(Path(folder) / "run.safetensors")
    second = new_trainer()
    second.resume(Path(folder) / "run.safetensors")
    print("stopped and resumed:", before + losses(second))
print("in one piece:       ", losses(new_trainer()))
