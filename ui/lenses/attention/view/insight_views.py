"""Interpretability views: ablation, the logit lens, MLP neurons, and the diagram of a recorded model."""

import gradio as gr

from ui.shared.files import ServerFunctions, component
from ui.shared.view.save_menu import save_menu

_ABLATION = """
<div class="ab-message" role="status"></div>
<div class="ab-body u-two" style="--columns: 1fr 1.2fr" hidden>
<div><div class="ab-scroll u-scroll"><div class="ab-grid u-type-xs" role="group" aria-label="Switches: arrow keys move, space switches"></div></div>
<div class="ab-muted u-line u-muted u-type-xs">After “Try every part alone”: the change of the first guess without this part, in percentage points.</div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="none">All on</button><span class="ab-said u-line u-muted u-type-xs" role="status"></span></div></div>
<div><div class="ab-head" role="status"></div>
<div class="ab-muted u-line u-muted u-type-xs ab-key u-key">next token:<i></i><span>whole model</span><i style="--hue: var(--lens-surprise)"></i><span>with parts off</span><span class="ab-scale" style="margin-left: var(--space-5)"></span></div>
<div class="ab-rows u-type-sm"></div><div class="ab-muted u-line u-muted u-type-xs ab-note"></div>
<div class="ts-tools u-row u-type-xs">SAVE</div></div>
</div>
""".replace("SAVE", save_menu("csv", "png", "svg", effects="Effects of all parts, .csv"))

_LENS = """
<div class="ln-message" role="status"></div>
<div class="ln-body" hidden><p class="conclusion" role="status"></p>
<div class="ln-legend u-row u-muted u-type-xs"><span>probability of the token shown: 0</span><span class="ln-ramp u-ramp"></span><span>1</span>
<span class="ln-note"></span></div>
<div class="ln-scroll u-pane"><table class="ln-table u-type-xs" aria-label="First guesses by layer and token"></table></div>
<div class="ln-detail u-detail u-apart u-muted u-type-sm" aria-live="polite"></div>
<section class="ln-knew u-apart"><h3>When did it know?</h3><p class="conclusion ln-known-said"></p>
<div class="ln-read u-apart u-row"><button type="button" data-do="play">Play</button>
<label>read after <input type="range" class="ln-depth" min="0" step="1" aria-label="Read the text after so many blocks"> <output></output></label>
<span class="ln-key u-key u-muted u-type-xs"><i class="known" style="--late: 0"></i>known early <i class="known" style="--late: 1"></i>known late
<i class="never" style="--hue: none"></i>never its first guess</span></div>
<div class="ln-text u-reading u-pane u-mono" tabindex="0" role="group" aria-label="The text, word by word, with the first guess at this depth above it"></div></section>
<div class="ts-tools u-row u-type-xs">SAVE<span class="ts-said u-muted ln-said" role="status"></span></div>
</div>
""".replace("SAVE", save_menu("csv", "png", "svg"))

_NEURONS = """
<p class="nr-note u-apart u-muted u-type-sm">An MLP is a memory: each of its neurons reacts to a pattern, and where it does, it adds a vector of its own
to the stream (Geva et al. 2021). Here are those that stand out on the text above.</p>
<div class="nr-pick u-row"><label>Layer <select class="nr-layer"></select></label>
<label>Neuron <input type="number" class="nr-neuron" min="0" step="1"></label>
<span>or one that stands out here, by its place in the MLP:</span>
<div class="nr-top u-row" role="group" aria-label="Neurons that stand out on this text, by their places in the MLP"></div></div>
<p class="conclusion" role="status"></p>
<div class="nr-message u-muted" role="status"></div>
<div class="nr-two u-apart u-two" style="--columns: 3fr 2fr"><section><h3 class="nr-title u-strong">What excites it</h3><div class="nr-text u-reading u-type-lg u-mono" tabindex="0"></div>
<p class="nr-note u-apart u-muted u-type-sm nr-peak"></p></section>
<section><h3 class="nr-title u-strong">What it writes</h3><div class="nr-writes u-two"></div></section></div>
<section><h3 class="nr-title u-strong">Why four times as wide?</h3><p class="nr-note u-apart u-muted u-type-sm nr-why"></p><div class="nr-sizes"></div></section>
"""


def ablation_view(value: str = "", *, elem_id: str) -> gr.HTML:
    """Ablation switches and the next token before and after; its value is JSON of `ui.lenses.attention.handlers.ablation`.

    Its event `switch` carries {"off": parts to ablate}.
    """
    return component(value, _ABLATION, "lenses/attention/view/ablation_view.js", events=("switch",), elem_id=elem_id)


def lens_view(value: str = "", *, elem_id: str) -> gr.HTML:
    """The logit lens as a table; its value is JSON of `ui.lenses.attention.handlers.lens`."""
    return component(value, _LENS, "lenses/attention/view/lens_view.js", elem_id=elem_id)


def neurons_view(*, server_functions: ServerFunctions, elem_id: str) -> gr.HTML:
    """Neurons of an MLP over a text; its value is JSON of a `TextRequest`.

    server_functions: neurons and inner_sizes, as in `ui.lenses.attention.handlers.neurons`.
    """
    return component(
        "", _NEURONS, "lenses/attention/view/neurons_view.js", server_functions=server_functions, elem_id=elem_id
    )


def recorded_picture(value: str = "", *, elem_id: str) -> gr.HTML:
    """The picture of the machine for a recorded model; its value is JSON of `ui.lenses.attention.handlers.recorded`."""
    template = (
        '<p class="conclusion" role="status"></p><div class="mc-box"></div><div class="mc-said u-muted u-type-sm" role="status"></div>'
        '<div class="mc-key u-key u-row u-muted u-type-xs"><span><i class="look"></i>where the head that looks hardest looks</span></div>'
    )
    return component(value, template, "lenses/attention/view/recorded_picture.js", elem_id=elem_id)
