"""Views that run their request automatically when first opened, so that none opens empty."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui.services import Services
from ui.shared.sheets import COMPUTING, message

# Placeholder until the first request, and while the visitor's other actions run.
WAITING = message(COMPUTING)


@dataclass(frozen=True)
class Opening:
    """A view with a button that asks, and asks by itself when its tab is opened for the first time."""

    services: Services
    view: str  # its name, one for each view of the page
    ask: Callable[..., Any]  # takes the request and the values of the inputs, and gives values of the view

    def pressed(self, request: gr.Request, *given: Any) -> Iterator[Any]:
        """The event of the button."""
        self.services.sessions.get(request.session_hash).first(self.view)
        yield from _each(self.ask(request, *given))

    def opened(self, request: gr.Request, *given: Any) -> Iterator[Any]:
        """The event of the tab: asks where nothing was asked yet, once what else is computed has ended."""
        session = self.services.sessions.get(request.session_hash)
        if not session.first(self.view):
            yield gr.skip()
            return
        with session.waiting() as waits:
            for _ in waits:
                yield gr.skip()
            yield from _each(self.ask(request, *given))


def _each(answer: Any) -> Iterator[Any]:
    yield from [answer] if isinstance(answer, str) else answer
