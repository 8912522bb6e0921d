"""Shared by the tests of the page's handlers."""

import json
import time
from collections.abc import Callable
from typing import Any

from gptcore.inference.sampling_settings import SamplingSettings
from ui.shared.inputs import WritingForm, writing_form
from ui.state.limits import Limits

CONTROLS: dict[str, Any] = {
    **SamplingSettings().on_controls(),
    "max_new_tokens": 12, "stop": "", "use_cache": True, "tokens_per_second": 0, "seed": 5,
}  # fmt: skip
_LIMITS = Limits(max_new_tokens=150)


def form(**changes: object) -> WritingForm:
    """The form of the Generate tab as the tests begin with it, with some controls moved."""
    return writing_form({**CONTROLS, **changes}, _LIMITS)


def named(names: str, values: object) -> object:
    """A request with these values by name, fewer than names or more; what is no list stays what it is."""
    if not isinstance(values, list):
        return values
    known = names.split()
    return dict(zip([*known, *(f"more_{i}" for i in range(len(values)))], values, strict=False))


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Waits for what is awaited; fails when it has not come after a time that no machine needs."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def records_of(stream: str, kind: str) -> list[dict[str, Any]]:
    """The records of one kind in a token stream."""
    return [record for record in map(json.loads, stream.splitlines()) if record["kind"] == kind]


def text_of(stream: str) -> str:
    return "".join(record["text"] for record in records_of(stream, "token"))
