"""HTML of the view."""

from ui.shared.view.save_menu import save_menu

DRAWING = """
<div class="dr-message" role="status"></div>
<div class="dr-body" hidden>
<div class="dr-box u-scroll" tabindex="0"></div>
<div class="ts-tools u-row u-type-xs">SAVE<span class="ts-said u-muted dr-said" role="status"></span></div>
<div class="dr-parts u-apart u-row u-type-sm" role="group" aria-label="Parts of the model"></div>
<div class="dr-detail" aria-live="polite"></div>
</div>
""".replace("SAVE", save_menu("png", "svg"))

FIGURE = """
<div style="overflow-x:auto" tabindex="0"><img class="fg-image" style="width:100%;min-width:620px;border-radius:6px" alt="" hidden></div>
<p class="fg-text" role="status" style="color:var(--body-text-color);max-width:90ch;font-size:var(--text-md);line-height:1.55"></p>
<div class="fg-tables sh-box"></div>
<div class="ts-tools u-row u-type-xs">SAVE<span class="ts-said u-muted fg-said" role="status"></span></div>
""".replace("SAVE", save_menu("png", "svg"))
