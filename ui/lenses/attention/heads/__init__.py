"""Where every head looks, and what is left when parts are switched off."""

from ui.view import View

VIEW = View(
    name="heads", title="Heads", place=10, shows_sentence=True, state=("draws", "cell", "zoom")
)
