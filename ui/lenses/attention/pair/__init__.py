"""What one sentence, copied into the other, changes, and where attention differs."""

from ui.view import View

VIEW = View(name="pair", title="Two sentences", place=40, state=("patched", "difference"))
