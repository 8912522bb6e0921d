"""Text files to token files to batches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from gptcore.errors import TrainingError
from gptcore.tokenizers.base import END_OF_TEXT, Tokenizer


def read_documents(path: str | Path) -> list[str]:
    """The documents of a UTF-8 text file, separated by lines that hold only the end-of-text marker.

    Raises:
        TrainingError: the file is missing, empty or not UTF-8 text.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise TrainingError(f"The text {path} cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path} is no UTF-8 text (byte {error.start}). Convert it first.") from None
    documents = [document.strip("\n") for document in f"{text}\n".split(f"\n{END_OF_TEXT}\n")]
    documents = [document for document in documents if document.strip()]
    if not documents:
        raise TrainingError(f"{path} has no text in it.")
    return documents


def tokenize(documents: Sequence[str], tokenizer: Tokenizer) -> np.ndarray:
    """All documents as one array of ids, uint16 or uint32 [N], each followed by the end token if there is one."""
    end = [] if tokenizer.end_id is None else [tokenizer.end_id]
    ids = [token for document in documents for token in (*tokenizer.encode(document), *end)]
    return np.array(ids, dtype=np.uint16 if tokenizer.vocab_size <= 1 << 16 else np.uint32)


def token_file(path: str | Path, tokenizer: Tokenizer, cache: Path) -> np.ndarray:
    """A text file's tokens, memory-mapped; encoded once into `cache` under a name made of text and tokenizer."""
    documents = read_documents(path)
    key = hashlib.sha256("\0".join(documents).encode())
    key.update(b"".join(tokenizer.token_bytes(i) + b"\0" for i in range(tokenizer.vocab_size)))
    file = cache / f"{Path(path).stem}-{key.hexdigest()[:16]}.npy"
    if not file.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial.npy")
        np.save(partial, tokenize(documents, tokenizer))
        partial.replace(file)
    return np.load(file, mmap_mode="r")


class Batches(Protocol):
    """Where a training run takes its batches from.

    Attributes:
        window: T, tokens in a sequence.
        batch_size: B, sequences in a batch.
    """

    window: int
    batch_size: int

    def draw(self, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Inputs and targets, int64 [B, T] each; targets are the inputs moved one token on."""
        ...


@dataclass(frozen=True)
class Source:
    """Tokens and how often they are drawn, relative to the other sources."""

    tokens: np.ndarray
    weight: float = 1.0


class RandomWindows:
    """Batches of windows at random places, from sources chosen by weight.

    Args:
        sources: token arrays; each longer than one window.
        window: T, tokens in a sequence.
        batch_size: B, sequences in a batch.

    Raises:
        TrainingError: a source that is too short for one window and its next token.
    """

    def __init__(self, sources: Sequence[Source], *, window: int, batch_size: int) -> None:
        for source in sources:
            if len(source.tokens) <= window:
                raise TrainingError(
                    f"The text has {len(source.tokens)} tokens; one window of {window} and the token after it need "
                    f"{window + 1}. Give more text or choose a shorter window."
                )
        self.sources, self.window, self.batch_size = list(sources), window, batch_size
        self._weights = torch.tensor([source.weight for source in sources], dtype=torch.float64)

    def draw(self, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Inputs and targets, int64 [B, T] each; targets are the inputs moved one token on."""
        chosen = torch.multinomial(self._weights, self.batch_size, replacement=True, generator=generator).tolist()
        rows = []
        for index in chosen:
            tokens = self.sources[index].tokens
            start = int(torch.randint(len(tokens) - self.window, (), generator=generator))
            rows.append(tokens[start : start + self.window + 1].astype(np.int64))
        batch = torch.from_numpy(np.stack(rows))  # [B, T + 1]
        return batch[:, :-1], batch[:, 1:]


class RepeatedSequences:
    """Batches of random tokens that repeat: only by looking up what came next last time can they be predicted.

    Each row draws its own period and tokens. Small attention-only models form induction heads on it
    (Olsson et al. 2022, "In-context Learning and Induction Heads").

    Args:
        vocab_size: V, tokens to draw from.
        window: T, tokens in a sequence.
        batch_size: B, sequences in a batch.
        periods: shortest and longest distance after which a row repeats.

    Raises:
        TrainingError: no period that fits twice into the window.
    """

    def __init__(self, vocab_size: int, *, window: int, batch_size: int, periods: tuple[int, int] = (8, 32)) -> None:
        shortest, longest = periods
        if not 1 <= shortest <= longest <= window // 2:
            raise TrainingError(
                f"The periods {shortest} to {longest} must rise, from at least 1 to at most {window // 2}, "
                "half the window."
            )
        self.vocab_size, self.window, self.batch_size, self.periods = vocab_size, window, batch_size, periods

    def draw(self, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Inputs and targets, int64 [B, T] each; targets are the inputs moved one token on."""
        shortest, longest = self.periods
        period = torch.randint(shortest, longest + 1, (self.batch_size, 1), generator=generator)
        tokens = torch.randint(self.vocab_size, (self.batch_size, longest), generator=generator)
        batch = tokens.gather(1, torch.arange(self.window + 1) % period)  # [B, T + 1]
        return batch[:, :-1], batch[:, 1:]


def encoded_documents(path: str | Path, tokenizer: Tokenizer) -> Iterator[tuple[list[int], int]]:
    """Each document's (ids, UTF-8 bytes), for scoring held-out text."""
    for document in read_documents(path):
        yield tokenizer.encode(document), len(document.encode("utf-8"))
