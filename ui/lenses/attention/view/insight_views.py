"""The tab's views but the heads: ablation, the lens, neurons, attribution, patching, and a recorded model's picture."""

from typing import Any

import gradio as gr

from ui.shared.files import component
from ui.shared.view.save_menu import save_menu

_ABLATION = """
<div class="ab-message" role="status"></div>
<div class="ab-body u-two" style="--columns: 1fr 1.2fr" hidden>
<div><div class="ab-scroll u-scroll"><div class="ab-grid u-type-xs" role="group" aria-label="Switches: arrow keys move, space switches"></div></div>
<div class="ab-muted u-line u-muted u-type-xs">After “Try every part alone”: the change of the first guess without this part, in percentage points.</div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="none">All on</button><span class="ab-said u-line u-muted u-type-xs" role="status"></span></div></div>
<div><div class="ab-head" style="min-height: 3.1em; margin-bottom: var(--space-2)" role="status"></div>
<div class="ab-muted u-line u-muted u-type-xs ab-key u-key">next token:<i></i><span>whole model</span><i style="--hue: var(--lens-surprise)"></i><span>with parts off</span><span class="ab-scale" style="margin-left: var(--space-5)"></span></div>
<div class="ab-rows u-type-sm" style="display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: var(--space-1) var(--space-4); align-items: center"></div><div class="ab-muted u-line u-muted u-type-xs ab-note"></div>
<div class="ts-tools u-row u-type-xs">SAVE</div></div>
</div>
""".replace("SAVE", save_menu("csv", "png", "svg", effects="Effects of all parts, .csv"))

_LENS = """
<div class="ln-message" role="status"></div>
<div class="ln-body" hidden><p class="conclusion" role="status"></p>
<div class="ln-legend u-row u-muted u-type-xs"><span>probability of the token shown: 0</span><span class="ln-ramp u-ramp" style="width: 9em; background: var(--lens-share)"></span><span>1</span>
<span class="ln-note"></span></div>
<div class="ln-scroll u-pane" style="overflow: auto; max-height: 34em; padding: 0"><table class="ln-table u-type-xs" aria-label="First guesses by layer and token"></table></div>
<div class="ln-detail u-detail u-apart u-muted u-type-sm" aria-live="polite"></div>
<section class="ln-knew u-apart"><h3>When did it know?</h3><p class="conclusion ln-known-said"></p>
<div class="ln-read u-apart u-row"><button type="button" data-do="play">Play</button>
<label>read after <input type="range" class="ln-depth" style="width: 12em" min="0" step="1" aria-label="Read the text after so many blocks"> <output></output></label>
<span class="ln-key u-key u-muted u-type-xs"><i class="known" style="--late: 0"></i>known early <i class="known" style="--late: 1"></i>known late
<i class="never" style="--hue: none"></i>never its first guess</span></div>
<div class="ln-text u-reading u-pane u-mono" style="max-height: 16em; padding: var(--space-4) var(--space-3) var(--space-3); background: var(--lens-paper); line-height: 2.5" tabindex="0" role="group" aria-label="The text, word by word, with the first guess at this depth above it"></div></section>
<div class="ts-tools u-row u-type-xs">SAVE<span class="ts-said u-muted ln-said" role="status"></span></div>
</div>
""".replace("SAVE", save_menu("csv", "png", "svg"))

_NEURONS = """
<p class="nr-note u-apart u-muted u-type-sm">An MLP is a memory: each of its neurons reacts to a pattern, and where it does, it adds a vector of its own
to the stream (Geva et al. 2021). Here are those that stand out on the text above.</p>
<div class="nr-pick u-row"><label>Layer <select class="nr-layer"></select></label>
<label>Neuron <input type="number" class="nr-neuron" style="width: 6em" min="0" step="1"></label>
<span>or one that stands out here, by its place in the MLP:</span>
<div class="nr-top u-row" role="group" aria-label="Neurons that stand out on this text, by their places in the MLP"></div></div>
<p class="conclusion" role="status"></p>
<div class="nr-message u-muted" role="status"></div>
<div class="nr-two u-apart u-two" style="--columns: 3fr 2fr"><section><h3 class="nr-title u-strong">What excites it</h3><div class="nr-text u-reading u-type-lg u-mono" style="min-height: 7em; max-height: 14em" tabindex="0"></div>
<p class="nr-note u-apart u-muted u-type-sm nr-peak"></p></section>
<section><h3 class="nr-title u-strong">What it writes</h3><div class="nr-writes u-two" style="grid-template-columns: 1fr 1fr"></div></section></div>
<section><h3 class="nr-title u-strong">Why four times as wide?</h3><p class="nr-note u-apart u-muted u-type-sm nr-why"></p><div class="nr-sizes"></div></section>
"""

_WHY = """
<div class="wy-pick u-apart u-row"><label>Why <select class="wy-word u-mono" style="max-width: 15em" aria-label="Word to explain"></select></label>
<label>rather than <select class="wy-rival u-mono" style="max-width: 15em" aria-label="Rival word"></select></label><span>after the text above?</span></div>
<div class="wy-message u-muted" role="status"></div>
<div class="wy-body"><p class="u-mono u-type-sm wy-text"></p><p class="conclusion" role="status"></p>
<div class="wy-key u-key u-muted u-type-xs"><i></i>speaks for the word <i style="--hue: var(--lens-warm)"></i>speaks for the rival
<i style="--hue: var(--body-text-color-subdued); height: 0.25em"></i>thin line: what changes when it is switched off</div>
<table class="wy-table" aria-label="What each part writes, and what switching it off changes"><thead><tr><th>part</th><th>what it writes, in logits</th><th>writes</th><th>switched off</th></tr></thead><tbody></tbody></table>
<div class="wy-muted u-apart u-muted u-type-sm">The parts add up exactly to the difference of both scores; the final norm is held at its scale here. Where the two bars
differ, what comes after it reacts to the change: later layers, and the final norm. It says what was written, not what a part is for.</div>
<div class="ts-tools u-row u-type-xs">SAVE<button type="button" data-do="link">Copy link</button><span class="ts-said u-muted wy-link-said" role="status"></span></div>
CIRCUIT</div>
""".replace("SAVE", save_menu("csv"))

_CIRCUIT = """
<section class="ct"><h3>The circuit: from the words to the answer</h3>
<div class="ct-message" role="status"></div>
<div class="ct-body" hidden><p class="conclusion" role="status"></p>
<div class="ct-words u-reading u-apart u-mono" style="max-height: 7em" tabindex="0" role="group" aria-label="What every word of the text brings"></div>
<div class="ct-two u-two" style="--columns: minmax(0, 1fr) minmax(150px, 190px)"><div class="ct-drawing u-scroll"></div><div class="ct-next" role="status" style="display: grid; gap: var(--space-2)"></div></div>
<div class="ct-said u-line u-apart" role="status"></div>
<div class="wy-muted u-apart u-muted u-type-sm"><span class="ct-checked"></span> Squares are heads, circles neurons, each at the token in whose row it stands; blue speaks for the word,
orange for the rival. Attention, norms and gates are frozen as in this run, so that everything is linear; a click
recomputes.</div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="on">All on</button><button type="button" data-save="svg">Save .svg</button><button type="button" data-save="png">Save .png</button></div>
</div></section>
<details class="fm ct"><summary>When did this form?</summary><div class="fm-message" role="status"></div><p class="conclusion" role="status"></p>
<div class="fm-drawing"></div><div class="wy-muted u-apart u-muted u-type-sm">What each part writes for the word, in logits, after so many updates
of the training.</div></details>
<details class="ct wy-limits"><summary>What attribution cannot tell</summary><ul>
<li>It says what a part wrote in this one run, not what the part is for. On another text it may do something else.</li>
<li>A bar is not an effect. Later layers react to what is missing, often by making up for it; only the check, the part
switched off and the rest recomputed, is an effect.</li>
<li>Attention, norms and gates are held still in the circuit. Why a head looks where it looks is another question.</li>
<li>Switching off puts zero in a part’s place, which the model never sees in use; its mean over the text is milder (under
Heads, “its mean”), and patching from a second sentence is the fairest.</li>
<li>The rival decides what is explained. What speaks for both words alike does not show.</li>
<li>The parts were trained together, so there is no single right way to divide the credit: two heads may share a job,
one head may have two.</li></ul></details>
"""

_PATCH = """
<div class="pt-message u-muted" role="status"></div>
<div class="pt-body" hidden><p class="conclusion" role="status"></p>
<div class="pt-chances"></div>
<div class="pt-two u-two" style="--columns: minmax(0, max-content) minmax(170px, 240px)"><div class="pt-scroll u-scroll"><table class="pt-table" style="margin: 0; border-collapse: separate; border-spacing: 2px; width: auto; font-size: var(--text-md)" aria-label="How much of A’s answer returns, by depth and token"></table></div><div class="pt-next ct-next" role="status" style="display: grid; gap: var(--space-2)"></div></div>
<div class="pt-detail u-line" aria-live="polite"></div>
<div class="wy-muted u-apart u-muted u-type-sm">Each cell: B gets A's value at this position and depth; shown is how much of A's answer returns,
0% to 100%. Click cells, or draw over several, to carry A's values into B and see what it then says. Source: Meng et al. 2022.</div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="none">Carry nothing</button>SAVE</div></div>
""".replace("SAVE", save_menu("csv"))

_RECORDED = """
<p class="conclusion" role="status"></p><div class="mc-box"></div><div class="mc-said u-muted u-type-sm" role="status"></div>
<div class="mc-key u-key u-row u-muted u-type-xs"><span><i class="look"></i>where the head that looks hardest looks</span></div>
"""

_TEMPLATES = {
    "ablation_view": _ABLATION,
    "lens_view": _LENS,
    "neurons_view": _NEURONS,
    "why_view": _WHY.replace("CIRCUIT", _CIRCUIT),
    "patch_view": _PATCH,
    "recorded_picture": _RECORDED,
}


def insight_view(module: str, value: str = "", **settings: Any) -> gr.HTML:
    """A view by the name of its script, which says what its value is; settings are those of `component`."""
    return component(value, _TEMPLATES[module], f"lenses/attention/view/{module}.js", **settings)
