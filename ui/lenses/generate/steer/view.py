"""Lays out steering: one text with and one without a direction added to the residual stream."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.generate.handlers.forms import SteerFields
from ui.lenses.generate.steer import VIEW, steering
from ui.lenses.generate.steer.steering import EXAMPLES
from ui.shared.fields import fields_of
from ui.shared.form_controls import control
from ui.shared.site import Asked, Site
from ui.shared.view.sentence import sentence_view
from ui.shared.view.sheet_view import sheet_view
from ui.shared.view.token_stream import token_stream
from ui.shared.waiting import when_idle
from ui.shared.wiring import QUIET, stop_event

_FIRST = next(iter(EXAMPLES))
_TAKES = ("model", "prompt", *fields_of(SteerFields))
_ABOUT = (
    "Subtract the model’s average state on one kind of text from that on another, such as "
    "happy from sad. Adding the difference while it writes makes the text sadder."
)


def lay_out(site: Site[Any]) -> None:
    """Lays out the view and wires it; it writes by itself when it is opened for the first time."""
    services = site.services
    fields = site.fields
    gr.Markdown(_ABOUT, elem_classes="hint")
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=300):
            example = gr.Dropdown(
                list(EXAMPLES),
                value=_FIRST,
                label="Examples",
                elem_id="steer-examples",
                interactive=True,
            )
            strength = site.add("strength", control(SteerFields, "", "strength"), VIEW.name)
            with gr.Row(elem_classes="steps"):
                start = gr.Button(
                    "Write both", variant="primary", elem_id="steer-start", min_width=0
                )
                stop = gr.Button("Stop", variant="stop", elem_id="steer-stop", min_width=0)
            sides = _direction(site)
        with gr.Column(scale=2, min_width=330):
            parts = _answers()

    def steer(
        request: gr.Request, model: str, prompt: str, *values: object
    ) -> Iterator[dict[Any, Any]]:
        form = steering.SteeringForm(*values)
        with shown_to_visitor():
            changes = steering.steer(services, request.session_hash, model, prompt, form)
            for changed in changes:
                yield {parts[name]: value for name, value in changed.items()}

    def on_example(chosen: str) -> list[str]:
        return ["\n".join(side) for side in EXAMPLES.get(chosen, EXAMPLES[_FIRST])]

    outputs = list(parts.values())
    asked = Asked(steer, _TAKES, outputs, options=site.model_work)
    first = Asked(when_idle(services, steer), _TAKES, outputs, options=site.model_work)
    fields.keep(parts["plain"], first)
    for listener in (start.click, strength.release):
        fields.listen(listener, asked)
    chosen = example.input(on_example, example, sides, queue=False, **QUIET)
    fields.note(chosen, sides)
    fields.listen(chosen.success, asked)
    stop.click(stop_event(services), queue=False, **QUIET)


def _answers() -> dict[str, gr.HTML]:
    """Adds the two texts, the cost of steering and the conclusion; returns their components, named
    as in `steering.SHOWN`.
    """
    parts = {"said": sentence_view(needs=_TAKES, elem_id="steer-said")}
    with gr.Row(equal_height=False):
        for name, title, label in (
            ("plain", "As it is", "Text without steering"),
            ("steered", "Steered", "Steered text"),
        ):
            with gr.Column(min_width=250):
                gr.Markdown(f"#### {title}")
                asks = "first" if name == "plain" else ""
                parts[name] = token_stream(
                    label=label, needs=_TAKES, asks=asks, compact=True, elem_id=f"steer-{name}"
                )
    parts["costs"] = sheet_view("", name="steering", needs=_TAKES, elem_id="steer-costs")
    return parts


def _direction(site: Site[Any]) -> list[Any]:
    """The texts of both kinds, the depth, and the seed; gives the boxes of the texts."""
    with gr.Accordion("Texts of both kinds, depth, seed", open=False, elem_id="steer-more"):
        sides = []
        for name, lines in zip(("towards", "away"), EXAMPLES[_FIRST], strict=True):
            box = control(SteerFields, "", name, value="\n".join(lines), max_lines=None)
            sides.append(site.add(name, box, VIEW.name))
        with gr.Row():
            for name in ("steer_depth", "steer_seed"):
                site.add(name, control(SteerFields, "", name), VIEW.name)
    return sides
