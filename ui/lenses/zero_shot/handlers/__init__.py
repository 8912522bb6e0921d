"""Handlers of the Zero-shot tab."""
