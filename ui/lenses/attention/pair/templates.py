"""HTML of the view."""

from ui.shared.view.save_menu import save_menu

PATCH = """
<div class="pt-message u-muted" role="status"></div>
<div class="pt-lists u-row" hidden></div>
<div class="pt-body" hidden><p class="conclusion" role="status"></p>
<div class="pt-chances"></div>
<div class="pt-two u-two" style="--columns: minmax(0, max-content) minmax(170px, 240px)"><div class="pt-scroll u-scroll"><table class="pt-table" style="margin: 0; border-collapse: separate; border-spacing: 2px; width: auto; font-size: var(--text-md)" aria-label="How much of A’s answer returns, by depth and token"></table></div><div class="pt-next ct-next" role="status" style="display: grid; gap: var(--space-2)"></div></div>
<div class="pt-detail u-line" aria-live="polite"></div>
<div class="wy-muted u-apart u-muted u-type-sm">Each cell copies A's value at one position and depth into B.
Its number is how much of A's answer returns, 0% to 100%. Click cells, or drag over several, to copy A's values into B
and see how B continues. Source: Meng et al. 2022.</div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="none">Clear</button>SAVE</div></div>
""".replace("SAVE", save_menu("csv"))
