"""A model's card: the README that lies beside the weights of a bundled one, as the page shows it."""

import re

from gptcore.language_model import bundled_models
from ui.shared import inputs
from ui.state.model_store import base_name

_CARD = "README.md"
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n*")  # lies in the repository; the page has the curve in its tables


def card(model: object) -> str:
    """The card as Markdown, without its title and pictures; for a model from elsewhere, where such a card is found.

    Raises:
        InputError: for what is no model's name.
    """
    name = inputs.model_name(model)
    folder = bundled_models().get(base_name(name))
    if folder is None or not (folder / _CARD).is_file():
        return (
            "This model does not come with the page, and its card is not here. "
            "Models on the Hugging Face Hub have one on their page there."
        )
    text = (folder / _CARD).read_text(encoding="utf-8")
    return _PICTURE.sub("", text.split("\n", 1)[1]).strip()
