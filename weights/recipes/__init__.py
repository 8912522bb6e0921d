"""How the bundled weights were made: the small synthetic web, and training that the page itself
never uses.

Each module is run as the cards in `weights/` say: `python -m weights.recipes.pages`, and so on.
Nothing in `gptcore` or `ui` imports from here.
"""
