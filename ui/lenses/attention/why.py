"""The Attention tab's view of causes: why a word, and what one sentence's run carries into another's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers import circuit, formed, patching, why
from ui.lenses.attention.view.why_views import patch_view, why_view
from ui.services import Services
from ui.shared.lens import Event, Wiring
from ui.shared.opening import Opening
from ui.shared.wiring import QUIET, or_nothing, served, stop_event, while_computing


@dataclass(frozen=True)
class Causes:
    """What the tab needs of the view.

    Attributes:
        on_model: what to do when another model has been opened.
        linked: what a link sets, by name.
    """

    on_model: Event
    linked: dict[str, gr.Textbox]


def causes_view(services: Services, tab: gr.Tab, model: gr.Dropdown, text: gr.Textbox, model_work: Wiring) -> Causes:
    """Lays out the view and wires it."""
    causes = why_view(
        server_functions=served(services, why.why, circuit.circuit, circuit.circuit_without, formed.formed),
        elem_id="why",
    )
    gr.Markdown(
        "### Two sentences, one grid\nWhich word of A would make B end as A does? Both need the same number of tokens.",
        elem_classes="hint",
    )
    pairs = patching.pairs(services.models.default)
    with gr.Row(equal_height=False):
        first, second = (
            gr.Textbox(pairs[0][side], label=f"Sentence {name}", lines=2, max_lines=4, elem_id=f"pair-{name.lower()}")
            for side, name in enumerate("AB")
        )
        with gr.Column(min_width=200):
            example = gr.Dropdown(
                _names(pairs), value=0, label="Examples", elem_id="pair-examples", interactive=True, min_width=160
            )
            with gr.Row(elem_classes="steps"):
                start = gr.Button("Compare", variant="primary", elem_id="pair-start", min_width=0)
                stop = gr.Button("Stop", variant="stop", elem_id="pair-stop", min_width=0)
    grid = patch_view(server_functions=served(services, patching.patched), elem_id="patching")

    def on_compare(request: gr.Request, name: str, a: str, b: str) -> Iterator[Any]:
        with shown_to_visitor():
            yield from or_nothing(patching.grid(services, request.session_hash, name, a, b), gr.skip())

    def on_example(name: str, place: int) -> list[Any]:
        with shown_to_visitor():
            known = patching.pairs(name)
            return list(known[place]) if isinstance(place, int) and 0 <= place < len(known) else [gr.skip()] * 2

    def on_model(name: str, a: str, b: str) -> list[Any]:
        with shown_to_visitor():
            known = patching.pairs(name)
        stays = (a, b) in known or not patching.is_example(a, b)  # as what a visitor has written does
        kept = [gr.skip()] * 2 if stays else known[0]
        return [gr.Dropdown(_names(known), value=0), *kept, ""]

    told = {"inputs": [model, text], "outputs": causes, "js": "(model, text) => JSON.stringify({model, text})", **QUIET}
    gr.on([tab.select, text.change, model.change], None, **told)
    given = [model, first, second]
    computing: Event = {"fn": on_compare, "inputs": given, "outputs": grid, **model_work}
    opening = Opening(services, "patching", on_compare)
    tab.select(opening.opened, given, grid, **model_work)
    while_computing(start.click, {**computing, "fn": opening.pressed})
    chosen = example.input(on_example, [model, example], [first, second], queue=False, **QUIET)
    while_computing(chosen.success, computing)
    stop.click(stop_event(services), queue=False, **QUIET)
    opened: Event = {
        "fn": on_model,
        "inputs": given,
        "outputs": [example, first, second, grid],
        "queue": False,
        **QUIET,
    }
    return Causes(opened, {"pair_a": first, "pair_b": second})


def _names(pairs: tuple[tuple[str, str], ...]) -> list[tuple[str, int]]:
    return [(first.replace("\n", " "), place) for place, (first, _) in enumerate(pairs)]
