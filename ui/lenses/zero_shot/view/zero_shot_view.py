"""Views of a zero-shot prompt: its parts, label likelihoods, three prompting styles, and prompt attribution."""

import gradio as gr

from ui.shared.files import component
from ui.shared.view.save_menu import save_menu

_HTML = """
<div class="zs-message u-aside" role="status"></div>
<div class="zs-box"></div>
<div class="ts-tools u-row u-type-xs" hidden><button type="button" data-do="copy">Copy prompt</button>
SAVE
<span class="ts-said u-muted" role="status"></span></div>
""".replace("SAVE", save_menu("json", "csv", "png", "svg"))


def zero_shot_view(value: str = "", *, name: str, elem_id: str) -> gr.HTML:
    """A view of a prompt; its value is JSON of `ui.lenses.zero_shot.handlers.asking` or `views` beside it.

    Args:
        value: with "parts", "ways" or "uses".
        name: of saved files.
    """
    return component(
        value,
        _HTML,
        "lenses/zero_shot/view/zero_shot_view.js",
        elem_classes=["zero-shot-view"],
        given={"name": name},
        elem_id=elem_id,
    )
