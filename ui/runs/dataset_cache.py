"""Tokenised data sets: split, encoded, with n-gram baselines; the last few are kept."""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from gptcore.errors import TokenizerError, TrainingError
from gptcore.tokenizers import ByteBPE, CharTokenizer, Tokenizer, vocabulary
from gptcore.tokenizers.base import check_text
from gptcore.training import ngram_losses, split, tokenize
from ui.conclusions import counted

T = TypeVar("T")

_MUCH = 0.2  # share of the held-out lines
_RECOGNISED = 8  # characters of a line; shorter ones repeat in any text
_MOST_CHARACTERS = 1000  # kinds of them
_MOST_COUNTED = 2_000_000  # tokens, for the n-gram baselines
_PART = 1_000_000  # characters that are encoded between two progress reports
_PAUSE = 0.1  # seconds between two looks at another process or thread
_MOST_KEPT = 8  # data sets
_LARGE = 500_000  # characters; a smaller text takes under a second

_Key = tuple[tuple[str, ...], Tokenizer | None, str, int]
_kept: dict[_Key, "Prepared"] = {}
_keeping = threading.Lock()  # guards _kept
_one_large = threading.Lock()  # held while a large text is prepared, which takes memory


@dataclass(frozen=True)
class Prepared:
    """A text as ids."""

    tokenizer: Tokenizer  # of the text
    # train, valid: ids, integers
    train: np.ndarray
    valid: np.ndarray
    valid_bytes: int  # UTF-8 bytes of the held-out part
    tokens_per_character: (
        float  # of the held-out part; turns nats per token into bits per character
    )
    # n-gram baselines on the held-out part, nats per token: "uniform", "unigram", "bigram"
    lines: dict[str, float]
    note: str = ""  # a sentence where the held-out part is not new to a model that read the other


def prepare(
    documents: tuple[str, ...], *, tokenizer: Tokenizer | None, kind: str, vocab_size: int
) -> Generator[str, None, Prepared]:
    """Encodes a text with a given tokenizer, or with one trained on it; yields its progress as
    sentences.

    Closing the generator stops the work. One large text is prepared at a time.

    Args:
        documents: the text.
        tokenizer: of a model that is trained further; None trains one.
        kind: of the tokenizer to train, "char" or "bpe".
        vocab_size: of a "bpe" one.

    Raises:
        TrainingError, TokenizerError: with the value and the limit.
    """
    key = (documents, tokenizer, kind, vocab_size)
    if not _is_large(documents):
        return _kept.get(key) or _keep(key, (yield from _prepare(*key)))
    while not _one_large.acquire(timeout=_PAUSE):
        yield "Waits for another text to be prepared."
    try:
        return _kept.get(key) or _keep(key, (yield from _prepare(*key)))
    finally:
        _one_large.release()


def is_quick(
    documents: tuple[str, ...], *, tokenizer: Tokenizer | None, kind: str, vocab_size: int
) -> bool:
    """Tells whether `prepare` takes less than a second."""
    return not _is_large(documents) or (documents, tokenizer, kind, vocab_size) in _kept


def _is_large(documents: tuple[str, ...]) -> bool:
    return sum(map(len, documents)) > _LARGE


def _keep(key: _Key, data_set: Prepared) -> Prepared:
    with _keeping:
        _kept[key] = data_set
        while len(_kept) > _MOST_KEPT:
            del _kept[next(iter(_kept))]
    return data_set


def completed(steps: Generator[object, None, T]) -> T:
    """Runs a generator to its end and returns its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def _prepare(
    documents: tuple[str, ...], tokenizer: Tokenizer | None, kind: str, vocab_size: int
) -> Generator[str, None, Prepared]:
    if tokenizer is None and kind == "bpe":
        tokenizer = yield from _learn_apart(documents, vocab_size)
    elif tokenizer is None:
        tokenizer = _characters_of(documents)
    train_texts, valid_texts = split(documents)
    note = _repeated(train_texts, valid_texts)
    if tokenizer.end_id is None:  # no end-of-text token marks document boundaries
        train_texts = ["\n\n".join(train_texts)]
        valid_texts = ["\n\n".join(valid_texts)]
    train = yield from _encode(train_texts, tokenizer)
    valid = yield from _encode(valid_texts, tokenizer)
    if len(train) < 3 or len(valid) < 3:
        raise TrainingError(
            f"The text has {len(train) + len(valid)} tokens, a tenth of them held out; neither "
            "part may be under 3. Give more text."
        )
    yield "Counts tokens and pairs of tokens."
    characters = sum(map(len, valid_texts))
    unigram, bigram = ngram_losses(train[-_MOST_COUNTED:], valid, tokenizer.vocab_size)
    lines = {"uniform": float(np.log(tokenizer.vocab_size)), "unigram": unigram, "bigram": bigram}
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in valid_texts)
    return Prepared(tokenizer, train, valid, size, len(valid) / max(1, characters), lines, note)


def _learn_apart(documents: tuple[str, ...], vocab_size: int) -> Generator[str, None, ByteBPE]:
    """Learns a byte-level vocabulary in a process of its own, which ends with the generator."""
    program = [sys.executable, "-P", vocabulary.__file__, str(vocab_size - 1)]
    pipe = subprocess.PIPE
    with tempfile.TemporaryFile("w+", encoding="utf-8") as texts:
        json.dump([check_text(document) for document in documents], texts)
        texts.seek(0)
        with subprocess.Popen(program, stdin=texts, stdout=pipe, stderr=pipe) as process:
            try:
                while True:
                    try:
                        learned, problem = process.communicate(timeout=_PAUSE)
                        break
                    except subprocess.TimeoutExpired:
                        yield f"Learns a vocabulary of {vocab_size:,} tokens from the text."
            finally:
                process.kill()
    if process.returncode:
        cause = problem.decode("utf-8", "replace").strip().splitlines()
        raise TokenizerError(
            "No vocabulary could be learned from this text "
            f"({cause[-1][:120] if cause else process.returncode}). Shorten it, or choose "
            "characters as tokens."
        )
    return ByteBPE.from_learned(json.loads(learned), vocab_size=vocab_size)


def _characters_of(documents: tuple[str, ...]) -> CharTokenizer:
    characters = set("\n").union(*documents)
    if len(characters) > _MOST_CHARACTERS:
        raise TrainingError(
            f"The text has {len(characters):,} different characters; a character vocabulary "
            f"here has at most {_MOST_CHARACTERS:,}. Choose the BPE tokenizer."
        )
    return CharTokenizer.train("".join(characters))


def _encode(texts: list[str], tokenizer: Tokenizer) -> Generator[str, None, np.ndarray]:
    """Encodes texts as `tokenize` does, in parts: whole texts together, or slices where characters
    are tokens.
    """
    if tokenizer.kind == "char":
        (text,) = texts  # characters have no end-of-text token
        texts = [text[start : start + _PART] for start in range(0, max(1, len(text)), _PART)]
    total = max(1, sum(map(len, texts)))
    arrays = list[np.ndarray]()
    done = waiting = 0
    part = list[str]()
    for text in texts:
        part.append(text)
        waiting += len(text)
        if waiting >= _PART:
            arrays.append(tokenize(part, tokenizer))
            done += waiting
            waiting = 0
            part = []
            yield f"Encodes the text: {done / total:.0%}."
    if part or not arrays:
        arrays.append(tokenize(part, tokenizer))
    return np.concatenate(arrays)


def _repeated(train: list[str], valid: list[str]) -> str:
    """A sentence where many of the held-out lines stand in the training text; "" elsewhere."""
    known = set(_lines(train))
    held_out = _lines(valid)
    n_known = sum(line in known for line in held_out)
    if n_known < _MUCH * max(1, len(held_out)):
        return ""
    return (
        f"{n_known:,} of the {counted(len(held_out), 'held-out line')} "
        f"{'stands' if n_known == 1 else 'stand'} in the training text, too: the held-out loss "
        "does not show what the model makes of new text."
    )


def _lines(texts: list[str]) -> list[str]:
    """The lines that are long enough to be recognised."""
    return [
        line.strip()
        for text in texts
        for line in text.splitlines()
        if len(line.strip()) >= _RECOGNISED
    ]
