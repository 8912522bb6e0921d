"""Texts to train on, from wherever they come: decoded, checked, split, encoded, and counted for comparison."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gptcore.corpora import CORPORA, corpus
from gptcore.tokenizers import END_OF_TEXT, ByteBPE, CharTokenizer, Tokenizer
from gptcore.training import ngram_losses, split, tokenize
from ui.handlers import inputs
from ui.handlers.inputs import InputError
from ui.limits import Limits

YOURS, DATA_SET, REPEATED = "yours", "data set", "repeated"
REPEATED_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."
_MOST_CHARACTERS = 1000  # kinds of them
_MOST_COUNTED = 2_000_000  # tokens, for the counting lines


@dataclass(frozen=True)
class Text:
    """Documents and where they are from; the note says what was done to read them."""

    documents: list[str]
    title: str
    note: str = ""


@dataclass(frozen=True)
class Prepared:
    """A text as ids.

    Attributes:
        tokenizer: of the text.
        train, valid: ids, integers.
        valid_bytes: UTF-8 bytes of the held-out part.
        tokens_per_character: of the held-out part; turns nats per token into bits per character.
        lines: n-gram baselines on the held-out part, nats per token: "uniform", "unigram", "bigram".
    """

    tokenizer: Tokenizer
    train: np.ndarray
    valid: np.ndarray
    valid_bytes: int
    tokens_per_character: float
    lines: dict[str, float]


def find_text(limits: Limits, name: object, *, written: object, file: object, data_set: object, offline: bool) -> Text:
    """The text that a form asks for.

    Args:
        limits: of this server.
        name: a built-in corpus, YOURS or DATA_SET.
        written: pasted text, for YOURS.
        file: path of an uploaded file, which goes before pasted text, or None.
        data_set: a data set's name on the Hugging Face Hub, for DATA_SET.
        offline: never use the network.

    Raises:
        InputError: nothing to read, too much, or no text.
    """
    if name == DATA_SET:
        from ui.handlers.train.data_sets import fetch_rows

        wanted = inputs.text(data_set, "The data set's name", most=200, least=1).strip()
        return Text(fetch_rows(wanted, offline=offline, most_bytes=limits.training_text_bytes), wanted)
    if name == YOURS:
        return _own_text(limits, written, file)
    if isinstance(name, str) and name in CORPORA:
        return Text(corpus(name), CORPORA[name].title)
    raise InputError(f"There is no text {str(name)[:40]!r}. Choose {', '.join([*CORPORA, REPEATED, YOURS])}.")


def _own_text(limits: Limits, written: object, file: object) -> Text:
    if isinstance(file, str) and file:
        path = Path(file)
        size = path.stat().st_size if path.is_file() else 0
        if size > limits.training_text_bytes:
            raise InputError(
                f"{path.name} has {size / 1e6:,.1f} MB; this server trains on at most "
                f"{limits.training_text_bytes / 1e6:,.0f} MB. Cut it, or train from the shell."
            )
        found, note = decoded(path.read_bytes(), path.name)
        title = path.name[:40]
    else:
        found = inputs.text(written, "Your text", most=limits.training_text_bytes, least=1)
        title, note = "your text", ""
    found = found.replace("\r\n", "\n").replace("\r", "\n")
    documents = [part.strip("\n") for part in f"\n{found}\n".split(f"\n{END_OF_TEXT}\n") if part.strip()]
    if not documents:
        raise InputError(f"{title} has no text in it. Paste some, or upload a .txt file.")
    kinds = len(set("".join(documents)))
    if kinds < 2:
        raise InputError(f"{title} repeats one character; there is nothing to learn. Give a text of several.")
    return Text(documents, title, note)


def decoded(raw: bytes, name: str) -> tuple[str, str]:
    """(the text, a note on how it was read or ""): UTF-8, UTF-16 with its mark, else line by line as far as it goes.

    Raises:
        InputError: bytes that are no text.
    """
    if raw[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):  # begins like UTF-16's mark
        return raw.decode("utf-32", errors="replace"), f"{name} was read as UTF-32."
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", errors="replace"), f"{name} was read as UTF-16."
    if b"\0" in raw:
        raise InputError(f"{name} is no text: it holds zero bytes. Upload a plain .txt file.")
    try:
        return raw.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        pass
    lines, other = [], 0
    for line in raw.split(b"\n"):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            lines.append(line.decode("cp1252", errors="replace"))
            other += 1
    found = "\n".join(lines)
    strange = sum(character < " " and character not in "\n\r\t\f" for character in found)
    if strange > 0.01 * len(found):
        raise InputError(f"{name} is no text: {strange:,} of its {len(found):,} characters are control characters.")
    return found, f"{other:,} line(s) of {name} were no UTF-8 and were read as Windows-1252."


class Preparations:
    """Prepared texts, by what they were made of; the least recently used make room."""

    def __init__(self, most: int = 8) -> None:
        self._most, self._lock = most, threading.Lock()
        self._kept: OrderedDict[str, Prepared] = OrderedDict()

    def get(self, documents: Sequence[str], *, tokenizer: Tokenizer | None, kind: str, vocab_size: int) -> Prepared:
        """A text encoded, by a tokenizer that is given or trained on it.

        Args:
            documents: the text.
            tokenizer: of a model that is trained further; None makes one.
            kind: of the tokenizer to make, "char" or "bpe".
            vocab_size: of a "bpe" one.

        Raises:
            InputError, TokenizerError: with the value and the limit.
        """
        key = hashlib.sha256("\0".join(documents).encode("utf-8", "surrogatepass"))
        key.update(repr((id(tokenizer) if tokenizer else None, kind, vocab_size)).encode())
        with self._lock:
            known = self._kept.get(key.hexdigest())
            if known is not None:
                self._kept.move_to_end(key.hexdigest())
                return known
        made = _prepare(documents, tokenizer or _new_tokenizer(documents, kind, vocab_size))
        with self._lock:
            self._kept[key.hexdigest()] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


def _new_tokenizer(documents: Sequence[str], kind: str, vocab_size: int) -> Tokenizer:
    if kind == "bpe":
        return ByteBPE.train(documents, vocab_size=vocab_size)
    kinds = len(set("".join(documents)) | {"\n"})
    if kinds > _MOST_CHARACTERS:
        raise InputError(
            f"The text has {kinds:,} different characters; a character vocabulary here has at most "
            f"{_MOST_CHARACTERS:,}. Choose the BPE tokenizer."
        )
    return CharTokenizer.train("".join([*documents, "\n"]))


def _prepare(documents: Sequence[str], tokenizer: Tokenizer) -> Prepared:
    train_texts, valid_texts = split(documents)
    if tokenizer.end_id is None:  # nothing else marks where a document ends
        train_texts, valid_texts = (["\n\n".join(texts)] for texts in (train_texts, valid_texts))
    train, valid = tokenize(train_texts, tokenizer), tokenize(valid_texts, tokenizer)
    if len(train) < 3 or len(valid) < 3:
        raise InputError(
            f"The text has {len(train) + len(valid)} tokens, a tenth of them held out; neither part may be under 3. "
            "Give more text."
        )
    characters = sum(map(len, valid_texts))
    unigram, bigram = ngram_losses(train[-_MOST_COUNTED:], valid, tokenizer.vocab_size)
    lines = {"uniform": float(np.log(tokenizer.vocab_size)), "unigram": unigram, "bigram": bigram}
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in valid_texts)
    return Prepared(tokenizer, train, valid, size, len(valid) / max(1, characters), lines)


def labels(tokenizer: Tokenizer, ids: Sequence[int]) -> list[Any]:
    """Tokens as the page shows them."""
    from gptcore.tokenizers import describe_token

    return [describe_token(tokenizer, token) for token in ids]
