"""Event wiring: no progress overlays, and server functions."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any

import gradio as gr
from gradio.events import Dependency

from ui.services import Services
from ui.shared.files import calling
from ui.shared.lens import EventOptions

# Options of an event without progress display. On every message of an event, Gradio's front end
# updates the status of each component that was ever a progress target, with a search of the whole
# tree: 25 ms per text update.
QUIET: EventOptions = {
    "show_progress": "hidden",
    "show_progress_on": [],
    "api_visibility": "private",
}


def filling(
    handler: Callable[..., Any], outputs: Mapping[str, gr.components.Component]
) -> Callable[..., Any]:
    """Makes an event's function of a handler whose answers are values by name.

    Args:
        handler: returns, or yields, a mapping from names of outputs to their values; the others
            stay as they are.
        outputs: name -> component, in the order in which the event lists them.

    Raises (when called):
        KeyError: an answer names an output that there is not.
    """

    def row(answer: Mapping[str, Any]) -> Any:
        unknown = answer.keys() - outputs.keys()
        if unknown:
            raise KeyError(f"The event has no output {sorted(unknown)[0]!r}.")
        values = [answer.get(name, gr.skip()) for name in outputs]
        # as Gradio takes the value of a single component
        return values if len(values) != 1 else values[0]

    @wraps(handler)
    def answered(*values: Any) -> Any:
        return row(handler(*values))

    @wraps(handler)
    def streamed(*values: Any) -> Iterator[Any]:
        for answer in handler(*values):
            yield row(answer)

    return streamed if inspect.isgeneratorfunction(inspect.unwrap(handler)) else answered


def at_end(
    event: Dependency, outputs: Sequence[gr.components.Component], js: str, failed: str = ""
) -> None:
    """Runs a script once an event has ended, with an answer or with an error (another script, where
    one is given).

    Gradio 6.31 runs what `then` adds after an answer alone, in spite of its documentation.
    """
    for listener, script in ((event.then, js), (event.failure, failed or js)):
        listener(None, list(outputs), None, js=script, **QUIET)


def share_sentence(event: Dependency, text: gr.Textbox) -> None:
    """Makes what an event has put into a text box the page's sentence, as if it had been typed
    there.
    """
    event.success(
        None,
        text,
        None,
        js=calling("shared/view/store.js", "(m.setSentence(args[0]), [])"),
        **QUIET,
    )


def follow_sentence(event: Dependency, text: gr.Textbox) -> None:
    """Replaces the page's sentence, if there is one, with what an event has put into a text box."""
    js = calling("shared/view/store.js", "(m.sentence() && m.setSentence(args[0]), [])")
    event.success(None, text, None, js=js, **QUIET)


def event_data(event: gr.EventData) -> dict[str, Any]:
    """Returns the data that a component sent with an event; nothing where it is not an object, as a
    program may send.
    """
    data = getattr(event, "_data", None)
    return data if isinstance(data, dict) else {}


def stop_event(services: Services) -> Callable[[gr.Request], None]:
    """Stops the visitor's actions; bypasses the queue, so that it never waits behind what it should
    stop.
    """

    def on_stop(request: gr.Request) -> None:
        services.sessions.get(request.session_hash).stop()

    return on_stop


def served(
    services: Services, *functions: Callable[[Services, object], object]
) -> list[Callable[[object], object]]:
    """Binds handlers as a component's server functions, under their own names; they validate their
    requests.
    """

    def bound(function: Callable[[Services, object], object]) -> Callable[[object], object]:
        def asked(request: object) -> object:
            return function(services, request)

        asked.__name__ = function.__name__
        return asked

    return [bound(function) for function in functions]
