"""Tables in sections."""

from collections.abc import Sequence

import gradio as gr

from ui.shared.files import Asks, component
from ui.shared.view.save_menu import save_menu

_SHEET = """
<div class="sh-box"></div>
<div class="ts-tools u-row u-type-xs" hidden>SAVE<span class="ts-said u-muted" role="status"></span></div>
""".replace("SAVE", save_menu("csv"))


def sheet_view(
    value: str = "", *, name: str, needs: Sequence[str] = (), asks: Asks = "", elem_id: str
) -> gr.HTML:
    """Tables in sections; the value is JSON of `ui.shared.sheets`, `name` that of a saved file."""
    return component(
        value,
        _SHEET,
        "shared/view/sheet_view.js",
        needs=needs,
        asks=asks,
        given={"name": name},
        elem_id=elem_id,
    )
