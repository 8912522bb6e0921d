"""Views that explain a prediction: logit attribution by part, and activation patching between two sentences."""

import gradio as gr

from ui.shared.files import ServerFunctions, component
from ui.shared.view.save_menu import save_menu

_WHY = """
<div class="wy-pick u-apart u-row"><label>Why <select class="wy-word" aria-label="Word to explain"></select></label>
<label>rather than <select class="wy-rival" aria-label="Rival word"></select></label><span>after the text above?</span></div>
<div class="wy-message u-muted" role="status"></div>
<div class="wy-body"><p class="u-mono u-type-sm wy-text"></p><p class="conclusion" role="status"></p>
<div class="wy-key u-key u-muted u-type-xs"><i></i>speaks for the word <i style="--hue: var(--lens-warm)"></i>speaks for the rival
<i style="--hue: var(--body-text-color-subdued); height: 0.25em"></i>thin line: what changes when it is switched off</div>
<table class="wy-table" aria-label="What each part writes, and what switching it off changes"><thead><tr><th>part</th><th>what it writes, in logits</th><th>writes</th><th>switched off</th></tr></thead><tbody></tbody></table>
<div class="wy-muted u-apart u-muted u-type-sm">The parts add up exactly to the difference of both scores; the final norm is held at its scale here. Where the two bars
differ, what comes after it reacts to the change: later layers, and the final norm. It says what was written, not what a part is for.
<span class="wy-agreement"></span></div>
<div class="ts-tools u-row u-type-xs">SAVE<button type="button" data-do="link">Copy link</button><span class="ts-said u-muted wy-link-said" role="status"></span></div>
CIRCUIT</div>
""".replace("SAVE", save_menu("csv"))

_CIRCUIT = """
<section class="ct"><h3>The circuit: from the words to the answer</h3>
<div class="ct-message" role="status"></div>
<div class="ct-body" hidden><p class="conclusion" role="status"></p>
<div class="ct-words u-reading u-apart u-mono" tabindex="0" role="group" aria-label="What every word of the text brings"></div>
<div class="ct-two u-two" style="--columns: minmax(0, 1fr) minmax(150px, 190px)"><div class="ct-drawing u-scroll"></div><div class="ct-next" role="status"></div></div>
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
<li>Attention, norms and gates are held still in the circuit. Why a head looks where it looks is another question: ask
“Why there?” on a cell of its map.</li>
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
<div class="pt-two u-two" style="--columns: minmax(0, max-content) minmax(170px, 240px)"><div class="pt-scroll u-scroll"><table class="pt-table" aria-label="How much of A’s answer returns, by depth and token"></table></div><div class="pt-next ct-next" role="status"></div></div>
<div class="pt-detail u-line" aria-live="polite"></div>
<div class="wy-muted u-apart u-muted u-type-sm">Each cell: B gets A's value at this position and depth; shown is how much of A's answer returns,
0% to 100%; ≈ is an estimate from one gradient (Nanda 2023) until the real value is there. Drag a token of A
down into B, click cells, or draw over several, to carry A's values into B and see what it then says. Source: Meng et al. 2022.</div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="none">Carry nothing</button>SAVE</div></div>
""".replace("SAVE", save_menu("csv"))


def why_view(*, server_functions: ServerFunctions, elem_id: str) -> gr.HTML:
    """Waterfall chart of logit attribution by part; its value is JSON of a `TextRequest`.

    server_functions: why, circuit, circuit_without and formed, as in the handlers of these names.
    """
    return component(
        "",
        _WHY.replace("CIRCUIT", _CIRCUIT),
        "lenses/attention/view/why_view.js",
        server_functions=server_functions,
        elem_id=elem_id,
    )


def patch_view(*, server_functions: ServerFunctions, elem_id: str) -> gr.HTML:
    """Activation patching: two sentences and a grid; its value is JSON of `ui.lenses.attention.handlers.patching.grid`.

    server_functions: patched, as in that module.
    """
    return component(
        "", _PATCH, "lenses/attention/view/patch_view.js", server_functions=server_functions, elem_id=elem_id
    )
