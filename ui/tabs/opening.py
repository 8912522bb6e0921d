"""Views that ask by themselves when they are opened for the first time, so that none opens empty."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ui.handlers import sheets
from ui.services import Services

WAITING = "It is asked in a moment."  # what a view shows before it was ever asked
BUSY = "Something of yours is still being computed. Press the button to ask."


def first_time(services: Services, ask: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """An event of a view that opens: it asks where nothing has been asked yet, and ends nothing that runs.

    Args:
        services: of the app.
        ask: the event of the view's button. The view's own value stands before its inputs here.
    """
    takes_request = "request" in inspect.signature(ask).parameters

    def opened(request: gr.Request, shown: str, *given: Any) -> Iterator[Any]:
        if shown != sheets.message(WAITING):
            yield gr.skip()
        elif services.sessions.get(request.session_hash).busy:
            yield sheets.message(BUSY)
        else:
            answer = ask(request, *given) if takes_request else ask(*given)
            yield from [answer] if isinstance(answer, str) else answer

    return opened
