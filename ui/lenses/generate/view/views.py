"""What the browser draws on the Generate tab; `tab` and `chat` wire it."""

from functools import partial

from ui.lenses.generate.handlers.chat import STARTERS
from ui.lenses.generate.handlers.strategies import guides
from ui.shared.files import component
from ui.shared.view.save_menu import save_menu

_VIEW = "lenses/generate/view"

_CHAT = """
<p class="conclusion ch-said" role="status"></p>
<div class="ch-two u-two" style="--columns: 3fr 2fr"><section><h3>Chat</h3><div class="ch-log u-pane" role="log" aria-label="Conversation" tabindex="0"></div>
<div class="u-spread u-apart"><textarea class="ch-text u-grow" rows="2" aria-label="Message" placeholder="Write a message, or pick one below"></textarea>
<div class="ch-buttons u-row"><button type="button" class="ch-send u-act" data-do="send">Send</button>
<button type="button" data-do="stop">Stop</button></div></div>
<div class="ch-starters u-apart u-row" role="group" aria-label="Messages to begin with"></div>
<div class="ch-context u-line u-row u-apart u-muted u-type-xs"><span class="ch-bar u-meter u-ramp" role="img" aria-label="nothing of its window is used yet"><i></i></span><span class="ch-used"></span></div>
<div class="ch-tools u-apart u-row"><button type="button" data-do="again">Another answer</button>
<button type="button" data-do="new">New conversation</button>
<button type="button" data-do="save">Save .txt</button></div></section>
<section><h3>The same words, continued</h3><p class="u-muted">A plain GPT does not answer. It takes your words as the
beginning of a text.</p><p class="ch-plain u-reading" aria-live="polite"></p></section></div>
"""
# A conversation; the value is JSON of a `ChatAnswer`. Its event `ask` carries the conversation, `halt` nothing.
chat_view = partial(
    component, template=_CHAT, module=f"{_VIEW}/chat_view.js", events=("ask", "halt"), given={"starters": STARTERS}
)

_DISTRIBUTION = """
<p class="conclusion" role="status"></p>
<div class="dv-table u-type-sm" role="table"></div>
<div class="ts-tools u-row u-type-xs dv-tools u-apart">
SAVE
<span class="ts-said u-muted" role="status"></span></div>
""".replace("SAVE", save_menu("csv", "png", "svg"))
# The same tokens in every stage of sampling; the value is JSON of a `Distribution`. Its event `pick` carries {"id"}.
distribution_view = partial(component, template=_DISTRIBUTION, module=f"{_VIEW}/distribution_view.js", events=("pick",))

_STRATEGIES = """
<div class="sg-scroll u-scroll" tabindex="0"><table class="sh-table u-type-sm u-digits sg-guide" aria-label="Strategies"><thead><tr><th>strategy</th><th>what it does</th>
<th>suits</th><th>usual values</th><th>how it fails</th><th></th></tr></thead><tbody></tbody></table></div>
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
# What each strategy does to one distribution; the value is JSON of a `TextRequest`, and it asks for `probabilities`.
# Its event `pick` carries settings by the names of the controls.
strategies_view = partial(
    component, "", _STRATEGIES, f"{_VIEW}/strategies_view.js", events=("pick",), given={"guides": guides()}
)

EXAMPLES = (
    ("Hello, world!", "Hello, world! How are you today?"),
    ("hello and  hello", "hello hello Hello HELLO\nhello"),
    ("Numbers", "7 42 1234 12345 3.14 2026-11-22"),
    ("Emoji and accents", "A café, a naïve 🙂 and a 👩‍🚀"),
    ("Unusual words", "The fox untied an unbelievably bumfuzzled zyzzyva."),
)
_BUTTONS = "".join(
    f'<button type="button" data-example="{place}">{title}</button>' for place, (title, _) in enumerate(EXAMPLES)
)
_TOKENS = f"""
<div class="tk-top u-two" style="--columns: 2fr 1fr"><label class="tk-label u-muted u-type-sm">Any text, up to 1,000 characters
<textarea class="tk-text u-mono" rows="2" spellcheck="false"></textarea></label>
<div class="tk-examples u-row" role="group" aria-label="Examples">{_BUTTONS}</div></div>
<p class="tk-why u-apart u-muted u-type-sm">A model reads no letters and no words, only numbers of tokens. Most tokens of GPT-2 start with their space, so
“hello” at the start and “ hello” after a word are two tokens that share nothing until training relates them. Long numbers
fall into odd pieces, and a rare sign into its bytes. GPT-1 has only lower-case words.</p>
<div class="tk-rows" aria-live="polite"></div>
<div class="tk-two u-apart u-two">
<section><h3>Merge by merge</h3><p class="tk-note u-apart u-muted u-type-sm">From bytes to tokens: of all neighbours in the text, the pair that was
learned first becomes one, again and again. <select class="tk-which" aria-label="Tokenizer"></select></p>
<label class="tk-slide u-row u-apart"><input type="range" class="tk-step u-grow" min="0" value="0" aria-label="Merges done"><output class="u-type-sm u-digits"></output></label>
<div class="tk-cut u-row u-mono u-pane" tabindex="0"></div><div class="tk-said u-muted u-type-xs" role="status"></div></section>
<section><h3>Learn one here</h3><p class="tk-note u-apart u-muted u-type-sm">Byte-pair encoding counts neighbours in a text, joins the most frequent pair,
and counts again.</p>
<textarea class="tk-own u-mono" rows="3" aria-label="Text to learn from" spellcheck="false"></textarea>
<label class="tk-slide u-row u-apart"><input type="range" class="tk-learn u-grow" min="0" value="0" aria-label="Merges learned"><output class="u-type-sm u-digits"></output></label>
<div class="tk-cut u-row u-mono u-pane" tabindex="0"></div><div class="tk-said u-muted u-type-xs" role="status"></div><ol class="tk-list u-type-xs u-mono"></ol></section>
</div>
"""
# A text under several tokenizers; the value is the name of the picked model, and it asks for cut, steps and learned.
tokens_view = partial(
    component, "", _TOKENS, f"{_VIEW}/tokens_view.js", given={"examples": [text for _, text in EXAMPLES]}
)
