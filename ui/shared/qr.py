"""QR codes of links, for phones."""

import io
from urllib.parse import urlsplit

import segno

_LONGEST = 1_000  # characters of a link


def qr_terminal(link: str) -> str:
    """A link's QR code as text, for a terminal."""
    drawn = io.StringIO()
    segno.make(link, micro=False, error="l").terminal(drawn, compact=True)
    return drawn.getvalue()


def qr_svg(link: object) -> str | None:
    """A link's QR code as an SVG element; None for what is no link, or too long for one."""
    if not isinstance(link, str) or len(link) > _LONGEST or urlsplit(link).scheme not in ("http", "https"):
        return None
    return segno.make(link, micro=False, error="m").svg_inline(border=3, dark="#000", light="#fff", omitsize=True)
