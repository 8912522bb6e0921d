"""What a link sets on the page: at a load of it, and without one where a talk or a room goes on to
another link.
"""

import html
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

import gradio as gr

from ui import links
from ui.errors import shown_to_visitor
from ui.frame.example import PageExample
from ui.lenses.generate.write import writing
from ui.lenses.generate.write.first_text import recover
from ui.services import Services
from ui.shared import inputs, picker
from ui.shared.files import calling
from ui.shared.lens import Lens
from ui.shared.site import PageFields
from ui.shared.wiring import QUIET, at_end, event_data, filling
from ui.views import TAB_NAMES

_LONGEST_LINK = 200_000  # characters, of texts that a form begins with, too
_OF_OPENING = ("model", "moment")


class Arrival:
    """Links of the page.

    Args:
        moment: how long the picked model was trained.
        model_set, fields_set: signals that a link has set a model, or only fields. Each has a
            number that changes every time, so that its change event fires.
    """

    def __init__(
        self,
        services: Services,
        fields: PageFields,
        example: PageExample,
        lenses: Sequence[Lens],
        moment: gr.Slider,
        *,
        model_set: gr.State,
        fields_set: gr.State,
    ) -> None:
        self._services = services
        self._fields = fields
        self._example = example
        self._fills = [lens.fills for lens in lenses if lens.fills is not None]
        filled = {name: output for fill in self._fills for name, output in fill.outputs.items()}
        linked = {"model": fields["model"], "moment": moment}
        linked |= {name: at for lens in lenses for name, at in lens.linked.items()}
        for name, component in fields.by_name.items():
            if name != "opened" and name not in filled:
                linked[name] = component
        self._linked = linked
        self._outputs = {"fields_set": fields_set, **linked, **filled}
        # On an open page a link sets what is no answer; the picker opens a model.
        self._fillable = {
            name: output
            for name, output in self._outputs.items()
            if name not in _OF_OPENING and not getattr(output, "needs", ())
        }
        self._model_set = model_set

    def wire(self, page: gr.Blocks, fills: Callable[..., Any]) -> None:
        """Wires the load of the page, and what sets fields later.

        Args:
            fills: a component's event that brings a link, as `{"link": ...}`.
        """
        wanted = gr.Textbox(visible=False)  # name of the tab that the link opens
        named = {"tab": wanted, "model_set": self._model_set, **self._outputs}
        outputs = list(named.values())
        asked = [gr.Textbox(visible=False) for _ in ("visit", "text", "tab")]
        first = calling("frame/view/visit.js", "m.visit()")
        arriving = page.load(filling(self._on_load, named), asked, outputs, js=first, **QUIET)
        held = self._fields.note(arriving, outputs)
        shown = calling("frame/view/visit.js", "m.arrive(...args)")
        held.then(None, [wanted], None, js=shown, **QUIET)
        arriving.failure(None, [wanted], None, js=shown, **QUIET)

        outputs = list(self._fillable.values())
        filled = fills(
            filling(self._on_fill, self._fillable), None, outputs, trigger_mode="multiple", **QUIET
        )
        told = calling("shared/view/fill.js", "m.filled()")
        at_end(self._fields.note(filled, outputs), [], told)
        filled.failure(None, None, None, js=told, **QUIET)

    def _on_load(self, request: gr.Request, visit: str, held: str, was_open: str) -> dict[str, Any]:
        """Restores the text from before a reload, from the server or the browser's copy, or else
        adopts the example; the query string sets the controls. Without either the page stays as
        sent, and no event follows.
        """
        services = self._services
        query = links.expanded(dict(request.query_params))
        settings = links.read(query, services.limits.max_new_tokens)
        _warn(query)
        _tell(services.notices)
        wanted = (
            was_open
            if was_open in TAB_NAMES
            else settings.get("tab", "generate" if settings else "")
        )
        sets = bool(settings.keys() - {"tab"})
        kept = recover(services, request.session_hash, visit, held, self._example.document)
        if kept is not None:
            settings |= {"prompt": kept.prompt, "seed": kept.seed, "model": kept.model}
            settings["stream"] = kept.stream
        else:
            writing.store_document(
                services, request.session_hash, self._example.document, self._example.next_token
            )
        sets_model = settings.get("model", services.models.default) != services.models.default
        settings["linked"] = "text" in settings and sets_model
        if "model" in settings:
            settings["moment"] = picker.moment_slider(settings["model"])
            choices = picker.choices_with(services, settings["model"])
            settings["model"] = gr.Dropdown(choices=choices, value=settings["model"])
        arrived = {**self._values(settings), "tab": wanted}
        if sets_model:
            arrived["model_set"] = time.monotonic_ns()
        elif sets or kept is not None:
            arrived["fields_set"] = time.monotonic_ns()
        return arrived

    def _on_fill(self, event: gr.EventData) -> dict[str, Any]:
        """Sets what a link names on a page that is open."""
        with shown_to_visitor():
            link = inputs.text(event_data(event).get("link"), "The link", most=_LONGEST_LINK)
        query = dict(parse_qsl(link, keep_blank_values=True))
        _warn(query)
        settings = links.read(query, self._services.limits.max_new_tokens)
        values = {**self._values(settings), "fields_set": time.monotonic_ns()}
        return {name: value for name, value in values.items() if name in self._fillable}

    def _values(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The new values of what a link's settings set, by name."""
        for name, other in (("text", "prompt"), ("prompt", "text")):  # the page has one sentence
            if name in settings:
                settings.setdefault(other, settings[name])
        values: dict[str, Any] = {name: settings[name] for name in self._linked if name in settings}
        for fill in self._fills:
            values |= fill.values(settings)
        return values


def _warn(query: Mapping[str, str]) -> None:
    if mistakes := html.escape(" ".join(links.mistakes(query)[:3]), quote=False):
        gr.Warning(mistakes, title="Part of this link cannot be used", duration=20)


def _tell(notices: Sequence[str]) -> None:
    """Shows what every visitor is told at the beginning."""
    for notice in notices:
        gr.Warning(html.escape(notice, quote=False), title="About this server", duration=None)
