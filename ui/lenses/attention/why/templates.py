"""HTML of the view."""

from ui.shared.view.save_menu import save_menu

_CIRCUIT = """
<section class="ct"><h3>The circuit: from the words to the answer</h3>
<div class="ct-message" role="status"></div>
<div class="ct-body" hidden><p class="conclusion" role="status"></p>
<div class="ct-words u-reading u-apart u-mono" style="max-height: 7em" tabindex="0" role="group" aria-label="What every word of the text brings"></div>
<p class="ct-checked u-apart u-muted u-type-sm" role="status"></p>
<div class="ct-two u-two" style="--columns: minmax(0, 1fr) minmax(150px, 190px)"><div class="ct-drawing u-scroll"></div><div class="ct-next" role="status" style="display: grid; gap: var(--space-2)"></div></div>
<div class="ct-said u-line u-apart" role="status"></div>
<div class="wy-muted u-apart u-muted u-type-sm">Squares are heads, circles neurons, each at the token in whose row it stands; blue pushes towards the word,
orange towards the rival. Attention, norms and gates are frozen as in this run, so that everything is linear; a click
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
<li>Switching off puts zero in a part’s place, which the model never sees in use; its average over the text is milder (under
Heads, “its average”), and patching from a second sentence is the fairest.</li>
<li>The rival decides what is explained. What pushes towards both words alike does not show.</li>
<li>The parts were trained together, so there is no single right way to divide the credit: two heads may share a job,
one head may have two.</li></ul></details>
"""

WHY = """
<div class="wy-pick u-apart u-row"><label>Why <select class="wy-word u-mono" style="max-width: 15em" aria-label="Word to explain"></select></label>
<label>rather than <select class="wy-rival u-mono" style="max-width: 15em" aria-label="Rival word"></select></label><span>after the text above?</span></div>
<div class="wy-message u-muted" role="status"></div>
<div class="wy-body"><p class="u-mono u-type-sm wy-text"></p><p class="conclusion" role="status"></p>
<div class="wy-key u-key u-muted u-type-xs"><i></i>pushes towards <b class="wy-for"></b> <i style="--hue: var(--lens-against)"></i>towards <b class="wy-against"></b>
<i style="--hue: var(--body-text-color-subdued); height: 0.25em"></i>thin line: what changes when it is switched off</div>
<table class="wy-table" aria-label="What each part writes, and what switching it off changes"><thead><tr><th>part</th><th>what it writes, in logits</th><th>writes</th><th>switched off</th></tr></thead><tbody></tbody></table>
<div class="wy-muted u-apart u-muted u-type-sm">The parts add up exactly to the difference of both scores; the final norm is held at its scale here. Where the two bars
differ, later layers and the final norm react to the change. This shows how much a part contributed, not what its job is.</div>
<div class="ts-tools u-row u-type-xs">SAVE<button type="button" data-do="link">Copy link</button><span class="ts-said u-muted wy-link-said" role="status"></span></div>
CIRCUIT</div>
""".replace("SAVE", save_menu("csv")).replace("CIRCUIT", _CIRCUIT)
