"""One input asked in every way."""

from ui.view import View

VIEW = View(name="ways", title="Ways of asking", place=20)
