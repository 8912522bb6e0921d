"""Texts of one token, as programs name them."""

from gptcore.language_model import LanguageModel
from gptcore.tokenizers import describe_token
from ui.shared import inputs
from ui.shared.inputs import InputError

LONGEST_TOKEN = 200  # characters


def token_id(lm: LanguageModel, text: object) -> int:
    """The id of a text that is one token. Raises InputError where it is several."""
    ids = lm.tokenizer.encode(inputs.text(text, "The token", most=LONGEST_TOKEN, least=1))
    if len(ids) != 1:
        labels = ", ".join(repr(describe_token(lm.tokenizer, item)) for item in ids[:8])
        raise InputError(
            f"{str(text)[:40]!r} is {len(ids)} tokens here ({labels}); give one. Most begin "
            "with a space."
        )
    return ids[0]
