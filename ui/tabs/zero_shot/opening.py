"""Events of views that ask by themselves, and of fields that fill in others."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ui.handlers import sheets

WAITING = "It is asked in a moment."  # what a view shows before it was ever asked


def first_time(ask: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """An event of a view that opens: it asks where nothing has been asked yet. The view's value stands in front."""

    @functools.wraps(ask)
    def opened(*raw: Any) -> Iterator[Any]:
        request = raw[:1] if raw and isinstance(raw[0], gr.Request) else ()
        shown, *given = raw[len(request) :]
        if shown != sheets.message(WAITING):
            yield gr.skip()
            return
        answer = ask(*request, *given)
        yield from [answer] if isinstance(answer, str) else answer

    return opened


def counted(fill: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """An event that fills in fields, with a number besides that is another each time."""

    @functools.wraps(fill)
    def filled(*raw: object) -> list[Any]:
        return [*fill(*raw), time.monotonic_ns()]

    return filled
