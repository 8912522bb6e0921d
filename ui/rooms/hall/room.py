"""Leading and following, on every tab."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import gradio as gr
from gradio.events import Dependency

from ui.errors import shown_to_visitor
from ui.payloads import LinkRequest, fields
from ui.rooms.hall.handlers import leading
from ui.services import Services
from ui.shared import inputs, picker
from ui.shared.files import component
from ui.shared.lens import Call
from ui.shared.qr import qr_svg
from ui.shared.wiring import QUIET, event_data, served


@dataclass(frozen=True)
class Hall:
    """Events of a page that follows, or gives a talk."""

    opens: Call  # picks a model
    fills: Callable[..., Dependency]  # brings a link whose fields are to be set: listener


def hall(services: Services, model: gr.Dropdown) -> Hall:
    """Lays out what a speaker and those who follow see, which is nothing at first, and wires it."""
    asked = served(services, leading.lead, leading.follow, leading.speaker_notes, code)
    view = component(
        "",
        "<div></div>",
        "rooms/hall/view/hall_view.js",
        needs=(),
        events=("open", "fill"),
        server_functions=asked,
        elem_id="hall",
    )

    def on_open(event: gr.EventData) -> Any:
        with shown_to_visitor():
            name = inputs.model_name(event_data(event).get("model"))
        return gr.Dropdown(choices=picker.choices_with(services, name), value=name)

    return Hall(
        Call(view.open, {"fn": on_open, "inputs": None, "outputs": model, **QUIET}), view.fill
    )


def code(_: Services, request: Annotated[object, LinkRequest]) -> str | None:
    """A link's QR code as SVG. None where it is not a link."""
    (link,) = fields(request, "link")
    return None if link is None else qr_svg(link)
