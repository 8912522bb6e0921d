"""Rooms beside the lenses: exercises, and the hall with its talks. A lens finds them by name and
imports none.
"""
