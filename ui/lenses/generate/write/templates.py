"""HTML of the view."""

from ui.shared.view.save_menu import save_menu

DISTRIBUTION = """
<p class="conclusion" role="status"></p>
<div class="dv-table u-type-sm" role="table"></div>
<div class="ts-tools u-row u-type-xs dv-tools u-apart">
SAVE
<span class="ts-said u-muted" role="status"></span></div>
""".replace("SAVE", save_menu("csv", "png", "svg"))
