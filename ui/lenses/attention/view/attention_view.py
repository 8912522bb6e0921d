"""Attention view: thumbnails of all heads, and one head as a heat map, as lines between tokens and
step by step.
"""

from collections.abc import Sequence

import gradio as gr

from ui.shared.files import Asks, ServerFunctions, component
from ui.shared.view.save_menu import save_menu

_STEPS = """
<div class="at-steps-view" hidden><div class="at-three">
<figure><figcaption><b>1</b> raw scores q·k ÷ √d</figcaption><canvas class="at-scores" tabindex="0" role="application" aria-label="Raw scores; arrow keys choose a cell"></canvas>
<div class="at-scale u-row u-muted u-type-xs u-digits at-scores-bar"></div></figure>
<figure><figcaption><b>2</b> the future masked</figcaption><canvas class="at-masked" tabindex="0" role="application" aria-label="Masked scores; arrow keys choose a cell"></canvas>
<div class="at-scale u-row u-muted u-type-xs u-digits at-masked-bar"></div></figure>
<figure><figcaption><b>3</b> after softmax</figcaption><canvas class="at-softmax" tabindex="0" role="application" aria-label="Attention after softmax; arrow keys choose a cell"></canvas>
<div class="at-scale u-row u-muted u-type-xs u-digits at-softmax-bar"></div></figure>
</div></div>
"""

_WEIGHTS = """<details class="at-weights u-apart"><summary>On any text: does it copy or suppress?</summary></details>"""

_SOURCES = """
<details class="u-apart"><summary>How the heads get their names</summary>
<p class="at-muted u-muted u-type-xs">Each score is a share of attention, averaged over the tokens
(as queries) for which it is defined. The first token never counts as “token before” or “same token”. Repeated
random tokens: 24 different ones, then the same 24 again. This is
this project's version of a score of Olsson et al. 2022, “In-context Learning and Induction Heads”, who repeat 25 tokens
four times behind a start token. The other roles follow Elhage et al. 2021 and Wang et al. 2022, the sink Xiao et al. 2023.</p></details>
"""


def _html(*, signed: bool, recorded: bool) -> str:
    """The component's elements: signed omits what a difference lacks, recorded what needs the
    model.
    """
    whole = not (signed or recorded)
    button = '<button type="button" data-{}="{}">{}</button>'.format
    views = button("view", "map", "Map") + ("" if signed else button("view", "lines", "Lines"))
    views += button("view", "steps", "Step by step") if whole else ""
    more = {"npz": "All heads, .npz"} if whole else {}
    buttons = save_menu("png", "svg", csv="This head, .csv", **more) + (
        button("do", "link", "Copy link") if whole else ""
    )
    acts = "" if signed else button("do", "induction", "Find induction heads")
    if whole:
        acts += button("do", "off", "Switch it off")
    weights = _WEIGHTS if whole else ""
    return f"""
<div class="at-message" role="status"></div>
<div class="at-body" hidden>
<p class="conclusion"></p>
<div class="at-main u-two" style="--columns: 1.35fr 1fr">
<div class="at-left">
<div class="at-top u-row" style="gap: var(--space-2) var(--space-4); justify-content: space-between; min-height: 2.3em"><span class="at-title" style="flex: 1; min-width: 13em; line-height: 1.25"><b class="at-name u-type-lg"></b> <span class="at-role u-muted" role="status"></span></span>
<span class="at-bar u-row">{views}<span class="at-zoom u-row"><button type="button" data-do="plus" aria-label="zoom in" title="zoom in (+)">+</button>
<button type="button" data-do="minus" aria-label="zoom out" title="zoom out (−)">−</button>
<button type="button" data-do="all" title="all tokens (0)">all</button></span></span></div>
<div class="at-map-view"><canvas class="at-map u-type-sm" tabindex="0" role="application" aria-label="Attention of the chosen head.
Arrow keys move the cell, plus and minus zoom, Shift with arrows chooses another head."></canvas></div>
{"" if signed else '<div class="at-lines-view" hidden><div class="at-lines u-type-xl u-mono"></div><div class="at-lines-said u-line u-muted u-type-sm" style="white-space: pre-wrap"></div></div>'}
{"" if signed else _STEPS}
<div class="at-detail u-detail u-muted u-type-sm u-digits" aria-live="polite"></div>
{"" if signed else '<div class="at-sums u-apart u-type-sm" hidden></div>'}
</div>
<div class="at-right"><div class="at-scroll u-scroll"><canvas class="at-grid" style="display: block; font-family: var(--font); cursor: pointer; touch-action: manipulation" tabindex="0" role="application"></canvas></div>
<div class="at-legend u-apart u-muted u-type-xs"></div><div class="ts-tools u-row u-type-xs at-acts u-apart">{acts}</div>{weights}</div>
</div>
<div class="at-note u-aside u-muted u-type-sm" role="status"></div>
<div class="ts-tools u-row u-type-xs">{buttons}<span class="ts-said u-muted at-said" role="status"></span></div>
{"" if signed else _SOURCES}
</div>
"""


def attention_view(
    value: str = "",
    *,
    needs: Sequence[str],
    asks: Asks = "",
    server_functions: ServerFunctions,
    signed: bool = False,
    recorded: bool = False,
    elem_id: str,
) -> gr.HTML:
    """The attention component.

    Its value is JSON of `ui.lenses.attention.handlers.maps.describe`, or of
    `ui.lenses.attention.pair.difference` when signed. Its event `expired` means that the server no
    longer has the text.

    Args:
        needs, asks: see `component`.
        server_functions: head_map, or head_difference when signed; otherwise also steps,
            arithmetic, head_weights and arrays, as in `ui.lenses.attention.payloads`. Each may
            answer None.
        signed: cells are differences in -1 to 1.
        recorded: maps of a model that is not installed; server_functions then holds only head_map.
    """
    return component(
        value,
        _html(signed=signed, recorded=recorded),
        "lenses/attention/view/attention_view.js",
        needs=needs,
        asks=asks,
        events=("expired",),
        given={"signed": signed, "shares": not (signed or recorded)},
        elem_classes=["attention-view"],
        server_functions=server_functions,
        elem_id=elem_id,
    )
