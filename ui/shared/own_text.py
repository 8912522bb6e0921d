"""Default text of a model: the initial text of every tab until the visitor writes one."""

import json
from contextlib import suppress

from gptcore.errors import GPTCoreError, TokenizerError
from gptcore.language_model import LanguageModel, bundled_models
from ui.services import Services
from ui.state.model_store import base_name

TEXT = 'One day, Lily lost her hat. Tom said, "Do not cry, Lily. I will help you find your'
REPEATING = "the cat sat on a mat and the cat sat on a "
_EXAMPLE = "example.json"  # in a bundled model's folder: {"prompt": ...}
_LEAST_TO_READ = 8  # tokens; fewer leave little to attend to


def own_text(services: Services, name: str, lm: LanguageModel) -> str:
    """A default text for a model: a run's sample prompt, the bundled one, or one that it can
    encode.
    """
    given = _given(services, name)
    if given:
        return given
    if reads(lm, TEXT):
        return TEXT
    known = "".join(character for character in TEXT if reads(lm, character))
    shortened = known or lm.tokenizer.decode(
        [index % lm.tokenizer.vocab_size for index in range(8)]
    )
    cut = lm.tokenizer.decode(
        lm.tokenizer.encode(shortened)[: max(1, lm.model.config.n_positions // 2)]
    )
    whole = cut.rpartition(" ")[0]  # no word cut in two
    return whole if len(cut) < len(shortened) and reads(lm, whole) else cut


def text_to_read(services: Services, name: str, lm: LanguageModel) -> str:
    """The model's default text, or a longer one if that is too short."""
    own = own_text(services, name, lm)
    if len(lm.tokenizer.encode(own)) >= _LEAST_TO_READ:
        return own
    return readable_text(lm)


def readable_text(lm: LanguageModel) -> str:
    """A text with repetitions; a model that cannot encode it gets some of its own tokens twice."""
    for text in (TEXT, REPEATING):
        with suppress(TokenizerError):
            lm.tokenizer.encode(text)
            return text
    some = lm.tokenizer.decode(
        [index % lm.tokenizer.vocab_size for index in range(1, _LEAST_TO_READ + 1)]
    )
    return some + some


def reads(lm: LanguageModel, text: str) -> bool:
    """Whether a model can read a text whole: every character, within its window."""
    try:
        return 0 < len(lm.tokenizer.encode(text)) < lm.model.config.n_positions
    except GPTCoreError:
        return False


def _given(services: Services, name: str) -> str:
    """The text that came with a model; "" where none did."""
    record = services.workspaces.find(name)
    if record is not None:
        return record.facts.prompt
    folder = bundled_models().get(base_name(name))
    if folder is None:
        return ""
    try:
        return str(json.loads((folder / _EXAMPLE).read_text(encoding="utf-8"))["prompt"])
    except (OSError, ValueError, KeyError, TypeError):
        return TEXT
