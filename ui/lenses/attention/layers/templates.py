"""HTML of the parts of the view of layers."""

from ui.shared.view.save_menu import save_menu

LENS = """
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
<i class="never" style="--hue: none"></i>not its first guess in the end</span></div>
<div class="ln-text u-reading u-pane u-mono" style="max-height: 16em; padding: var(--space-4) var(--space-3) var(--space-3); background: var(--lens-paper); line-height: 2.5" tabindex="0" role="group" aria-label="The text, word by word, with the first guess at this depth above it"></div></section>
<div class="ts-tools u-row u-type-xs">SAVE<span class="ts-said u-muted ln-said" role="status"></span></div>
</div>
""".replace("SAVE", save_menu("csv", "png", "svg"))

NEURONS = """
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
