"""Event handlers of the Attention tab, and the server functions of its component."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers import ablation, lens, maps
from ui.lenses.attention.handlers.head_weights import head_weights
from ui.services import Services
from ui.shared import inputs
from ui.shared.own_text import REPEATING, TEXT, text_to_read
from ui.shared.wiring import event_data, or_nothing, served
from ui.views import title_of

_LONGEST_NUMBER = 10  # digits


class Switches(NamedTuple):
    """Parts that are switched off, as ablation.switch_off takes them, and whether nobody has chosen them yet."""

    parts: Sequence[Sequence[object]]
    example: bool = False


class AttentionEvents:
    """The tab's events as Gradio wants them: the request first, then the values of the inputs."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def show(self, request: gr.Request, shown: object, *given: object) -> Iterator[list[Any]]:
        """Updates the open view and the maps unless a newer request exists: tab and text changes trigger separately.

        Args:
            request: whose.
            shown: title of the open view and the page's number of the question, "Heads#7".
            given: values of `maps.AttentionForm`, `Switches`, and what takes the place of a part that is off.
        """
        *read, off, replacement = given
        form = maps.AttentionForm(*read)
        session, skip = self._services.sessions.get(request.session_hash), gr.skip()
        title, _, number = str(shown or "").partition("#")
        order = int(number) if number.isdecimal() and len(number) < _LONGEST_NUMBER else None
        is_newest, is_newest_switch = session.newest("attention", order), session.newest("switches")
        for view, switched, layers, cut, kept in self._shown(request, title, form, off, replacement):
            if not is_newest_switch():  # a part was switched meanwhile
                switched = kept = skip
            yield [view, switched, layers, cut, kept] if is_newest() else [skip] * 5

    def _shown(
        self, request: gr.Request, shown: str, form: maps.AttentionForm, off: object, replacement: object
    ) -> Iterator[list[Any]]:
        visitor, skip = request.session_hash, gr.skip()
        with shown_to_visitor():
            if shown == title_of("attention", "lens"):
                yield [skip, skip, lens.lens(self._services, visitor, form), skip, skip]
            drawn = True
            for seen in maps.views(self._services, visitor, form):
                drawn = seen.drawn
                yield [seen.value, skip, skip, gr.Radio(visible=seen.cut), skip]
            if not drawn:  # the maps say why
                yield [skip, "", skip, skip, skip]
            elif shown == title_of("attention", "look"):
                parts, example = off if isinstance(off, Switches) else Switches(())
                fits = ablation.fitting(self._services, form.model, list(parts))
                value = ablation.switch_off(self._services, visitor, form, fits, replacement, example=example)
                yield [skip, value, skip, skip, Switches(fits, example)]

    def off(self, request: gr.Request, event: gr.EventData, *given: object) -> list[Any]:
        data, (*read, replacement) = event_data(event), given
        off = data["off"] if "off" in data else [[data.get("layer"), "head", data.get("head")]]
        self._services.sessions.get(request.session_hash).newest("switches")
        with shown_to_visitor():
            form = maps.AttentionForm(*read)
            value = ablation.switch_off(self._services, request.session_hash, form, off, replacement)
            parts = Switches([[part.layer, part.kind, part.head] for part in ablation.parts_of(off)])
        return [value, parts]

    def try_all(self, request: gr.Request, *given: object) -> Iterator[Any]:
        *read, replacement = given
        with shown_to_visitor():
            form = maps.AttentionForm(*read)
            yield from or_nothing(ablation.try_all(self._services, request.session_hash, form, replacement), gr.skip())

    def default_text(self, request: gr.Request, name: object, linked: bool, text: object) -> list[Any]:
        """Replaces the page's text with the model's default; keeps the visitor's."""
        given = self._services.sessions.get(request.session_hash).own_texts
        with shown_to_visitor():
            model = inputs.model_name(name)
            own = text_to_read(self._services, model, self._services.models.get(model))
        stays = linked or text not in {TEXT, REPEATING, *given}
        given.add(own)
        return [False, gr.skip() if stays else own]


def server_functions(services: Services) -> list[Callable[[object], object]]:
    """Server functions of the component: they bypass the queue, so that moving between heads never waits."""
    maps_of = (maps.head_map, maps.steps, maps.arithmetic, maps.arrays)
    return served(services, *maps_of, head_weights)
