"""The component of a prompt in its parts, of ways of asking, and of what an answer used."""

from collections.abc import Sequence

import gradio as gr

from ui.shared.files import Asks, component
from ui.shared.view.save_menu import save_menu

_VIEW = """
<div class="zs-message u-aside" role="status"></div>
<div class="zs-box"></div>
<div class="ts-tools u-row u-type-xs" hidden><button type="button" data-do="copy">Copy prompt</button>
SAVE
<span class="ts-said u-muted" role="status"></span></div>
""".replace("SAVE", save_menu("json", "csv", "png", "svg"))


def prompt_view(
    value: str = "", *, name: str, needs: Sequence[str], asks: Asks = "", elem_id: str
) -> gr.HTML:
    """JSON with "parts", "ways" or "uses", as the handlers make it; `name` is that of its files."""
    return component(
        value,
        _VIEW,
        "lenses/zero_shot/view/zero_shot_view.js",
        needs=needs,
        asks=asks,
        given={"name": name},
        elem_id=elem_id,
    )


def asking_buttons(
    title: str, name: str, stop: str | None = None, width: int = 150
) -> tuple[gr.Button, gr.Button]:
    """The button that asks, and Stop."""
    with gr.Row(elem_classes="zs-buttons"):
        start = gr.Button(title, variant="primary", elem_id=f"zs-{name}", min_width=width)
        stop_id = stop and f"zs-{stop}"
        return start, gr.Button("Stop", variant="stop", elem_id=stop_id, min_width=80)
