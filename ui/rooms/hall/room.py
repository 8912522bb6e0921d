"""Leading and following, on every tab."""

from __future__ import annotations

from typing import Annotated

from ui.payloads import LinkRequest, fields
from ui.rooms.hall.handlers import leading
from ui.rooms.hall.view.hall_view import hall_view
from ui.services import Services
from ui.shared.qr import qr_svg
from ui.shared.wiring import served


def hall(services: Services) -> None:
    """Lays out what a speaker and those who follow see, which is nothing at first, and wires it."""
    hall_view(server_functions=served(services, leading.lead, leading.follow, code), elem_id="hall")


def code(_: Services, request: Annotated[object, LinkRequest]) -> str | None:
    """A link's QR code as SVG. None where it is not a link."""
    (link,) = fields(request, "link")
    return None if link is None else qr_svg(link)
