"""Around the lenses: opening models and their cards, the examples that the page opens with, the
page's own scripts.
"""
