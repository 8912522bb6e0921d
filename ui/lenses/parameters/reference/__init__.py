"""What a shape costs, and how it stands among others."""

from ui.view import View

VIEW = View(name="reference", title="Reference", place=30)
