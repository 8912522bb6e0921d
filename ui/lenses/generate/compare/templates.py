"""HTML of the view."""

STRATEGIES = """
<div class="sg-scroll u-scroll" tabindex="0"><table class="sh-table u-type-sm u-digits sg-guide" aria-label="Strategies"><thead><tr><th>strategy</th><th>what it does</th>
<th>suits</th><th>usual values</th><th>how it fails</th><td></td></tr></thead><tbody></tbody></table></div>
<div class="sg-two u-apart u-two" style="--columns: 3fr 2fr">
<section><h3>One guess, six settings</h3><p class="sg-note u-apart u-muted u-type-sm"></p>
<label class="sg-logits u-row u-type-sm">or logits of your own <input type="text" maxlength="1000" placeholder="3, 2, 1, 0.5, 0.1, −0.5, −1, −2"
></label><div class="sg-probabilities u-scroll" role="table"
aria-label="Probabilities of the likeliest tokens under six settings"></div></section>
<section><h3>Where top-p cuts</h3><p class="sg-note u-apart u-muted u-type-sm">The likeliest tokens, added up. Drag the line.</p>
<svg class="sg-curve" viewBox="0 0 400 196" role="img" aria-label="Probability of the n likeliest tokens together"></svg>
<label class="sg-slide u-row u-type-sm">p <input type="range" class="u-grow" min="0.05" max="1" step="0.01" value="0.9" aria-label="Top-p"><output></output>
<button type="button" class="sg-use">Use this p</button></label></section>
</div>
"""
