"""Handlers of the Generate tab."""
