"""The next-token distribution as a chart: the same tokens in every stage, cut ones left visible in grey."""

import gradio as gr

from ui.shared.files import component
from ui.shared.view.save_menu import save_menu

_HTML = """
<p class="conclusion" role="status"></p>
<div class="dv-table u-type-sm" role="table"></div>
<div class="ts-tools u-row u-type-xs dv-tools u-apart">
SAVE
<span class="ts-said u-muted" role="status"></span></div>
""".replace("SAVE", save_menu("csv", "png", "svg"))


def distribution_view(value: str = "", *, elem_id: str) -> gr.HTML:
    """The distribution component. Its value is the JSON of `ui.lenses.generate.handlers.writing.distribution.describe`.

    Its event `pick` carries {"id": the token that was clicked}.
    """
    return component(
        value,
        _HTML,
        "lenses/generate/view/distribution_view.js",
        events=("pick",),
        elem_classes=["distribution-view"],
        elem_id=elem_id,
    )
