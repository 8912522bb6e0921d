"""One text with and one without a direction added to the residual stream."""

from ui.view import View

VIEW = View(name="steer", title="Steer", place=40, is_more=True, shows_sentence=True)
