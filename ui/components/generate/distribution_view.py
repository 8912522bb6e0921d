"""The next-token distribution as a chart: the same tokens in every stage, cut ones left visible in grey."""

from __future__ import annotations

import gradio as gr

from ui.components.files import component
from ui.figures.generate import picture

_HTML = """
<div class="dv-table" role="table"></div>
<div class="ts-tools dv-tools">
<button type="button" data-do="csv">Save .csv</button>
<button type="button" data-do="png">Slide .png</button>
<button type="button" data-do="svg">Slide .svg</button>
<span class="ts-said" role="status"></span></div>
"""


def distribution_view(value: str = "", *, elem_id: str) -> gr.HTML:
    """The distribution component. Its value is the JSON of `ui.handlers.generate.writing.distribution.describe`.

    Its event `pick` carries {"id": the token that was clicked}.
    """
    return component(
        value,
        _HTML,
        "generate/distribution_view.js",
        events=("pick",),
        elem_classes=["distribution-view"],
        server_functions=[picture],
        elem_id=elem_id,
    )
