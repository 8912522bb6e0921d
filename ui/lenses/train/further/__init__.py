"""The picked model, trained further on a text, on labels, or into an assistant."""

from ui.view import View

VIEW = View(name="further", title="Continue", place=20)
