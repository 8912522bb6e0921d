"""Handlers of the Train tab."""
