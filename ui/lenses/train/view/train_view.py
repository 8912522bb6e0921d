"""Live view of a training run: curves, figures, samples, attention maps, and earlier runs."""

import gradio as gr

from ui.shared.files import ServerFunctions, component
from ui.shared.view.save_menu import save_menu

_HTML = """
<div class="tr-top u-row">
<div class="tr-title u-strong"></div>
<div class="tr-buttons u-row" role="group" aria-label="Steer the run">
<button type="button" data-cmd="pause" title="hold after this update">Pause</button>
<button type="button" data-cmd="step" data-n="1">Step 1</button>
<button type="button" data-cmd="step" data-n="10">Step 10</button>
<button type="button" data-cmd="stop" title="end it; what it learned stays">Stop</button>
<button type="button" data-cmd="again" title="train its model further, from its last snapshot" hidden>Go on</button></div>
</div>
<div class="tr-message u-pane u-apart" role="status" hidden></div>
<div class="tr-slow u-aside u-row" role="status" hidden><span></span>
<button type="button" data-cmd="longer">Go on for 30 s more</button>
<button type="button" data-do="recorded">Show the recorded run</button></div>
<div class="tr-why u-aside u-type-sm"></div>
<div class="tr-race u-apart u-strong" role="status" hidden></div>
<div class="tr-numbers u-apart"></div>
<div class="tr-verdict u-aside u-type-sm"></div>
<div class="tr-row u-row u-type-sm"><label>Learning rate now <input type="range" class="tr-rate u-grow" min="-4" max="4" step="0.5" value="0"></label>
<output class="tr-rate-said"></output>
<label>Guess the final held-out loss <input class="tr-guess u-mono" style="width: 5em" type="number" min="0" max="20" step="0.05"></label>
<span class="tr-guessed" role="status"></span></div>
<div class="tr-grid u-two" style="--columns: 3fr 2fr">
<div class="tr-left"><div class="tr-key u-key u-row u-muted u-type-xs"><span class="tr-key-race" hidden><i></i><b class="tr-key-mine"></b>
<i style="--hue: var(--lens-against)"></i><b class="tr-key-rival"></b> thin: training, dots: held out</span>
<span class="tr-key-one"><i></i>training, smoothed <i style="--hue: var(--lens-bar); height: 1px"></i>every update
<i style="--hue: var(--body-text-color)"></i>held out <i style="--hue: var(--lens-line); height: 1.5px; opacity: 0.6"></i>earlier runs</span>
<span class="tr-key-heads">heads: <i style="--hue: var(--lens-series-3)"></i>induction
<i style="--hue: var(--lens-bar)"></i>token before</span><label><input type="checkbox" class="tr-norms"> gradient norm</label>
<button type="button" class="tr-all" hidden>See all</button></div>
<div class="tr-plot" role="img" aria-label="Loss, head scores and learning rate over the updates, and on wish the gradient norm"><canvas></canvas><canvas></canvas></div>
<div class="tr-readout u-line u-type-xs u-digits"></div></div>
<div class="tr-right">
<div class="tr-row u-row u-type-sm"><label class="tr-grow">Point in training <input type="range" class="tr-scrub u-grow" min="0" max="0" step="1" value="0"></label>
<button type="button" data-do="latest" title="follow the run">Latest</button></div>
<div class="tr-at u-line u-muted u-type-xs" role="status"></div>
<div class="tr-samples"><div><div class="tr-mine u-apart u-strong" hidden></div>
<div class="tr-text u-reading u-pane u-type-xl u-mono" tabindex="0" role="group" aria-label="What the model writes at this moment"></div></div>
<div class="tr-rival" hidden><div class="tr-rival-name u-apart u-strong" style="--hue: var(--lens-against)"></div>
<div class="tr-rival-text u-reading u-pane u-type-xl u-mono" tabindex="0" role="group" aria-label="What it is compared with: its rival at the same second, or
itself before this training"></div></div></div>
<div class="tr-row u-row u-type-sm"><label><span class="tr-next-name">Next character</span> <input class="tr-next u-mono" style="width: 5em" maxlength="12" size="4" autocomplete="off" spellcheck="false"></label>
<span class="tr-chance u-digits" role="status"></span><canvas class="tr-spark" style="width: 130px; height: 30px" width="260" height="60" aria-hidden="true"></canvas></div>
<div class="tr-row u-row u-type-sm tr-try" hidden><label class="tr-grow">Try a line <input class="tr-line u-grow u-mono" maxlength="500" autocomplete="off"></label>
<span class="tr-told u-digits" role="status"></span></div>
<div class="tr-heads-title u-line u-muted u-type-xs"></div>
<div class="tr-heads"></div>
</div>
</div>
<div class="tr-scroll u-scroll" tabindex="0"><table class="tr-runs u-type-xs u-digits" aria-label="Runs"><thead><tr><td></td><th>run</th><th>what changed</th><th>updates</th><th>seconds</th>
<th>held-out loss</th><th>perplexity</th><th>bits per character</th></tr></thead><tbody></tbody></table></div>
<div class="ts-tools u-row u-type-xs"><button type="button" data-open="generate">Open in Generate</button>
<button type="button" data-open="attention">Open in Attention</button>
<button type="button" data-do="why" title="what each part of this model writes for the word after the beginning of its sample">Why this word?</button>
<button type="button" data-open="parameters">Open in Parameters</button>
SAVE
<button type="button" data-do="link" title="a link and a QR code that show this run in another browser or on a phone; nobody can control it with them">Follow on a phone</button>
<button type="button" data-do="control" title="a link with which another browser can pause, stop and start runs here">Share control</button>
<span class="ts-said u-muted tr-said" role="status"></span></div>
""".replace("SAVE", save_menu("png", "svg", csv="Curve, .csv", json="Run, .json"))


def train_view(value: str = "", *, server_functions: ServerFunctions, elem_id: str) -> gr.HTML:
    """The live view of a workspace of runs. Its value is JSON of {"workspace": id}.

    Without a value it shows the workspace that this browser last had, the one in the link, or the
    recorded example. Its event `models` carries {"workspace"} when there is a model to pick,
    `restore` the same where a page shows a run again, `open` {"workspace", "run", "tab"} when one
    shall be opened.

    server_functions: poll, command, heads, chances, past, recording, phone and tell, as in
        `ui.lenses.train.payloads`.
    """
    return component(
        value,
        _HTML,
        "lenses/train/view/train_view.js",
        needs=(),
        events=("models", "open", "restore"),
        elem_classes=["train-view"],
        server_functions=server_functions,
        elem_id=elem_id,
    )
