"""Writing on from the prompt, token by token."""

from ui.view import View

VIEW = View(name="write", title="Write", place=10, shows_sentence=True)
