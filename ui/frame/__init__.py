"""Handlers of the page as a whole."""
