"""Exercises: a bar beside the view that they are about."""
