"""Shared layout of slide images: 16:9, light or dark theme, readable from the back of a room."""

from __future__ import annotations

import base64
import io
import json
from typing import Any, NamedTuple, TypeGuard

from ui.payloads import fields

KINDS = {"png": "image/png", "svg": "image/svg+xml"}
SIZE = (13.33, 7.5)
_EDGE = 0.18  # inches


def is_kind(value: object) -> TypeGuard[str]:
    """Whether this is a supported image format; requests are untrusted."""
    return isinstance(value, str) and value in KINDS


def read_request(request: object, *, most: int) -> tuple[Any, str, bool]:
    """(what the JSON of the value says, format, whether the page is dark) of a `SlideRequest`.

    Raises:
        TypeError, ValueError: an invalid request, or a text of more characters than `most`.
    """
    text, kind, dark = fields(request, "value", "format", "dark")
    if not isinstance(text, str) or len(text) > most or not is_kind(kind):
        raise ValueError("no request for a slide")
    return json.loads(text), kind, dark is True


class Colors(NamedTuple):
    """Slide palette: background, text, bars and muted, as on the page."""

    paper: str
    ink: str
    bar: str
    muted: str


LIGHT = Colors("white", "#161c2b", "#3c99c6", "#d8dce8")
DARK = Colors("#0d111c", "#eceef5", "#3c99c6", "#384158")


def colors(dark: bool) -> Colors:
    """Those of a slide on a white or a dark screen."""
    return DARK if dark else LIGHT


def data_url(figure: Any, kind: str) -> str:
    """A matplotlib figure as a data URL, "png" (200 dpi) or "svg"."""
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.set(w_pad=_EDGE, h_pad=_EDGE)  # nothing touches the edge of the slide
    target = io.BytesIO()
    figure.savefig(target, format=kind, dpi=200, facecolor=figure.get_facecolor())
    return f"data:{KINDS[kind]};base64,{base64.b64encode(target.getvalue()).decode()}"


def percent(p: float) -> str:
    """A probability as the page shows it."""
    if p >= 0.9995:
        return "100%" if p >= 1 else ">99.9%"
    if p >= 0.1:
        return f"{100 * p:.1f}%"
    return f"{100 * p:.2g}%" if p >= 0.0001 else "<0.01%"


def shortened(text: str, most: int) -> str:
    """Truncates a text at a word boundary and adds an ellipsis."""
    if len(text) <= most:
        return text
    return f"{text[:most].rpartition(' ')[0] or text[:most]}…"


def visible(label: str, most: int = 24) -> str:
    """A token with visible spaces and newlines, escaped for matplotlib."""
    shown = label[:most].replace("\n", "⏎").replace("\t", "⇥").replace("$", r"\$")
    return "␣" + shown[1:] if shown.startswith(" ") else shown
