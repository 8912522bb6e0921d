"""Leading and following, on every tab."""

from typing import Annotated, Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.payloads import LinkRequest, fields
from ui.rooms.hall.handlers import leading
from ui.services import Services
from ui.shared import inputs, picker
from ui.shared.files import component
from ui.shared.lens import Call
from ui.shared.qr import qr_svg
from ui.shared.wiring import QUIET, event_data, served


def hall(services: Services, model: gr.Dropdown) -> Call:
    """Lays out what a speaker and those who follow see, which is nothing at first, and wires it.

    Returns:
        The event that picks the speaker's model on a page that follows.
    """
    asked = served(services, leading.lead, leading.follow, leading.speaker_notes, code)
    view = component(
        "",
        "<div></div>",
        "rooms/hall/view/hall_view.js",
        needs=(),
        events=("open",),
        server_functions=asked,
        elem_id="hall",
    )

    def on_open(event: gr.EventData) -> Any:
        with shown_to_visitor():
            name = inputs.model_name(event_data(event).get("model"))
        return gr.Dropdown(choices=picker.choices_with(services, name), value=name)

    return Call(view.open, {"fn": on_open, "inputs": None, "outputs": model, **QUIET})


def code(_: Services, request: Annotated[object, LinkRequest]) -> str | None:
    """A link's QR code as SVG. None where it is not a link."""
    (link,) = fields(request, "link")
    return None if link is None else qr_svg(link)
