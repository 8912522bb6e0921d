"""What the first visitor would wait for, done while nobody has come yet."""

from __future__ import annotations

from contextlib import suppress

from gptcore.continuation import Continuation
from gptcore.errors import GPTCoreError
from gptcore.generation import prompt_ids
from gptcore.sampling import SamplingSettings
from ui import zero_gpu
from ui.handlers.generate.first_text import own_prompt
from ui.handlers.zero_shot.example import task_model
from ui.services import Services


def warm_up(services: Services) -> None:
    """Has the models that are shown first write a little: packed weights and chosen kernels take a third of a second.

    Nothing of it is shown, and what fails will fail again, and be said, when somebody asks for it.
    """
    default = services.models.default
    for name in dict.fromkeys((default, task_model(default))):
        with suppress(GPTCoreError):
            lm = services.models.get(name)
            if zero_gpu.wanted(lm):  # and a visitor's quota with it
                continue
            ids = prompt_ids(lm, own_prompt(services, name, lm))
            for _ in services.write(lm, [Continuation(ids, SamplingSettings(), seed=0, tokenizer=lm.tokenizer)], 2):
                pass
