"""Trains one model in two processes that share every batch (DistributedDataParallel).

`python -m torch.distributed.run --nproc-per-node 2 -m gptcore.examples.two_processes`
"""

import numpy as np
import torch

import gptcore
from gptcore.training import (
    RandomWindows,
    Source,
    StepEvent,
    Trainer,
    TrainingConfig,
    leave,
    workers_from_environment,
)

with workers_from_environment(
    device="cpu"
) as workers:  # None where the script was not started by torchrun
    torch.manual_seed(1)
    shape = gptcore.GPTConfig(vocab_size=50, n_positions=16, n_embd=16, n_layer=1, n_head=2)
    model = gptcore.GPT(shape)
    tokens = np.arange(1000) * 7 % 50
    batches = RandomWindows([Source(tokens)], window=16, batch_size=8)
    trainer = Trainer(
        model, TrainingConfig(max_steps=10, batch_size=8, warmup_steps=2), batches, workers=workers
    )
    for event in trainer.events():
        if isinstance(event, StepEvent) and (workers is None or workers.rank == 0):
            print(f"{event.step}: loss {event.loss:.4f}", flush=True)
leave(0)
