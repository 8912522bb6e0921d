"""Lays out the view of two sentences: what one's run, copied into the other's, changes, and where
attention differs.
"""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers.example import AttentionExample
from ui.lenses.attention.handlers.forms import PairFields
from ui.lenses.attention.pair import VIEW, difference, patching
from ui.lenses.attention.pair.templates import PATCH
from ui.lenses.attention.view.attention_view import attention_view
from ui.shared.files import component
from ui.shared.form_controls import control
from ui.shared.lens import Event
from ui.shared.site import Asked, Site
from ui.shared.waiting import when_idle
from ui.shared.wiring import QUIET, filling, served, stop_event

_TEXTS = ("pair_a", "pair_b")
_PATCHED = ("model", *_TEXTS)
_READ = (*_PATCHED, "same_model", "model_b")


def lay_out(site: Site[AttentionExample]) -> list[Event]:
    """Lays out the view and wires it; returns the event of another model being opened."""
    services = site.services
    example, start, stop = _texts(site)
    gr.Markdown("### Which word of A, copied into B, gives A’s answer?", elem_classes="section")
    grid = component(
        "",
        PATCH,
        "lenses/attention/pair/view.js",
        needs=_PATCHED,
        asks="first",
        server_functions=served(services, patching.patched),
        elem_id="patching",
    )
    gr.Markdown("### Where does attention differ?", elem_classes="section")
    heads = attention_view(
        needs=_READ,
        asks="always",
        server_functions=served(services, difference.head_difference),
        signed=True,
        elem_id="attention-difference",
    )
    _readers(site)

    def subtract(request: gr.Request, name: str, a: str, b: str, alike: bool, name_b: str) -> str:
        with shown_to_visitor():
            reader = name if alike is True else name_b
            return difference.compare(services, request.session_hash, name, a, reader, b)

    def patch(request: gr.Request, name: str, a: str, b: str) -> Iterator[Any]:
        with shown_to_visitor():
            yield from patching.grid(services, request.session_hash, name, a, b)

    patched = Asked(patch, _PATCHED, [grid], options=site.model_work)
    site.fields.keep(
        grid, Asked(when_idle(services, patch), _PATCHED, [grid], options=site.model_work)
    )
    site.fields.keep(heads, Asked(subtract, _READ, [heads], options=site.model_work))
    site.fields.listen(heads.expired, Asked(subtract, _READ, [heads], options=site.model_work))
    for listener in (start.click, *(box.submit for box in _boxes(site))):
        site.fields.listen(listener, patched)
    boxes: dict[str, Any] = dict(zip(_TEXTS, _boxes(site), strict=True))
    chosen = example.input(
        filling(_on_example, boxes), [site.model, example], _boxes(site), queue=False, **QUIET
    )
    site.fields.note(chosen, _boxes(site))
    site.fields.listen(chosen.success, patched)
    stop.click(stop_event(services), queue=False, **QUIET)
    return [
        {
            "fn": filling(_on_model, {"example": example, **boxes}),
            "inputs": [site.model, *_boxes(site)],
            "outputs": [example, *_boxes(site)],
            "queue": False,
            **QUIET,
        }
    ]


def _texts(site: Site[AttentionExample]) -> tuple[gr.Dropdown, gr.Button, gr.Button]:
    """The two text boxes; returns the choice of examples, and the buttons that compare and stop."""
    pairs = patching.pairs(site.services.models.default)
    with gr.Row(equal_height=False):
        for name, text in zip(("pair_a", "pair_b"), pairs[0], strict=True):
            site.add(name, control(PairFields, "", name, value=text), VIEW.name)
        with gr.Column(min_width=200):
            example = gr.Dropdown(
                _names(pairs),
                value=0,
                label="Examples",
                elem_id="pair-examples",
                interactive=True,
                min_width=160,
            )
            with gr.Row(elem_classes="steps"):
                start = gr.Button("Compare", variant="primary", elem_id="pair-start", min_width=0)
                stop = gr.Button("Stop", variant="stop", elem_id="pair-stop", min_width=0)
    return example, start, stop


def _on_example(name: str, index: int) -> dict[str, Any]:
    """The two texts of a chosen example."""
    with shown_to_visitor():
        known = patching.pairs(name)
    if not isinstance(index, int) or not 0 <= index < len(known):
        return {}
    return dict(zip(_TEXTS, known[index], strict=True))


def _readers(site: Site[AttentionExample]) -> None:
    """Adds the controls that choose the model of the second sentence."""
    models = site.services.models
    with gr.Row(elem_classes="switches"):
        site.add("same_model", control(PairFields, "", "same_model"), VIEW.name)
        choices = [(choice.label, choice.name) for choice in models.choices()]
        reader = gr.Dropdown(
            choices,
            value=models.default,
            label="Model of B",
            elem_id="model-b",
            interactive=True,
            allow_custom_value=site.services.limits.any_model,
        )
        site.add("model_b", reader, VIEW.name)


def _boxes(site: Site[AttentionExample]) -> list[Any]:
    return [site.fields[name] for name in _TEXTS]


def _on_model(name: str, a: str, b: str) -> dict[str, Any]:
    """The examples of a newly opened model; a pair that the visitor has written stays."""
    with shown_to_visitor():
        known = patching.pairs(name)
    stays = (a, b) in known or not patching.is_example(a, b)
    offered: dict[str, Any] = {"example": gr.Dropdown(_names(known), value=0)}
    return offered if stays else {**offered, **dict(zip(_TEXTS, known[0], strict=True))}


def _names(pairs: tuple[tuple[str, str], ...]) -> list[tuple[str, int]]:
    return [(first.replace("\n", " "), index) for index, (first, _) in enumerate(pairs)]
