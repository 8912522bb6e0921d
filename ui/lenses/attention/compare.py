"""The Attention tab's two sentences: what one's run carries into the other's, and where the heads look otherwise."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers import compare as handlers
from ui.lenses.attention.handlers import patching
from ui.lenses.attention.view.attention_view import attention_view
from ui.lenses.attention.view.insight_views import insight_view
from ui.services import Services
from ui.shared.lens import Event, Wiring
from ui.shared.opening import Opening
from ui.shared.sheets import message
from ui.shared.wiring import QUIET, or_nothing, served, stop_event, while_computing

_ANOTHER = "Another model is open: Compare reads both sentences with it."


def compare_view(
    services: Services, tab: gr.Tab, model: gr.Dropdown, model_work: Wiring
) -> tuple[Event, dict[str, gr.Textbox]]:
    """Lays out the view and wires it: what to do when another model has been opened, and what a link sets, by name."""
    choices = [(choice.label, choice.name) for choice in services.models.choices()]
    pairs = patching.pairs(services.models.default)
    with gr.Row(equal_height=False):
        first, second = (
            gr.Textbox(pairs[0][side], label=label, lines=2, max_lines=4, elem_id=f"pair-{name}")
            for side, (name, label) in enumerate((("a", "Sentence A"), ("b", "Sentence B (same number of tokens)")))
        )
        with gr.Column(min_width=200):
            example = gr.Dropdown(
                _names(pairs), value=0, label="Examples", elem_id="pair-examples", interactive=True, min_width=160
            )
            with gr.Row(elem_classes="steps"):
                start = gr.Button("Compare", variant="primary", elem_id="pair-start", min_width=0)
                stop = gr.Button("Stop", variant="stop", elem_id="pair-stop", min_width=0)
    gr.Markdown("### Which word of A would make B end as A does?", elem_classes="section")
    grid = insight_view("patch_view", server_functions=served(services, patching.patched), elem_id="patching")
    gr.Markdown("### Where do the heads look otherwise?", elem_classes="section")
    view = attention_view(
        server_functions=served(services, handlers.head_difference), signed=True, elem_id="attention-difference"
    )
    with gr.Row(elem_classes="switches"):
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

    def on_heads(request: gr.Request, name: str, a: str, b: str, alike: bool, name_b: str) -> str:
        with shown_to_visitor():
            return handlers.compare(services, request.session_hash, name, a, name if alike is True else name_b, b)

    def on_compare(request: gr.Request, name: str, a: str, b: str, alike: bool, name_b: str) -> Iterator[list[Any]]:
        yield [gr.skip(), on_heads(request, name, a, b, alike, name_b)]
        with shown_to_visitor():
            values = patching.grid(services, request.session_hash, name, a, b)
            yield from or_nothing(([value, gr.skip()] for value in values), [gr.skip()] * 2)

    def on_example(name: str, place: int) -> list[Any]:
        with shown_to_visitor():
            known = patching.pairs(name)
            return list(known[place]) if isinstance(place, int) and 0 <= place < len(known) else [gr.skip()] * 2

    def on_model(name: str, a: str, b: str) -> list[Any]:
        with shown_to_visitor():
            known = patching.pairs(name)
        stays = (a, b) in known or not patching.is_example(a, b)  # as what a visitor has written does
        kept = [gr.skip()] * 2 if stays else known[0]
        return [gr.Dropdown(_names(known), value=0), *kept, message(_ANOTHER), message(_ANOTHER)]

    given = [model, first, second, same, model_b]
    computing: Event = {"fn": on_compare, "inputs": given, "outputs": [grid, view], **model_work}
    opening = Opening(services, "patching", on_compare)
    tab.select(opening.opened, given, [grid, view], **model_work)
    for listener in (start.click, first.submit, second.submit):
        while_computing(listener, {**computing, "fn": opening.pressed})
    chosen = example.input(on_example, [model, example], [first, second], queue=False, **QUIET)
    while_computing(chosen.success, computing)
    for listener in (same.input, model_b.input, view.expired):
        listener(on_heads, given, view, **model_work)
    stop.click(stop_event(services), queue=False, **QUIET)
    outputs = [example, first, second, grid, view]
    opened: Event = {"fn": on_model, "inputs": given[:3], "outputs": outputs, "queue": False, **QUIET}
    return opened, {"pair_a": first, "pair_b": second}


def _names(pairs: tuple[tuple[str, str], ...]) -> list[tuple[str, int]]:
    return [(first.replace("\n", " "), place) for place, (first, _) in enumerate(pairs)]
