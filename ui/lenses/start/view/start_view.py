"""Landing view: an editable sentence, a training run as a film, and a link to every tab."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import gradio as gr

from ui.shared.files import ServerFunctions, component
from ui.views import QUESTIONS, TABS

_HTML = """
<div class="st-hero">
<p class="st-lead">A GPT does one thing: <b>it guesses the next word</b>. <span class="st-invite">Type a sentence, or click any word to change it.</span></p>
<div class="st-line"><textarea class="st-text" rows="1" aria-label="Your sentence" placeholder="Type a sentence"></textarea>
<div class="st-scroll"><svg class="st-arcs" aria-hidden="true"></svg><div class="st-words" role="group" aria-label="The sentence, word by word"></div></div></div>
<div class="st-tools"><button type="button" class="st-play" data-do="play">Let it write</button>
<button type="button" data-do="next">Next word</button>
<button type="button" data-do="back">Back</button><button type="button" data-do="again">Start over</button>
<button type="button" data-do="slow" aria-pressed="false">Slow</button>
<button type="button" class="st-show" data-do="show">Show me around</button>
<button type="button" class="st-show" data-do="word">Follow one word</button>
<button type="button" class="st-show" data-do="talks" aria-controls="talks" aria-expanded="false">Talks</button>
<button type="button" class="st-show" data-do="exercises" aria-controls="exercise-list" aria-expanded="false">Exercises</button>
<button type="button" data-do="link">Copy link</button>
<span class="st-said" role="status"></span></div>
</div>
<div class="st-two">
<p class="st-conclusion" role="status"></p>
<div class="st-machine"><div class="mc-box"></div>
<section class="st-next"><h2>Its guesses for the next word</h2><div class="st-bars"></div>
<button type="button" class="st-why lens-plain" data-do="why" title="what each part of the model wrote for it (W)">Why this word?</button></section>
<div class="mc-said" role="status"></div>
<div class="mc-key"><button type="button" class="lens-plain" data-do="step" title="one part after the other, then the next word">Step through</button>
<button type="button" class="lens-plain" data-do="sizes" aria-pressed="false" title="areas by number of parameters">Sizes</button>
<span class="look">where the head that writes most looks</span><span class="attention">attention writes</span><span class="mlp">MLP writes</span><span class="guess">what it would say if it stopped here</span></div></div>
<section class="st-film"><h2>How such a model learns</h2>
<div class="st-screen"></div><div class="st-caption"></div>
<div class="st-reel"></div></section>
</div>
<section class="st-story" id="story" aria-label="The story" hidden></section>
<section class="st-talks" id="talks" aria-label="Talks" hidden></section>
<section class="st-exercises" id="exercise-list" aria-label="Exercises" hidden></section>
<section class="st-ask" aria-label="What do you want to know?"><h2>What do you want to know?</h2>
<input type="search" class="st-search lens-plain" aria-label="Search the questions" placeholder="Search: copy, temperature, memory …">
<div class="st-questions"></div></section>
<nav class="st-doors" aria-label="The five other tabs">DOORS</nav>
<p class="st-told"><button type="button" data-do="story" aria-controls="story" aria-expanded="false">The story</button>
in six chapters: the one objective, GPT-1 number by number, and how GPT came about.</p>
"""


def start_view(value: str, *, film: Mapping[str, object], server_functions: ServerFunctions, elem_id: str) -> gr.HTML:
    """The component. Its value is JSON of `ui.lenses.start.handlers.sentence`, `film` what `ui.lenses.start.handlers.film` makes.

    Args:
        server_functions: guesses, typed and chapters, as in `ui.lenses.start.payloads`.
    """
    doors = "".join(
        f'<button type="button" data-tab="{escape(tab.title)}"><b>{escape(tab.title)}</b><span>{escape(tab.about)}</span></button>'
        for tab in TABS
        if tab.about
    )
    return component(
        value,
        _HTML.replace("DOORS", doors),
        "lenses/start/view/start_view.js",
        given={"film": film, "questions": [[one.text, one.way, one.sentence] for one in QUESTIONS]},
        elem_classes=["start-view"],
        server_functions=server_functions,
        elem_id=elem_id,
    )
