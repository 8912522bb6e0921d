"""Warm-up before the first visitor."""

from contextlib import suppress

import torch

from gptcore.errors import GPTCoreError
from gptcore.inference.generation import prompt_ids
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.model import random_model
from gptcore.training import RepeatedSequences, Trainer, TrainingConfig
from ui.compute import zero_gpu
from ui.lenses.train.handlers.fitting import FIRST_OPTIMIZER, first_shape
from ui.lenses.zero_shot.handlers.asking import task_model
from ui.services import Services
from ui.shared.own_text import own_text


def warm_up(services: Services) -> None:
    """Generates a few tokens with the models shown first, and trains one of the first preset's
    shape for one update.

    Weight packing and kernel selection take a third of a second, the first update of a process some
    more, and torch's first optimiser imports its compiler, which takes another. Errors are ignored
    here: they recur, and are reported, when a visitor makes the request.
    """
    default = services.models.default
    for name in dict.fromkeys((default, task_model(default))):
        with suppress(GPTCoreError):
            lm = services.models.get(name)
            if zero_gpu.wanted(lm):  # and a visitor's quota with it
                continue
            ids = prompt_ids(lm, own_text(services, name, lm))
            for _ in services.write(
                lm, [TokenSequence(ids, SamplingSettings(), seed=0, tokenizer=lm.tokenizer)], 2
            ):
                pass
    # here, so that no run waits for the import
    torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))])
    with suppress(GPTCoreError):
        shape, batch = first_shape()
        precision = services.precision
        config = TrainingConfig(
            max_steps=1, batch_size=batch, optimizer=FIRST_OPTIMIZER, precision=precision
        )
        data = RepeatedSequences(
            shape.vocab_size, window=shape.n_positions, batch_size=batch, periods=(2, 4)
        )
        services.compute_thread.keep(
            Trainer(random_model(shape, 0).to(services.device), config, data).events(),
            background=True,
        )
