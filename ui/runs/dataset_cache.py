"""Tokenised data sets: split, encoded, with n-gram baselines, and the last few kept."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gptcore.errors import TrainingError
from gptcore.tokenizers import ByteBPE, CharTokenizer, Tokenizer
from gptcore.training import ngram_losses, split, tokenize
from ui.conclusions import counted

_MUCH = 0.2  # share of the held-out lines
_RECOGNISED = 8  # characters of a line; shorter ones repeat in any text
_MOST_CHARACTERS = 1000  # kinds of them
_MOST_COUNTED = 2_000_000  # tokens, for the counting lines


@dataclass(frozen=True)
class Prepared:
    """A text as ids."""

    tokenizer: Tokenizer  # of the text
    # train, valid: ids, integers
    train: np.ndarray
    valid: np.ndarray
    valid_bytes: int  # UTF-8 bytes of the held-out part
    tokens_per_character: float  # of the held-out part; turns nats per token into bits per character
    lines: dict[str, float]  # n-gram baselines on the held-out part, nats per token: "uniform", "unigram", "bigram"
    note: str = ""  # a sentence where the held-out part is not new to a model that read the other


@lru_cache(maxsize=8)
def prepared(documents: tuple[str, ...], *, tokenizer: Tokenizer | None, kind: str, vocab_size: int) -> Prepared:
    """A text encoded, by a tokenizer that is given or trained on it; the last few texts are kept.

    Args:
        documents: the text.
        tokenizer: of a model that is trained further; None makes one.
        kind: of the tokenizer to make, "char" or "bpe".
        vocab_size: of a "bpe" one.

    Raises:
        TrainingError, TokenizerError: with the value and the limit.
    """
    if tokenizer is None and kind == "bpe":
        tokenizer = ByteBPE.train(documents, vocab_size=vocab_size)
    elif tokenizer is None:
        kinds = len(set("".join(documents)) | {"\n"})
        if kinds > _MOST_CHARACTERS:
            raise TrainingError(
                f"The text has {kinds:,} different characters; a character vocabulary here has at most "
                f"{_MOST_CHARACTERS:,}. Choose the BPE tokenizer."
            )
        tokenizer = CharTokenizer.train("".join([*documents, "\n"]))
    train_texts, valid_texts = split(documents)
    note = _repeated(train_texts, valid_texts)
    if tokenizer.end_id is None:  # no end-of-text token marks document boundaries
        train_texts, valid_texts = (["\n\n".join(texts)] for texts in (train_texts, valid_texts))
    train, valid = tokenize(train_texts, tokenizer), tokenize(valid_texts, tokenizer)
    if len(train) < 3 or len(valid) < 3:
        raise TrainingError(
            f"The text has {len(train) + len(valid)} tokens, a tenth of them held out; neither part may be under 3. "
            "Give more text."
        )
    characters = sum(map(len, valid_texts))
    unigram, bigram = ngram_losses(train[-_MOST_COUNTED:], valid, tokenizer.vocab_size)
    lines = {"uniform": float(np.log(tokenizer.vocab_size)), "unigram": unigram, "bigram": bigram}
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in valid_texts)
    return Prepared(tokenizer, train, valid, size, len(valid) / max(1, characters), lines, note)


def _repeated(train: list[str], valid: list[str]) -> str:
    """A sentence where many of the held-out lines stand in the training text; "" elsewhere."""
    known = set(_lines(train))
    held_out = _lines(valid)
    n_known = sum(line in known for line in held_out)
    if n_known < _MUCH * max(1, len(held_out)):
        return ""
    return (
        f"{n_known:,} of the {counted(len(held_out), 'held-out line')} {'stands' if n_known == 1 else 'stand'} in the "
        "training text, too: the held-out loss does not show what the model makes of new text."
    )


def _lines(texts: list[str]) -> list[str]:
    """The lines that are long enough to be recognised."""
    return [line.strip() for text in texts for line in text.splitlines() if len(line.strip()) >= _RECOGNISED]
