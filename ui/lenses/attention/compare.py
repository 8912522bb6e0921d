"""The Attention tab's comparison: two texts of equal length, or two models of one shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention import figures
from ui.lenses.attention.handlers import compare as handlers
from ui.lenses.attention.handlers.example import AttentionExample
from ui.lenses.attention.payloads import HeadMap, HeadPictureRequest, HeadRequest
from ui.lenses.attention.view.attention_view import attention_view
from ui.payloads import fields
from ui.services import Services
from ui.shared.lens import Event, Wiring
from ui.shared.slide import is_kind


@dataclass(frozen=True)
class Compared:
    """The view's interface to the tab: both texts, and the event that compares again, as keyword arguments."""

    text_a: gr.Textbox
    text_b: gr.Textbox
    compare: Event


def compare_view(services: Services, model: gr.Dropdown, example: AttentionExample, model_work: Wiring) -> Compared:
    """A minus B, on a scale that is centred on zero; B may be another text, another model, or both."""
    choices = [(choice.label, choice.name) for choice in services.models.choices()]
    with gr.Row(equal_height=False):
        with gr.Column(min_width=300):
            text_a = gr.Textbox(
                example.text, label="Text A, read by the model above", lines=2, max_lines=4, elem_id="text-a"
            )
        with gr.Column(min_width=300):
            text_b = gr.Textbox(
                example.other_text, label="Text B (same number of tokens)", lines=2, max_lines=4, elem_id="text-b"
            )
        with gr.Column(min_width=200):
            same = gr.Checkbox(True, label="B is read by the same model", elem_id="same-model")
            model_b = gr.Dropdown(
                choices,
                value=services.models.default,
                label="or by",
                elem_id="model-b",
                interactive=True,
                allow_custom_value=services.limits.any_model,
                container=False,
            )
            start = gr.Button("Compare", variant="primary", elem_id="compare-heads")
    view = attention_view(
        example.compared, server_functions=_server_functions(services), signed=True, elem_id="attention-difference"
    )

    def on_compare(request: gr.Request, name_a: str, text: str, other: str, alike: bool, name_b: str) -> str:
        with shown_to_visitor():
            second = name_a if alike is True else name_b
            return handlers.compare(services, request.session_hash, name_a, text, second, other)

    inputs = [model, text_a, text_b, same, model_b]
    gr.on([start.click, text_a.submit, text_b.submit], on_compare, inputs, view, **model_work)
    view.expired(on_compare, inputs, view, **model_work)
    return Compared(text_a, text_b, {"fn": on_compare, "inputs": inputs, "outputs": view, **model_work})


def _server_functions(services: Services) -> list[Callable[..., Any]]:
    def head_map(request: Annotated[object, HeadRequest]) -> HeadMap | None:
        return handlers.head_difference(services, request)

    def picture(request: Annotated[object, HeadPictureRequest]) -> str | None:
        kind, dark = fields(request, "format", "dark")
        found = handlers.both(services, request)
        if found is None or not is_kind(kind):
            return None
        a, b = found
        same = a.kept.name == b.kept.name
        what = f"{a.kept.name}, text A minus text B" if same else f"A ({a.kept.name}) minus B ({b.kept.name})"
        title = f"{what} · layer {a.layer}, head {a.head}"
        causal, labels = a.kept.reading.causal, handlers.joined_labels(a, b)
        return figures.draw_map(
            a.weights - b.weights, labels, title, kind, dark=dark is True, causal=causal, signed=True
        )

    return [head_map, picture]
