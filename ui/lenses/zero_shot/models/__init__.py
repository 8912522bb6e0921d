"""Models side by side, and how often they are right."""

from ui.view import View

VIEW = View(name="models", title="Scoreboard", place=30)
