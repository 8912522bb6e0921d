"""Imports gradio without what it does for editors: half of the time that it takes.

Whenever it is imported, Gradio reads and parses the source and the type stub of each of its components, to write the
stub anew if need be. It leaves out classes that are in no file, and is told here that all are such.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

from ui.server.gradio_internals import apply

_getfile = inspect.getfile


def _in_no_file(described: Any) -> str:
    if sys._getframe(1).f_globals.get("__name__") == "gradio.component_meta":
        raise OSError("no stub is wanted")
    return _getfile(described)


def _import_quickly() -> None:
    inspect.getfile = _in_no_file
    try:
        import gradio  # noqa: F401
    finally:
        inspect.getfile = _getfile


apply("quick import", _import_quickly)
