"""HTML of the view, and its example texts."""

EXAMPLES = (
    ("Hello, world!", "Hello, world! How are you today?"),
    ("hello and  hello", "hello hello Hello HELLO\nhello"),
    ("Numbers", "7 42 1234 12345 3.14 2026-11-22"),
    ("Emoji and accents", "A café, a naïve 🙂 and a 👩‍🚀"),
    ("Unusual words", "The fox untied an unbelievably bumfuzzled zyzzyva."),
)
_BUTTONS = "".join(
    f'<button type="button" data-example="{index}">{title}</button>'
    for index, (title, _) in enumerate(EXAMPLES)
)
TOKENS = f"""
<div class="tk-top u-two" style="--columns: 2fr 1fr"><label class="tk-label u-muted u-type-sm">Any text, up to 1,000 characters
<textarea class="tk-text u-mono" rows="2" spellcheck="false"></textarea></label>
<div class="tk-examples u-row" role="group" aria-label="Examples">{_BUTTONS}</div></div>
<p class="tk-why u-apart u-muted u-type-sm">A model reads only token numbers, neither letters nor words.
Most tokens of GPT-2 start with their space, so
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
