"""Shared by the tests of the page's handlers."""

import json
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from gptcore.inference.sampling_settings import SamplingSettings
from ui.lenses.train.handlers.presets import PRESETS
from ui.shared.fields import Choice, Field, Flag, Names, Number, Rows, Several, Text, Whole
from ui.shared.inputs import WritingForm, writing_form
from ui.state.limits import Limits

# What a page that leads shows.
SCENE: dict[str, Any] = {
    "tab": "Attention",
    "view": "Heads",
    "model": "mini",
    "text": "Tom saw",
    "head": [1, 2],
    "token": None,
    "run": "",
    "link": "tab=attention&view=Heads&model=mini",
    "hands_off": False,
    "say": "",
    "point": "",
    "hide": "",
    "asks": [],
    "chat": [],
}
CONTROLS: dict[str, Any] = {
    **SamplingSettings().on_controls(),
    "max_new_tokens": 12, "stop": "", "use_cache": True, "tokens_per_second": 0, "seed": 5,
}  # fmt: skip
_LIMITS = Limits(max_new_tokens=150)
# A run of the Train tab that ends in no time.
LESSON = {
    **PRESETS["30 seconds, letters"],
    "corpus": "yours",
    "written": "the cat sat on the mat. " * 90,
    "n_layer": 1,
    "n_head": 2,
    "n_embd": 16,
    "n_positions": 16,
    "batch_size": 4,
    "length": "steps",
    "max_steps": 4,
    "prompt": "the ",
}


def form(**changes: object) -> WritingForm:
    """The form of the Generate tab as the tests begin with it, with some controls moved."""
    return writing_form({**CONTROLS, **changes}, _LIMITS)


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Waits for what is awaited; fails when it has not come after a time that no machine needs."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def in_threads(*works: Callable[[], object]) -> None:
    """Does all at the same time, each in a thread of its own; fails when one has not ended after
    two minutes.
    """
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()


def records_of(stream: str, kind: str) -> list[dict[str, Any]]:
    """The records of one kind in a token stream."""
    return [record for record in map(json.loads, stream.splitlines()) if record["kind"] == kind]


def text_of(stream: str) -> str:
    return "".join(record["text"] for record in records_of(stream, "token"))


def last_stream(views: Iterable[Any]) -> str:
    """The token stream as the last of the views that have one shows it."""
    return [view.stream for view in views if view.stream is not None][-1]


def other_values(field: Field) -> list[Any]:
    """Valid values of a field, so that one of them is not its default."""
    if isinstance(field, Flag):
        return [True, False]
    if isinstance(field, Choice):
        return list(field.options)[:3]
    if isinstance(field, Several):
        return [list(field.options)[:2], list(field.options)[1:2]]
    if isinstance(field, Number):
        low = int(field.low) if isinstance(field, Whole) else field.low
        step = field.step or 1
        return [low, min(field.high, low + step)]
    if isinstance(field, Names):
        return [["mini"], ["mini", "world"]]
    if isinstance(field, Rows):
        return [[["a", "b"]], [["c", "d"], ["e", "f"]]]
    if isinstance(field, Text):
        return ["some words", "others"]
    raise TypeError(f"no values of {type(field).__name__} are known here")
