"""A model that learns while people watch."""

from ui.view import View

VIEW = View(name="scratch", title="From scratch", place=10)
