"""Landing view: an editable sentence, the machine at work on it, its guesses, and questions that
lead further.
"""

from functools import partial

from ui.shared.files import component
from ui.views import QUESTIONS

_HTML = """
<div class="st-hero">
<p class="st-lead u-apart u-type-xl">A GPT does one thing: <b>it guesses the next word</b>. <span class="st-invite">Type into the sentence, or click a word to see what else it expected.</span></p>
<div class="st-line u-pane"><div class="st-scroll"><div class="st-page"><svg class="st-arcs" aria-hidden="true"></svg>
<div class="st-words u-type-xl u-mono" dir="auto" aria-hidden="true"></div>
<textarea class="st-text u-type-xl u-mono" dir="auto" rows="1" spellcheck="false" aria-label="Your sentence" aria-describedby="st-how"></textarea></div></div></div>
<span id="st-how" hidden>Alt and the down arrow offer other words for the one at the cursor.</span>
<div class="st-tools u-apart u-row u-type-sm"><button type="button" class="st-play u-act" data-do="play">Let it write</button>
<button type="button" data-do="why" title="how much each part adds to its first guess (W)">Why this word?</button>
<button type="button" data-do="back" hidden>Back</button><button type="button" data-do="again" hidden>Start over</button>
<button type="button" data-do="slow" aria-pressed="false" hidden>Slow</button>
<span class="st-said u-muted" role="status"></span></div>
</div>
<div class="st-two u-apart">
<div class="st-above u-row u-apart"><p class="st-conclusion u-line" role="status"></p>
<button type="button" class="st-whole" data-do="whole" hidden>Switch everything on</button></div>
<div class="st-machine u-two u-apart"><div class="mc-box"></div>
<section class="st-next"><h2>Its guesses for the next word</h2><div class="st-bars"></div>
<div class="st-chance u-type-sm"><label for="st-heat">Temperature</label><input type="range" id="st-heat" class="st-heat" min="0" max="2" step="0.05" value="1"><output class="st-heat-shown u-digits">1.00</output>
<label for="st-top-k">Top-k</label><input type="range" id="st-top-k" class="st-top-k" min="0" max="8" step="1" value="0"><output class="st-top-k-shown u-digits">off</output></div>
<div class="st-dice u-row u-type-sm"><button type="button" data-do="next" title="draw the next token by these probabilities (N)">Roll the dice</button>
<button type="button" data-do="same" hidden>Same again</button><button type="button" data-do="other" hidden>New dice</button></div></section>
<div class="mc-said u-muted u-type-sm" role="status"></div>
<div class="mc-key u-key u-row u-muted u-type-xs"><button type="button" data-do="step" title="one part after the other, then the next word">Step through</button>
<span><i class="look"></i>where the strongest head looks</span>
<span><i style="--hue: var(--lens-part-attention)"></i>how much attention changes</span><span><i style="--hue: var(--lens-part-mlp)"></i>how much the MLP changes</span>
<span><b class="u-mono">word</b>: best guess if it stopped here</span></div></div>
</div>
<section class="st-story u-apart" id="story" aria-label="The story" hidden></section>
<section class="st-talks" id="talks" aria-label="Talks" hidden></section>
<section class="st-exercises" id="exercise-list" aria-label="Exercises" hidden></section>
<section class="st-ask u-apart" aria-label="What do you want to know?"><h2>What do you want to know?</h2>
<input type="search" class="st-search" aria-label="Search the questions" placeholder="Search: copy, softmax, memory …">
<div class="st-questions u-apart u-row"></div></section>
<p class="st-told u-row u-apart"><button type="button" data-do="story" aria-controls="story" aria-expanded="false">The story</button>
<button type="button" data-do="exercises" aria-controls="exercise-list" aria-expanded="false">Exercises</button>
<button type="button" data-do="talks" aria-controls="talks" aria-expanded="false">Talks</button>
<span>The story has six chapters: the one objective, GPT-1 number by number, and how GPT came about.</span></p>
"""
# Its value is JSON of `ui.lenses.start.handlers.sentence`, which has its server functions, too.
start_view = partial(
    component,
    template=_HTML,
    module="lenses/start/view/start_view.js",
    elem_id="start",
    given={
        "questions": [
            [item.text, item.way, item.sentence, item.also, item.is_first] for item in QUESTIONS
        ]
    },
)
