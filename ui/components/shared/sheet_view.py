"""Tables in sections."""

from __future__ import annotations

import gradio as gr

from ui.components.files import component
from ui.components.shared.save_menu import save_menu

_SHEET = """
<div class="sh-box"></div>
<div class="ts-tools" hidden>SAVE<span class="ts-said" role="status"></span></div>
""".replace("SAVE", save_menu("csv"))


def sheet_view(value: str = "", *, name: str, elem_id: str) -> gr.HTML:
    """Tables in sections; the value is JSON of `ui.handlers.sheets`, `name` that of a saved file."""
    return component(
        value,
        _SHEET,
        "shared/sheet_view.js",
        given={"name": name},
        elem_id=elem_id,
    )
