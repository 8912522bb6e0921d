"""Which parts of the model push towards a word, each checked by switching it off."""

from ui.view import View

VIEW = View(
    name="why", title="Why this word?", place=30, shows_sentence=True, state=("word", "rival")
)
