"""Where the parameters of a shape are."""

from ui.view import View

VIEW = View(name="count", title="Count", place=10)
