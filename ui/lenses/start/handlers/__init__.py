"""Handlers of the Start tab: one sentence as its model sees it, and a run as a film."""
