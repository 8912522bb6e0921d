"""Handlers compute in the computing place: OpenMP workers of their own would make every token there slower."""

from __future__ import annotations

import json
from typing import Any

import pytest
from torch.utils._python_dispatch import TorchDispatchMode

from gptcore.sampling import SamplingSettings
from ui.handlers.attention import ablation
from ui.handlers.generate import odds, program, writing
from ui.handlers.inputs import WritingForm
from ui.handlers.start import sentence

PROMPT = "the cat sat"
SAMPLING = SamplingSettings(temperature=0.8, top_k=20, top_p=0.9, repetition_penalty=1.2)
FORM = WritingForm(SAMPLING, 4, (), 1, use_cache=True, tokens_per_second=0)
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
    with _Here() as here:
        assert HANDLERS[name](services)
    # Reading single numbers is no computation.
    heavy = here.done - {"_local_scalar_dense", "select", "slice", "alias", "detach", "unbind", "clone", "_to_copy"}
    assert not heavy
