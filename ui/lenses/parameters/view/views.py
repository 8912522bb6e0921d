"""The Parameters tab's views: what a shape is made of, drawings, and plotly figures."""

import gradio as gr

from ui.shared.files import component
from ui.shared.view.save_menu import save_menu

# Components, formulas, counts and tensors; the value is JSON of `ui.lenses.parameters.handlers.shapes.breakdown`.
BREAKDOWN = """
<div class="bd-message" role="status"></div>
<div class="bd-body" hidden>
<div role="status"><span class="bd-total u-digits u-strong"></span><span class="bd-name u-muted"></span></div>
<p class="conclusion" role="status"></p>
<div class="bd-check u-line u-muted u-type-sm" role="status"></div>
<div class="bd-fewer u-line u-muted u-type-sm"></div>
<div class="bd-bar u-apart" aria-hidden="true"></div>
<div class="bd-scroll u-scroll"><table class="bd-table u-type-sm u-digits" aria-label="Parameters by part"><thead><tr><th>what</th><th>formula</th><th>with numbers</th>
<th class="u-number">parameters</th><th class="u-number">share</th></tr></thead><tbody class="bd-rows"></tbody></table></div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="all">Open or close all</button>
SAVE
<button type="button" data-do="config" title="config.json, for python -m gptcore.training --config">Shape for training</button>
<span class="ts-said u-muted bd-said" role="status"></span></div>
</div>
""".replace("SAVE", save_menu("csv", "png", "svg"))

_PICTURES = f'<div class="ts-tools u-row u-type-xs">{save_menu("png", "svg")}</div>'


def plotly_view(value: str = "", *, name: str, height: int, elem_id: str) -> gr.HTML:
    """A plotly figure that keeps its zoom and follows dark mode; the value is the figure's JSON, `name` that of a file."""
    return component(
        value,
        f'<div class="pl-said" role="status"></div><div class="pl-box" style="width:100%;height:{height}px"></div>{_PICTURES}',
        "lenses/parameters/view/plotly_view.js",
        given={"name": name},
        elem_id=elem_id,
    )


# A drawing whose parts can be clicked; the value is JSON of {shape}, which the server function `drawn` draws.
DRAWING = """
<div class="dr-message" role="status"></div>
<div class="dr-body" hidden>
<div class="dr-box u-scroll" tabindex="0"></div>
<div class="ts-tools u-row u-type-xs">SAVE<span class="ts-said u-muted dr-said" role="status"></span></div>
<div class="dr-parts u-apart u-row u-type-sm" role="group" aria-label="Parts of the model"></div>
<div class="dr-detail" aria-live="polite"></div>
</div>
""".replace("SAVE", save_menu("png", "svg"))

# A figure, a paragraph and tables; the value is JSON of `ExperimentFigure`.
FIGURE = """
<div style="overflow-x:auto" tabindex="0"><img class="fg-image" style="width:100%;min-width:620px;border-radius:6px" alt="" hidden></div>
<p class="fg-text" role="status" style="color:var(--body-text-color);max-width:90ch;font-size:var(--text-md);line-height:1.55"></p>
<div class="fg-tables sh-box"></div>
<div class="ts-tools u-row u-type-xs">SAVE<span class="ts-said u-muted fg-said" role="status"></span></div>
""".replace("SAVE", save_menu("png", "svg"))
