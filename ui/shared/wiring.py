"""Event wiring: no progress overlays, views marked while computing, and server functions."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import gradio as gr
from gradio.events import Dependency

from ui.services import Services
from ui.shared.files import calling
from ui.shared.lens import Event, Manner
from ui.views import title_of

T = TypeVar("T")
# Options of an event without progress display. On every message of an event, Gradio's front end updates the status of
# each component that was ever a progress target, with a search of the whole tree: 25 ms per text update.
QUIET: Manner = {"show_progress": "hidden", "show_progress_on": [], "api_visibility": "private"}


def while_computing(listener: Callable[..., Dependency], event: Event, **options: Any) -> Dependency:
    """Adds an event whose views say "Computing…" until it has ended.

    Args:
        event: with a script of its own, if any, that makes its inputs.
    """
    given = event.get("outputs") or ()
    outputs = given if isinstance(given, Sequence) else [given]
    views = json.dumps([one.elem_id for one in outputs if isinstance(one, gr.HTML) and one.elem_id])
    if views == "[]":
        return listener(**event, **options)
    marked = calling("shared/view/page.js", f"m.computing({views}, true, args)")
    if made := event.get("js"):
        marked = f"async (...given) => ({marked})(...(await ({made})(...given)))"
    dependency = listener(**{**event, "js": marked}, **options)
    dependency.then(None, None, None, js=calling("shared/view/page.js", f"m.computing({views}, false)"), **QUIET)
    return dependency


def share_sentence(event: Dependency, text: gr.Textbox) -> None:
    """Makes what an event has put into a text box the page's sentence, as if it had been typed there."""
    event.success(None, text, None, js=calling("shared/view/sentence.js", "(m.setSentence(args[0]), [])"), **QUIET)


def view_tab(tab: str, view: str) -> gr.Tab:
    """A registered view, to lay out within. Raises KeyError for one that is not in `ui.views`."""
    return gr.Tab(title_of(tab, view), id=view)


def event_data(event: gr.EventData) -> dict[str, Any]:
    """What a component sent with an event; nothing where it is not an object, as a program may send."""
    data = getattr(event, "_data", None)
    return data if isinstance(data, dict) else {}


def or_nothing(views: Iterator[T], nothing: T) -> Iterator[T]:
    """The views, or `nothing` for none: Gradio empties the outputs of an event that ends without a value."""
    silent = True
    for view in views:
        silent = False
        yield view
    if silent:
        yield nothing


def stop_event(services: Services) -> Callable[[gr.Request], None]:
    """Stops the visitor's actions; bypasses the queue, so that it never waits behind what it should stop."""

    def on_stop(request: gr.Request) -> None:
        services.sessions.get(request.session_hash).stop()

    return on_stop


def served(services: Services, *functions: Callable[[Services, object], object]) -> list[Callable[[object], object]]:
    """Binds handlers as a component's server functions, under their own names; they validate their requests."""

    def bound(function: Callable[[Services, object], object]) -> Callable[[object], object]:
        def asked(request: object) -> object:
            return function(services, request)

        asked.__name__ = function.__name__
        return asked

    return [bound(function) for function in functions]


def copy_script(names: list[str], *, tab: str, view: str = "", note: str = "") -> str:
    """JavaScript that puts the given inputs into the address bar and the clipboard, and says what it did.

    Args:
        names: query names, in the order of the event's inputs.
        tab: to open.
        view: of it, by its title; "" for the first.
        note: a sentence on what the link omits.
    """
    settings = f"m.named({json.dumps(['tab', 'view', *names])}, [{json.dumps(tab)}, {json.dumps(view)}, ...args])"
    return calling("shared/view/page.js", f"[await m.shareLink({settings}, {json.dumps(note)})]")
