"""Lays out the comparison of strategies: up to five on one prompt, and what each does to one
guess.
"""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.generate.compare import VIEW, comparing, probabilities
from ui.lenses.generate.compare.templates import STRATEGIES
from ui.lenses.generate.handlers.forms import MORE, SAMPLING, CompareFields, writing_form
from ui.lenses.generate.handlers.strategies import guides
from ui.lenses.generate.write.view import sampling_sent
from ui.shared.fields import fields_of
from ui.shared.files import component
from ui.shared.form_controls import control
from ui.shared.site import Asked, Site
from ui.shared.view.token_stream import token_stream
from ui.shared.waiting import when_idle
from ui.shared.wiring import QUIET, served, stop_event

COLUMNS = tuple(name for name in fields_of(CompareFields) if name.startswith("strategy_"))
_COMMON = ("model", "prompt", "same_numbers", *SAMPLING, "seed")
_TAKES = (*_COMMON, *COLUMNS)


def lay_out(site: Site[Any]) -> None:
    """Lays out the view and wires it; length, seed and speed are those of the view that writes."""
    services = site.services
    fields = site.fields
    start, stop = _buttons(site)
    streams = _text_columns(site)
    guide = component(
        "",
        STRATEGIES,
        "lenses/generate/compare/view.js",
        needs=("model", "prompt"),
        asks="always",
        events=("pick",),
        given={"guides": guides()},
        server_functions=served(services, probabilities.probabilities),
        elem_id="strategies",
    )

    def compare(request: gr.Request, *values: object) -> Iterator[dict[Any, Any]]:
        given = dict(zip([*_TAKES, *MORE], values, strict=True))
        with shown_to_visitor():
            texts = comparing.compare(
                services,
                request.session_hash,
                given["model"],
                given["prompt"],
                writing_form(services, given),
                [given[name] for name in COLUMNS],
                given["same_numbers"],
            )
            for text_of_each, seed in texts:
                yield {**dict(zip(streams, text_of_each, strict=True)), fields["seed"]: seed}

    def use(event: gr.EventData) -> list[Any]:
        with shown_to_visitor():
            return list(sampling_sent(event).on_controls().values())

    outputs = [*streams, fields["seed"]]
    more = [fields[name] for name in MORE]
    options = {**site.model_work, "trigger_mode": "multiple"}
    fields.listen(start.click, Asked(compare, _TAKES, outputs, more, options=options))
    first = Asked(when_idle(services, compare), _TAKES, outputs, more, options=site.model_work)
    fields.keep(streams[0], first)
    stop.click(stop_event(services), queue=False, **QUIET)
    sliders = [fields[name] for name in SAMPLING]
    fields.note(guide.pick(use, None, sliders, **QUIET), sliders)


def _buttons(site: Site[Any]) -> tuple[gr.Button, gr.Button]:
    """The row of buttons that start and stop."""
    with gr.Row():
        start = gr.Button(
            "Write all", variant="primary", elem_id="compare-start", min_width=120, scale=0
        )
        stop = gr.Button("Stop", variant="stop", elem_id="compare-stop", min_width=90, scale=0)
        site.add(
            "same_numbers", control(CompareFields, "", "same_numbers", min_width=260), VIEW.name
        )
    return start, stop


def _text_columns(site: Site[Any]) -> list[gr.HTML]:
    """A column for each strategy: its choice and its text. Returns the texts."""
    streams = []
    with gr.Row(elem_classes="compare"):
        for index, name in enumerate(COLUMNS):
            with gr.Column(min_width=200):
                site.add(name, control(CompareFields, "", name), VIEW.name)
                stream = token_stream(
                    label=f"Text of strategy {index + 1}",
                    needs=(*_COMMON, name),
                    asks="" if index else "first",
                    compact=True,
                    elem_id=f"compared-{index}",
                )
                streams.append(stream)
    return streams
