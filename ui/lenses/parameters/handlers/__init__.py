"""Handlers of the Parameters tab."""
