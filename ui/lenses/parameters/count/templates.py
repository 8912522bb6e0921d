"""HTML of the view."""

from ui.shared.view.save_menu import save_menu

BREAKDOWN = """
<div class="bd-message" role="status"></div>
<div class="bd-body" hidden>
<div role="status"><span class="bd-total u-digits u-strong"></span><span class="bd-name u-muted"></span></div>
<p class="conclusion" role="status"></p>
<div class="bd-check u-line u-muted u-type-sm" role="status"></div>
<div class="bd-fewer u-line u-muted u-type-sm"></div>
<div class="bd-bar u-apart" aria-hidden="true"></div>
<div class="bd-scroll u-scroll"><table class="bd-table u-type-sm u-digits" aria-label="Parameters by part"><thead><tr><th>what</th><th>formula</th><th>with numbers</th>
<th class="u-number">parameters</th><th class="u-number">share</th></tr></thead><tbody class="bd-rows"></tbody></table></div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-do="all">Open or close all</button>
SAVE
<button type="button" data-do="config" title="config.json, for python -m gptcore.training --config">Shape for training</button>
<span class="ts-said u-muted bd-said" role="status"></span></div>
</div>
""".replace("SAVE", save_menu("csv", "png", "svg"))
