"""HTML of the parts of the view of heads."""

from ui.shared.view.save_menu import save_menu

ABLATION = """
<div class="ab-message" role="status"></div>
<div class="ab-body u-two" style="--columns: 1fr 1.2fr" hidden>
<div><div class="ab-scroll u-scroll"><div class="ab-grid u-type-xs" role="group" aria-label="Switches: arrow keys move, space switches"></div></div>
<div class="ab-muted u-line u-muted u-type-xs">Press “Try every part alone” to see how far the top guess falls without each part, in percentage points.</div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="none">All on</button><span class="ab-said u-line u-muted u-type-xs" role="status"></span></div></div>
<div><div class="ab-head" style="min-height: 3.1em; margin-bottom: var(--space-2)" role="status"></div>
<div class="ab-muted u-line u-muted u-type-xs ab-key u-key">next token:<i></i><span>whole model</span><i style="--hue: var(--lens-against)"></i><span>with parts off</span><span class="ab-scale" style="margin-left: var(--space-5)"></span></div>
<div class="ab-rows u-type-sm" style="display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: var(--space-1) var(--space-4); align-items: center"></div><div class="ab-muted u-line u-muted u-type-xs ab-note"></div>
<div class="ts-tools u-row u-type-xs">SAVE</div></div>
</div>
""".replace("SAVE", save_menu("csv", "png", "svg", effects="Effects of all parts, .csv"))

RECORDED = """
<p class="conclusion" role="status"></p><div class="mc-box"></div><div class="mc-said u-muted u-type-sm" role="status"></div>
<div class="mc-key u-key u-row u-muted u-type-xs"><span><i class="look"></i>where the strongest head looks</span></div>
"""
