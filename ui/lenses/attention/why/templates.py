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
<div class="wy-muted u-apart u-muted u-type-sm">Squares are heads, circles are neurons, each row is a token.
Blue pushes towards the word, orange towards the rival. The drawing freezes attention, norms and gates, which makes
every contribution linear. Switching a part off recomputes the model.</div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="on">All on</button><button type="button" data-save="svg">Save .svg</button><button type="button" data-save="png">Save .png</button></div>
</div></section>
<details class="fm ct"><summary>When did this form?</summary><div class="fm-message" role="status"></div><p class="conclusion" role="status"></p>
<div class="fm-drawing"></div><div class="wy-muted u-apart u-muted u-type-sm">What each part adds to the word’s lead,
in logits, as training goes on.</div></details>
<details class="ct wy-limits"><summary>What attribution cannot tell</summary><ul>
<li>A bar shows how much a part contributed on this one text. On another text the part may do something else.</li>
<li>A bar is a contribution; the thin line is the effect of switching the part off and recomputing the rest. They
can differ, since later layers react to what is missing, often by making up for it.</li>
<li>The circuit keeps attention, norms and gates fixed. It leaves open why a head looks where it looks.</li>
<li>Switching off replaces a part’s output with zero, a value that the model never meets in use. Its average over the
text (under Heads, “Replace it with”) is milder. Copying from a second sentence is the fairest test.</li>
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
<table class="wy-table" aria-label="What each part adds to the lead, and what switching it off changes"><thead>
<tr><th>part</th><th>contribution to the lead</th><th>logits</th><th>if switched off</th></tr>
</thead><tbody></tbody></table>
<div class="wy-muted u-apart u-muted u-type-sm">
The parts add up exactly to the lead in logits, with the final norm’s scale kept fixed. Where bar and thin line
differ, later layers and the final norm react to the change. This shows how much a part contributed, not what its job is.</div>
<div class="ts-tools u-row u-type-xs">SAVE<button type="button" data-do="link">Copy link</button><span class="ts-said u-muted wy-link-said" role="status"></span></div>
CIRCUIT</div>
""".replace("SAVE", save_menu("csv")).replace("CIRCUIT", _CIRCUIT)
