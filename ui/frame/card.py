"""The card of the model in the picker: where it comes from, and whether it computes what it
should.
"""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.frame.handlers.model import card, checks
from ui.services import Services
from ui.shared import picker
from ui.shared.lens import Event, Wiring
from ui.shared.site import Asked, PageFields
from ui.shared.view.sheet_view import sheet_view
from ui.shared.wiring import QUIET, filling, stop_event


def model_card(
    services: Services, fields: PageFields, model_work: Wiring
) -> tuple[gr.Slider, gr.HTML, Event]:
    """Lays out what there is to know and to set about the model, closed, and wires it.

    Returns:
        The slider of its training, what that says, and what to do when another model has been
        opened.
    """
    hint = "Pick a model from the list, or type a folder or a Hub repository there."
    with gr.Accordion("About it", open=False, elem_id="card") as whole:
        with gr.Row(elem_id="moments"):
            moment = picker.moment_slider(services.models.default)
            moment_note = gr.HTML(
                picker.moment_said(services.models.default), elem_id="moment-said"
            )
        with gr.Row(elem_classes="steps"):
            start = gr.Button(
                "Check it", variant="primary", elem_id="verify-start", min_width=160, scale=0
            )
            stop = gr.Button("Stop", variant="stop", elem_id="verify-stop", min_width=90, scale=0)
        checked = sheet_view("", name="checks", needs=("model",), elem_id="checks")
        text = gr.Markdown("", elem_id="card-text")
        gr.Markdown(hint, visible=services.limits.any_model, elem_classes="hint")
    is_open = gr.State(False)
    model = fields["model"]

    def on_open(name: str) -> list[Any]:
        with shown_to_visitor():
            return [card(name), True]

    def on_model(name: str, opened: bool) -> dict[str, Any]:
        with shown_to_visitor():
            return {"card": card(name)} if opened else {}

    def on_check(request: gr.Request, name: str) -> Iterator[Any]:
        with shown_to_visitor():
            yield from checks(services, request.session_hash, name)

    whole.expand(on_open, model, [text, is_open], queue=False, **QUIET)
    whole.collapse(lambda: False, None, is_open, queue=False, **QUIET)
    fields.listen(start.click, Asked(on_check, ("model",), [checked], options=model_work))
    stop.click(stop_event(services), queue=False, **QUIET)
    on_opened: Event = {
        "fn": filling(on_model, {"card": text}),
        "inputs": [model, is_open],
        "outputs": text,
        "queue": False,
        **QUIET,
    }
    return moment, moment_note, on_opened
