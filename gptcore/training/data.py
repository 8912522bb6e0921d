"""Text files to token files to batches; what is held out, and what counting predicts of it."""

import hashlib
import random
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from gptcore.errors import TrainingError
from gptcore.tokenizers.base import Tokenizer

_MOST_LOST = (
    0.01  # of all examples, that may be left out of the training for the sake of one held out
)


def tokenize(documents: Sequence[str], tokenizer: Tokenizer) -> np.ndarray:
    """All documents as one array of ids, uint16 or uint32 [N], each followed by the end token if
    there is one.
    """
    end = [] if tokenizer.end_id is None else [tokenizer.end_id]
    ids = [token for document in documents for token in (*tokenizer.encode(document), *end)]
    return np.array(ids, dtype=np.uint16 if tokenizer.vocab_size <= 1 << 16 else np.uint32)


def encoded(documents: Sequence[str], tokenizer: Tokenizer) -> list[tuple[list[int], int]]:
    """Each document's (ids, UTF-8 bytes), for `score_documents`."""
    return [(tokenizer.encode(document), len(document.encode("utf-8"))) for document in documents]


def token_file(
    documents: Sequence[str], tokenizer: Tokenizer, cache: Path, *, name: str = "text"
) -> np.ndarray:
    """A text's tokens, memory-mapped; encoded once and cached under a hash of the text and the
    tokenizer.
    """
    key = hashlib.sha256("\0".join(documents).encode())
    key.update(b"".join(tokenizer.token_bytes(i) + b"\0" for i in range(tokenizer.vocab_size)))
    file = cache / f"{name}-{key.hexdigest()[:16]}.npy"
    if not file.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial.npy")
        np.save(partial, tokenize(documents, tokenizer))
        partial.replace(file)
    return np.load(file, mmap_mode="r")


def split(documents: Sequence[str], *, share: float = 0.1) -> tuple[list[str], list[str]]:
    """(training, held-out) documents: holds out documents at regular intervals, or the tail of the
    last.

    Args:
        documents: texts, in any order.
        share: of the documents, or of the only document's characters, that is held out; in (0,
            0.5].
    """
    if len(documents) >= 2 / share:
        every = round(1 / share)
        held_out = [
            document for index, document in enumerate(documents) if index % every == every - 1
        ]
        return [
            document for index, document in enumerate(documents) if index % every != every - 1
        ], held_out
    *front, last = documents
    whole = sum(map(len, documents))
    cut = max(0, len(last) - round(share * whole))
    return [*front, last[:cut]] if cut else front, [last[cut:]]


def split_without_overlap(
    keys: Sequence[Collection[Hashable]], wanted: int, *, seed: int
) -> tuple[list[int], list[int]]:
    """Splits examples by index: no key occurs in both parts; each occurs at most once in the
    held-out part.

    Examples that share a key with a held-out one are in neither part. An example that shares a key
    with many others, such as a greeting, stays in the training part.

    Args:
        keys: of every example, what makes two of them too much alike: its text, its prompt, its
            story.
        wanted: size of the held-out part; it is smaller where too many examples are alike.
        seed: of the random choice.

    Returns:
        The indices of the training part and of the held-out part, each in order.
    """
    indices: dict[Hashable, list[int]] = {}
    for index, own in enumerate(keys):
        for key in own:
            indices.setdefault(key, []).append(index)
    most = max(1, round(_MOST_LOST * len(keys)))
    held = list[int]()
    gone = set[int]()
    for index in random.Random(seed).sample(range(len(keys)), len(keys)):
        alike = {other for key in keys[index] for other in indices[key]}
        if len(held) == wanted:
            break
        if index not in gone and len(alike) <= most and not alike & gone:
            held.append(index)
            gone |= alike
    return [index for index in range(len(keys)) if index not in gone], sorted(held)


def generator_for(seed: int, *key: int | str) -> torch.Generator:
    """Returns a random generator that depends only on the seed and a key, such as the number of
    the batch.

    A run can thus resume at any batch, and several processes can draw the same one.
    """
    digest = hashlib.sha256(repr((seed, *key)).encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))


class Batches(Protocol):
    """Data-loader protocol: the source of a training run's batches."""

    window: int  # T, tokens in a sequence
    batch_size: int  # B, sequences in a batch

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        """Batch number `index` of a run with this seed.

        Returns:
            inputs and targets, int64 [B, T] each; targets are the inputs shifted by one token.
        """
        ...


@dataclass(frozen=True)
class Source:
    """Tokens and how they are drawn."""

    tokens: np.ndarray  # integers [N]
    weight: float = 1.0  # of its being drawn, relative to the other sources
    # the token that ends a document, for windows that begin where a document does, as prompts do;
    # None for windows that begin anywhere
    starts_after: int | None = None


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
                has = (
                    f"The text has {len(source.tokens)} tokens; one window of {window} and the "
                    "token after it need"
                )
                raise TrainingError(
                    f"{has} {window + 1}. Give more text or choose a shorter window."
                )
        self._starts = [
            None if source.starts_after is None else _starts(source.tokens, source.starts_after)
            for source in sources
        ]
        self.sources: list[Source] = list(sources)
        self.window = window
        self.batch_size = batch_size
        self._weights = torch.tensor([source.weight for source in sources], dtype=torch.float64)

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        generator = generator_for(seed, index)
        chosen = torch.multinomial(
            self._weights, self.batch_size, replacement=True, generator=generator
        ).numpy()
        where = torch.rand(self.batch_size, dtype=torch.float64, generator=generator).numpy()
        batch = np.empty((self.batch_size, self.window + 1), dtype=np.int64)
        for number, source in enumerate(self.sources):
            rows = np.flatnonzero(chosen == number)
            begins = self._starts[number]
            most = len(source.tokens) - self.window
            starts = (where[rows] * (most if begins is None else len(begins))).astype(np.int64)
            if begins is not None:
                starts = np.minimum(begins[starts], most - 1)
            batch[rows] = source.tokens[starts[:, None] + np.arange(self.window + 1)]
        drawn = torch.from_numpy(batch)
        return drawn[:, :-1], drawn[:, 1:]


def _starts(tokens: np.ndarray, end_id: int) -> np.ndarray:
    """Indices where documents begin, each right after an end token."""
    return np.concatenate([[0], np.flatnonzero(tokens[:-1] == end_id) + 1])


class OneBatch:
    """The same batch again and again, for a model to memorise. Its size and window are those of
    `data`.
    """

    def __init__(self, data: Batches) -> None:
        self.data = data
        self.window: int = data.window
        self.batch_size: int = data.batch_size

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        return self.data.draw(0, seed)


class Rows:
    """One worker's share of every batch of `data`.

    Args:
        data: batches of all workers together.
        rank: which worker, from 0.
        n_workers: how many there are.

    Raises:
        TrainingError: a batch that cannot be divided among them.
    """

    def __init__(self, data: Batches, *, rank: int, n_workers: int) -> None:
        if data.batch_size % n_workers:
            why = f"A batch of {data.batch_size} cannot be divided among {n_workers} processes."
            raise TrainingError(f"{why} Take a multiple of {n_workers}.")
        self.data = data
        self.rank = rank
        self.window: int = data.window
        self.batch_size: int = data.batch_size // n_workers

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        inputs, targets = self.data.draw(index, seed)
        mine = slice(self.rank * self.batch_size, (self.rank + 1) * self.batch_size)
        return inputs[mine], targets[mine]


class RepeatedSequences:
    """Batches of repeated random tokens, predictable only by looking up what came next last time.

    Each row draws its own period and tokens. Small attention-only models form induction heads on
    it; the training set-up is this project's own.

    Args:
        vocab_size: V, tokens to draw from.
        window: T, tokens in a sequence.
        batch_size: B, sequences in a batch.
        periods: shortest and longest distance after which a row repeats.

    Raises:
        TrainingError: no period that fits twice into the window.
    """

    def __init__(
        self, vocab_size: int, *, window: int, batch_size: int, periods: tuple[int, int] = (8, 32)
    ) -> None:
        shortest, longest = periods
        if not 1 <= shortest <= longest <= window // 2:
            most = f"at most {window // 2}, half the window"
            raise TrainingError(
                f"The periods {shortest} to {longest} must rise, from at least 1 to {most}."
            )
        self.vocab_size = vocab_size
        self.window = window
        self.batch_size = batch_size
        self.periods = periods

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        generator = generator_for(seed, index)
        shortest, longest = self.periods
        period = torch.randint(shortest, longest + 1, (self.batch_size, 1), generator=generator)
        tokens = torch.randint(self.vocab_size, (self.batch_size, longest), generator=generator)
        batch = tokens.gather(1, torch.arange(self.window + 1) % period)  # [B, T + 1]
        return batch[:, :-1], batch[:, 1:]


class UnigramNoise:
    """Batches in which some input tokens are replaced by others of the batch, and so as often as
    the text has them.

    The targets stay. Where a text is read many times, this keeps a model from learning it by heart.
    Source: Xie et al. 2017, "Data noising as smoothing in neural network language models": unigram
    noising.

    Args:
        data: where the rows come from.
        share: of the input tokens that are replaced, in [0, 1).

    Raises:
        TrainingError: a share outside its range.
    """

    def __init__(self, data: Batches, *, share: float) -> None:
        if not 0 <= share < 1:
            raise TrainingError(
                f"The share of input tokens to replace is {share}; it must lie in [0, 1)."
            )
        self.data = data
        self.share = share
        self.window: int = data.window
        self.batch_size: int = data.batch_size

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        inputs, targets = self.data.draw(index, seed)
        generator = generator_for(seed, "noise", index)
        replaced = torch.rand(inputs.shape, generator=generator) < self.share  # [B, T]
        # [B, T]
        others = inputs.flatten()[torch.randint(inputs.numel(), inputs.shape, generator=generator)]
        return torch.where(replaced, others, inputs), targets


def ngram_losses(train: np.ndarray, valid: np.ndarray, vocab_size: int) -> tuple[float, float]:
    """Held-out losses of a unigram and a bigram model.

    Counts come from the training text. The unigram model uses add-one smoothing; the bigram model
    is interpolated with it by Witten-Bell smoothing (Witten and Bell 1991).

    Args:
        train: integers [N], what is counted.
        valid: integers [M], what is predicted; M >= 2.
        vocab_size: V.

    Returns:
        (unigram, bigram) loss in nats per token of valid[1:].
    """
    train = np.asarray(train, dtype=np.int64)
    valid = np.asarray(valid, dtype=np.int64)
    counts = np.bincount(train, minlength=vocab_size) + 1.0
    unigram = counts / counts.sum()  # [V]
    single = float(-np.log(unigram[valid[1:]]).mean())
    keys, times = np.unique(train[:-1] * vocab_size + train[1:], return_counts=True)
    seen = np.bincount(train[:-1], minlength=vocab_size)  # [V], how often a token has a successor
    # [V], number of distinct successors
    kinds = np.bincount(keys // vocab_size, minlength=vocab_size)
    wanted = valid[:-1] * vocab_size + valid[1:]
    index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    times_seen = np.where(keys[index] == wanted, times[index], 0)
    before = valid[:-1]
    weight = kinds[before] * unigram[valid[1:]]
    total = seen[before] + kinds[before]
    probability = np.where(
        total > 0, (times_seen + weight) / np.maximum(total, 1), unigram[valid[1:]]
    )
    return single, float(-np.log(probability).mean())
