"""Links for phones: QR codes, and this machine's address on the local network."""

import io
import ipaddress
import socket
from urllib.parse import urlsplit

import segno

EVERYWHERE = "0.0.0.0"
# reserved for documentation (RFC 5737): asked for a route, sent nothing
_ELSEWHERE = ("192.0.2.1", 9)
_LONGEST = 1_000  # characters of a link


def own_address() -> str:
    """This machine's address on the local network; "" if it is on none.

    Connecting a UDP socket chooses a route and sends nothing.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
            address = probe.getsockname()[0]
        except OSError:
            return ""
    return "" if ipaddress.ip_address(address).is_loopback or address == EVERYWHERE else address


def qr_terminal(link: str) -> str:
    """A link's QR code as text, for a terminal."""
    drawn = io.StringIO()
    segno.make(link, micro=False, error="l").terminal(drawn, compact=True)
    return drawn.getvalue()


def qr_svg(link: object) -> str | None:
    """A link's QR code as an SVG element; None for what is no link, or too long for one."""
    if (
        not isinstance(link, str)
        or len(link) > _LONGEST
        or urlsplit(link).scheme not in ("http", "https")
    ):
        return None
    return segno.make(link, micro=False, error="m").svg_inline(
        border=3, dark="#000", light="#fff", omitsize=True
    )
