"""Imports gradio without generating type stubs, which takes half of the import time.

On every import, Gradio parses the source and the type stub of each component, to regenerate the
stub if needed. It skips classes without a source file, so the patch pretends that none has one.
"""

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
