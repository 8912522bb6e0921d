"""Work that nobody has asked for yet: it waits until the visitor's other actions have ended."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ui.services import Services


def when_idle(services: Services, ask: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """An event that asks once the visitor's other actions have ended, for a view that is opened for
    the first time.
    """

    def waits(request: gr.Request, *values: Any) -> Iterator[Any]:
        with services.sessions.get(request.session_hash).waiting() as others:
            for _ in others:
                yield {}
            answer = ask(request, *values)
            yield from answer if inspect.isgenerator(answer) else [answer]

    return waits
