"""Event handlers of the Generate tab."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from gptcore.inference.sampling_settings import CONTROLS, SamplingSettings
from ui.errors import shown_to_visitor
from ui.lenses.generate.handlers import writing as handlers
from ui.lenses.generate.handlers.first_text import first_text
from ui.lenses.generate.handlers.strategies import STRATEGIES
from ui.services import Services
from ui.shared import inputs
from ui.shared.controls import sampling_of, writing_form
from ui.shared.inputs import InputError
from ui.shared.wiring import event_data, or_nothing


def _values(view: handlers.View) -> list[Any]:
    """A view as values for [prompt, stream, seed, distribution]."""
    parts = (view.prompt, view.stream, view.seed, view.distribution)
    return [gr.skip() if part is None else part for part in parts]


def _moved(chosen: SamplingSettings) -> list[Any]:
    """Values for the sliders, and a number that is another every time: that they have been moved."""
    return [*chosen.on_controls().values(), time.monotonic_ns()]


class GenerateEvents:
    """The tab's events as Gradio wants them: the request first, then the values of the inputs."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def _shown(self, views: Iterator[handlers.View]) -> Iterator[list[Any]]:
        return or_nothing(map(_values, views), _values(handlers.View()))

    def writing(self, writes: Callable[..., Iterator[handlers.View]]) -> Callable[..., Iterator[list[Any]]]:
        """The event of a handler that takes what `write` does."""

        def on_event(request: gr.Request, name: str, text: str, *raw: object) -> Iterator[list[Any]]:
            with shown_to_visitor():
                form = writing_form(self._services, raw)
                yield from self._shown(writes(self._services, request.session_hash, name, text, form))

        return on_event

    def branch(self, request: gr.Request, event: gr.EventData, *given: Any) -> Iterator[list[Any]]:
        picked = event_data(event)
        branch = partial(handlers.branch, place=picked.get("place"), token_id=picked.get("id"))
        yield from self.writing(branch)(request, *given)

    def preview(self, request: gr.Request, name: str, text: str, *raw: object) -> list[Any]:
        with shown_to_visitor():
            try:
                form = writing_form(self._services, raw)
                view = handlers.preview(self._services, request.session_hash, name, text, form)
            except GPTCoreError as error:  # in the chart's place: a notice at every key would be a nuisance
                view = handlers.refused(self._services, request.session_hash, error)
            warned = handlers.ends_in_open_space(self._services, name, text)
        return [gr.Row(visible=warned), gr.skip() if view.distribution is None else view.distribution]

    def redraw(self, request: gr.Request, *raw: object) -> Any:
        with shown_to_visitor():
            view = handlers.redraw(self._services, request.session_hash, sampling_of(raw))
        return gr.skip() if view.distribution is None else view.distribution

    def undo(self, request: gr.Request, name: str, text: str, *raw: object) -> list[Any]:
        with shown_to_visitor():
            return _values(handlers.undo(self._services, request.session_hash, name, sampling_of(raw)))

    def opened(self, request: gr.Request, name: str, text: str, *raw: object) -> Iterator[list[Any]]:
        with shown_to_visitor():
            try:
                form = writing_form(self._services, raw)
            except GPTCoreError as error:
                yield _values(handlers.refused(self._services, request.session_hash, error))
                return
            yield from self._shown(first_text(self._services, request.session_hash, name, text, form))

    def preset(self, preset: str) -> list[Any]:
        """Moves the sliders to a strategy."""
        with shown_to_visitor():
            if not isinstance(preset, str) or preset not in STRATEGIES:
                raise InputError(f"There is no strategy {str(preset)[:40]!r}; choose one of {', '.join(STRATEGIES)}.")
            return _moved(STRATEGIES[preset])

    def use(self, event: gr.EventData) -> list[Any]:
        """Moves the sliders to the settings that a component sent; what it leaves out is switched off."""
        neutral = {name: control.neutral for name, control in CONTROLS.items()}
        with shown_to_visitor():
            sent = {name: value for name, value in event_data(event).items() if name in CONTROLS}
            return _moved(inputs.sampling({**neutral, **sent}))
