"""The architecture to scale, and how its parts behave."""

from ui.view import View

VIEW = View(name="drawing", title="Drawing", place=20)
