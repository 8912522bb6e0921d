"""Shared layout of slide images: 16:9, light or dark theme, readable from the back of a room."""

import base64
import io
from typing import Any, NamedTuple

SIZE = (13.33, 7.5)
_EDGE = 0.18  # inches


class Colors(NamedTuple):
    """Slide palette: background, text, bars and muted, as on the page."""

    paper: str
    ink: str
    bar: str
    muted: str


LIGHT = Colors("white", "#161c2b", "#3c99c6", "#d8dce8")
DARK = Colors("#0d111c", "#eceef5", "#3c99c6", "#384158")
# Colours that no picture has; see `in_both_themes`.
PLACEHOLDERS = Colors("#010203", "#010204", "#010205", "#010206")


def in_both_themes(svg: str) -> tuple[str, str]:
    """A picture that was drawn in the colours of `PLACEHOLDERS`, light and dark."""
    light = svg
    dark = svg
    for placeholder, bright, night in zip(PLACEHOLDERS, LIGHT, DARK, strict=True):
        light = light.replace(placeholder, bright)
        dark = dark.replace(placeholder, night)
    return light, dark


def data_urls(figure: Any) -> tuple[str, str]:
    """A figure in the colours of `PLACEHOLDERS` as two data URLs of SVGs, light and dark."""
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.set(w_pad=_EDGE, h_pad=_EDGE)  # nothing touches the edge of the slide
    target = io.StringIO()
    figure.savefig(target, format="svg", dpi=200, facecolor=figure.get_facecolor())
    light, dark = in_both_themes(target.getvalue())
    return _data_url(light), _data_url(dark)


def _data_url(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
