"""The page whose event is being handled in this thread."""

from __future__ import annotations

from gradio.context import LocalContext


def current_page() -> str:
    """Its session's name; "" outside an event, and for a program that named none."""
    request = LocalContext.request.get(None)
    return getattr(request, "session_hash", None) or ""
