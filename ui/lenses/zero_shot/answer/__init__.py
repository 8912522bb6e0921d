"""A task put to the model by the prompt alone."""

from ui.view import View

VIEW = View(name="answer", title="Answer", place=10)
