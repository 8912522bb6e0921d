"""Lays out the view that writes: the text, the distribution of its next token, and the sliders."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from gptcore.inference.sampling_settings import CONTROLS, SamplingSettings
from ui.errors import shown_to_visitor
from ui.lenses.generate.handlers.forms import MORE, SAMPLING, WritingFields, writing_form
from ui.lenses.generate.handlers.strategies import STRATEGIES
from ui.lenses.generate.write import VIEW, score, writing
from ui.lenses.generate.write.first_text import first_text
from ui.lenses.generate.write.templates import DISTRIBUTION
from ui.services import Services
from ui.shared import inputs
from ui.shared.files import component
from ui.shared.form_controls import control
from ui.shared.inputs import InputError
from ui.shared.lens import Lens
from ui.shared.site import Asked, Site
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, event_data, follow_sentence, share_sentence, stop_event
from ui.state import token_stream as token_stream_of

_TAKES = ("model", "prompt", *SAMPLING, "seed")
_NEW_SEED = "() => [Math.floor(Math.random() * 2147483647), true]"
_SCORED = ("model", "prompt")


def lay_out(site: Site[writing.WritingExample]) -> Lens:
    """Lays out the view and wires it."""
    example = site.example
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=400):
            buttons = _buttons()
            stream = token_stream(
                example.document.stream,
                label="Generated text",
                needs=_TAKES,
                elem_id="stream",
                branching=True,
            )
            _surprise(site)
            with gr.Accordion(
                "More: seed, min-p, penalties, stop strings, speed limit, KV cache",
                open=False,
                elem_id="more",
            ):
                _seed_row(site)
                _more_controls(site)
        with gr.Column(scale=1, min_width=400):
            with gr.Row(elem_classes="presets"):
                presets = [
                    gr.Button(name, size="sm", min_width=0, elem_id=f"preset-{index}")
                    for index, name in enumerate(STRATEGIES)
                ]
            _main_sliders(site)
            chart = component(
                example.distribution,
                DISTRIBUTION,
                "lenses/generate/write/view.js",
                needs=_TAKES[:-1],
                asks="always",
                events=("pick",),
                elem_id="distribution",
            )
    return _Wiring(site, stream, chart).wire(buttons, presets)


class _Wiring:
    """The events of the view."""

    def __init__(self, site: Site[writing.WritingExample], stream: gr.HTML, chart: gr.HTML) -> None:
        self._site = site
        self._stream = stream
        self._chart = chart
        self._prompt = site.fields["prompt"]
        self._seed = site.fields["seed"]

    def wire(self, buttons: dict[str, gr.Button], presets: list[gr.Button]) -> Lens:
        site = self._site
        fields = self._site.fields
        sampling = [fields[name] for name in SAMPLING]
        writes = self._asked(self._writing(writing.write))
        writes_one = self._asked(self._writing(writing.write_one))
        continues = self._asked(self._writing(writing.continue_text))
        branches = self._asked(self._branch)
        seeds = [self._seed, fields["keep_seed"]]
        drawn = buttons["dice"].click(None, None, seeds, js=_NEW_SEED, **QUIET)
        fields.note(drawn, seeds)
        for listener, asked in (
            (buttons["generate"].click, writes),
            (drawn.success, writes),
            (self._prompt.submit, writes),
            (buttons["next"].click, writes_one),
            (self._stream.continue_text, continues),
            (self._stream.pick, branches),
            (self._chart.pick, branches),
        ):
            written = fields.listen(listener, asked)
            # a text that goes on has the prompt with which it was begun
            follow_sentence(written, self._prompt)
        buttons["stop"].click(stop_event(site.services), queue=False, **QUIET)
        undone = fields.listen(buttons["undo"].click, self._asked(self._undo))
        share_sentence(undone, self._prompt)
        more = [self._seed, *(fields[name] for name in MORE)]
        preview = Asked(self._preview, _TAKES[:-1], [self._chart], more, options=site.model_work)
        fields.keep(self._chart, preview)
        for button in presets:
            moved = button.click(self._preset, button, sampling, **QUIET)
            fields.note(moved, sampling)
        return Lens(
            linked={"stream": self._stream},
            on_model=[self._asked(self._opened)],
            on_settings=[self._asked(self._opened)],
        )

    def _asked(self, fn: Callable[..., Any]) -> Asked:
        """An event that may change all parts of the view."""
        outputs = [self._prompt, self._stream, self._seed, self._chart]
        more = [self._site.fields[name] for name in MORE]
        options = {**self._site.model_work, "trigger_mode": "multiple"}
        return Asked(fn, _TAKES, outputs, more, options=options)

    def _form(self, values: tuple[object, ...]) -> inputs.WritingForm:
        named = dict(zip([*SAMPLING, "seed", *MORE], values, strict=True))
        return writing_form(self._site.services, named)

    def _parts(self, view: writing.View) -> dict[Any, Any]:
        parts = {
            self._prompt: view.prompt,
            self._stream: view.stream,
            self._seed: view.seed,
            self._chart: view.distribution,
        }
        return {component: value for component, value in parts.items() if value is not None}

    def _writing(
        self, write: Callable[..., Iterator[writing.View]]
    ) -> Callable[..., Iterator[Any]]:
        """The event of a handler that takes what `writing.write` does."""

        def on_event(request: gr.Request, name: str, text: str, *values: object) -> Iterator[Any]:
            with shown_to_visitor():
                form = self._form(values)
                views = write(self._site.services, request.session_hash, name, text, form)
                yield from map(self._parts, views)

        return on_event

    def _branch(self, request: gr.Request, event: gr.EventData, *given: Any) -> Iterator[Any]:
        picked = event_data(event)
        branch = partial(writing.branch, place=picked.get("place"), token_id=picked.get("id"))
        yield from self._writing(branch)(request, *given)

    def _preview(
        self, request: gr.Request, name: str, text: str, *values: object
    ) -> dict[Any, Any]:
        services = self._site.services
        visitor = request.session_hash
        with shown_to_visitor():
            try:
                view = writing.preview(services, visitor, name, text, self._form(values))
            except (
                GPTCoreError
            ) as error:  # in the chart's place: a notice at every key would be a nuisance
                view = writing.refused(services, visitor, error)
        return self._parts(view)

    def _undo(self, request: gr.Request, name: str, _: str, *values: object) -> dict[Any, Any]:
        with shown_to_visitor():
            sampling = self._form(values).sampling
            return self._parts(
                writing.undo(self._site.services, request.session_hash, name, sampling)
            )

    def _opened(self, request: gr.Request, name: str, text: str, *values: object) -> Iterator[Any]:
        services = self._site.services
        visitor = request.session_hash
        with shown_to_visitor():
            try:
                form = self._form(values)
            except GPTCoreError as error:
                yield self._parts(writing.refused(services, visitor, error))
                return
            yield from map(self._parts, first_text(services, visitor, name, text, form))

    def _preset(self, preset: str) -> list[Any]:
        """Moves the sliders to a strategy."""
        with shown_to_visitor():
            if not isinstance(preset, str) or preset not in STRATEGIES:
                known = ", ".join(STRATEGIES)
                raise InputError(
                    f"There is no strategy {str(preset)[:40]!r}; choose one of {known}."
                )
            return list(STRATEGIES[preset].on_controls().values())


def sampling_sent(event: gr.EventData) -> SamplingSettings:
    """The settings that a component sent; what it leaves out is switched off. Raises InputError."""
    neutral = {name: setting.neutral for name, setting in CONTROLS.items()}
    sent = {name: value for name, value in event_data(event).items() if name in CONTROLS}
    return inputs.sampling({**neutral, **sent})


def _buttons() -> dict[str, gr.Button]:
    """The buttons that write."""
    with gr.Row(elem_classes="steps"):
        return {
            "generate": gr.Button("Generate", variant="primary", elem_id="generate", min_width=0),
            "dice": gr.Button("New dice", elem_id="new-seed", min_width=0),
            "next": gr.Button("Next token", elem_id="next-token", min_width=0),
            "stop": gr.Button("Stop", variant="stop", elem_id="stop", min_width=0),
            "undo": gr.Button("Undo", elem_id="undo", min_width=0),
        }


def _surprise(site: Site[Any]) -> None:
    """A switch: the strip's text, coloured by how little the model expected each token."""
    shown = site.add("surprise", control(WritingFields, "", "surprise", container=False), VIEW.name)
    with gr.Column(visible=False) as box:
        stream = token_stream(
            label="Surprise in your text", needs=_SCORED, asks="always", elem_id="scored"
        )

    def show(wanted: object) -> gr.Column:
        return gr.Column(visible=wanted is True)

    shown.change(show, shown, box, queue=False, **QUIET)
    site.fields.keep(
        stream, Asked(_scoring(site.services), _SCORED, [stream], options=site.model_work)
    )


def _scoring(services: Services) -> Callable[[str, str], str]:
    def on_measure(name: str, text: str) -> str:
        with shown_to_visitor():
            try:
                return score.score(services, name, text)
            except GPTCoreError as error:  # in place of the colours, also while somebody types
                return token_stream_of.serialise([token_stream_of.note(str(error))])

    return on_measure


def _main_sliders(site: Site[writing.WritingExample]) -> None:
    """The four that demonstrations move."""
    values = site.example.form.on_controls()
    with gr.Row(elem_classes="sliders"):
        for name in ("temperature", "top_k", "top_p"):
            site.add(name, control(WritingFields, "", name, value=values[name]))
        most = site.services.limits.max_new_tokens
        length = control(
            WritingFields, "", "max_new_tokens", value=values["max_new_tokens"], maximum=most
        )
        site.add("max_new_tokens", length)


def _seed_row(site: Site[writing.WritingExample]) -> None:
    """The seed, and whether it is kept."""
    bare: dict[str, Any] = {"min_width": 0, "container": False}
    with gr.Row(elem_classes="seeds"):
        seed = control(WritingFields, "", "seed", value=site.example.document.seed, **bare)
        site.add("seed", seed)
        site.add("keep_seed", control(WritingFields, "", "keep_seed", **bare))


def _more_controls(site: Site[writing.WritingExample]) -> None:
    """Adds the controls that are moved less often."""
    values = site.example.form.on_controls()
    for row in (("min_p", "repetition_penalty"), ("min_new_tokens", "no_repeat_ngram_size")):
        with gr.Row():
            for name in row:
                site.add(name, control(WritingFields, "", name, value=values[name]))
    with gr.Row():
        for name, looks in (
            ("tokens_per_second", {}),
            ("stop", {"lines": 1, "max_lines": 4, "min_width": 150}),
        ):
            site.add(name, control(WritingFields, "", name, value=values[name], **looks))
    site.add("use_cache", control(WritingFields, "", "use_cache", value=values["use_cache"]))
