"""Handlers of the Attention tab."""
