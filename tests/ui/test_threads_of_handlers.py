"""Handlers compute in the computing place: OpenMP workers of their own would make every token there slower."""

from __future__ import annotations

import json
from typing import Any

import pytest
from torch.utils._python_dispatch import TorchDispatchMode

from gptcore.sampling import SamplingSettings
from gptcore.training.precision import _tried
from ui.handlers.attention import ablation
from ui.handlers.generate import odds, program, writing
from ui.handlers.inputs import WritingForm
from ui.handlers.start import sentence
from ui.handlers.train import labels, plan
from ui.handlers.train.forms import label_form, train_form, tune_form
from ui.handlers.train.presets import GPT1_TUNING, PRESETS

PROMPT = "the cat sat"
SAMPLING = SamplingSettings(temperature=0.8, top_k=20, top_p=0.9, repetition_penalty=1.2)
FORM = WritingForm(SAMPLING, 4, (), 1, use_cache=True, tokens_per_second=0)
LESSON = PRESETS["30 seconds, letters"] | GPT1_TUNING | {
    "corpus": "yours", "written": "the cat sat on the mat and the dog ran to the cat. " * 20,
    "input_form": "classification",
    "labelled": "\n".join(f"{animal}\tthe {animal} ran to the mat" for animal in ("cat", "dog") for _ in range(20)),
}  # fmt: skip
HANDLERS = {
    "a text": lambda services: list(writing.write(services, "v", "tiny", PROMPT, FORM)),
    "moved sliders": lambda services: [
        list(writing.write(services, "v", "tiny", PROMPT, FORM)), writing.redraw(services, "v", SAMPLING),
    ],
    "a look at a prompt": lambda services: writing.look(services, "v", "tiny", PROMPT, FORM),
    "the endpoint": lambda services: program.next_token(services, "tiny", PROMPT, 5, SAMPLING),
    "strategies": lambda services: json.loads(odds.odds(services, ["tiny", PROMPT, [0.5, 1, 2], [1, 5, 20]]))["tokens"],
    "the first sentence": lambda services: json.loads(sentence.opening(services, "tiny", PROMPT))["next"],
    "a part switched off": lambda services: json.loads(
        ablation.switch_off(services, "v", "tiny", PROMPT, "raw", "end", [[0, "mlp", None]], "zero")
    )["rows"],
    "a run": lambda services: plan.make_plan(services, train_form(LESSON, services.limits)),
    "a model trained further": lambda services: plan.tuning_plan(
        services, services.models.get("tiny"), tune_form(LESSON, services.limits)
    ),
    "a run on labels": lambda services: labels.label_plan(
        services, services.models.get("tiny"), label_form(LESSON, services.limits)
    ),
}  # fmt: skip
# Reading single numbers is no computation, nor making a tensor of what is there, nor putting lines in an order.
LIGHT = {
    "_local_scalar_dense", "select", "slice", "alias", "detach", "unbind", "clone", "_to_copy", "lift_fresh",
    "randperm",
}  # fmt: skip


class _Here(TorchDispatchMode):
    """Notes what torch computes in this thread; others have their own mode."""

    def __init__(self) -> None:
        super().__init__()
        self.done: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.done.add(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", HANDLERS)
def test_a_handlers_thread_computes_nothing_that_workers_would_share(name, services):
    services.models.get("tiny")
    assert HANDLERS[name](services)
    _tried.cache_clear()  # as for a shape that nobody has trained
    with _Here() as here:
        assert HANDLERS[name](services)
    assert not here.done - LIGHT
