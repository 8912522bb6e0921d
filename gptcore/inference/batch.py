"""Running batch: texts that one model writes together; each begins and ends at any token, and one pass serves all.

On a processor reading the weights is most of what a token costs, so several rows cost little more than one. Source of
rows that join and leave between steps: Yu et al. 2022, "Orca".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from gptcore.inference.engine import DecodeEngine, Decoder, UncachedDecoder, WeightFormat
from gptcore.inference.sequence import TokenSequence, check_length, context_start, replayed_start
from gptcore.inference.token import GeneratedToken
from gptcore.model import GPT


@dataclass(eq=False)
class _Row:
    """A text, how many tokens it may still get, and whether its context was read."""

    continuation: TokenSequence
    left: int
    is_read: bool = False


class RunningBatch:
    """The texts being written with a model. A text is the same as if it were written alone.

    Args:
        model: shared, not changed.
        use_cache: keep keys and values, or read everything again for each token.
        precision: see DecodeEngine; without a cache everything is exact.
    """

    def __init__(self, model: GPT, *, use_cache: bool = True, precision: WeightFormat = "auto") -> None:
        self.model = model
        self._decoder: Decoder = DecodeEngine(model, precision=precision) if use_cache else UncachedDecoder(model)
        self._rows: list[_Row] = []  # in the decoder's order

    def __len__(self) -> int:
        """Texts that are not finished."""
        return len(self._rows)

    def join(self, continuation: TokenSequence, max_new_tokens: int) -> None:
        """Takes a text in, which gets its first tokens in the next step.

        Raises:
            SamplingError: its settings do not fit the model's vocabulary, or a length below 1.
        """
        config = self.model.config
        check_length(max_new_tokens)
        continuation.settings.check_vocabulary(config.vocab_size)
        continuation.start = replayed_start(continuation.n_prompt, len(continuation.ids) - 1, config.n_positions)
        self._decoder.add()
        self._rows.append(_Row(continuation, max_new_tokens))

    def leave(self, continuation: TokenSequence) -> None:
        """Gives a text up; one that is not here, or no more, changes nothing."""
        for row in [row for row in self._rows if row.continuation is continuation]:
            self._remove(row)

    def step(self) -> Iterator[tuple[TokenSequence, GeneratedToken]]:
        """Reads what is not read yet, then gives every text a token; a text leaves with its last one."""
        for row in list(self._rows):
            while row in self._rows and self._must_read(row):
                yield from self._take(row, self._read(row))
        if self._rows:
            logits = self._decoder.step([row.continuation.ids[-1] for row in self._rows])  # [B, V]
            for row, its_logits in list(zip(self._rows, logits, strict=True)):
                yield from self._take(row, its_logits)

    def _must_read(self, row: _Row) -> bool:
        return not row.is_read or self._start(row.continuation) != row.continuation.start

    def _start(self, continuation: TokenSequence) -> int:
        return context_start(len(continuation.ids), continuation.start, self.model.config.n_positions)

    def _read(self, row: _Row) -> Tensor:
        row.continuation.start = self._start(row.continuation)
        row.is_read = True
        return self._decoder.read(self._rows.index(row), row.continuation.ids[row.continuation.start :])

    def _take(self, row: _Row, logits: Tensor) -> Iterator[tuple[TokenSequence, GeneratedToken]]:
        """A text's next token, from logits float32 [V]."""
        if row not in self._rows:  # given up a moment ago
            return
        tokens = row.continuation.choose(logits, is_last=row.left == 1)
        row.left -= 1
        if row.continuation.done:
            self._remove(row)
        for token in tokens:
            yield row.continuation, token

    def _remove(self, row: _Row) -> None:
        place = self._rows.index(row)
        self._decoder.remove(place)
        self._rows[place] = self._rows[-1]
        del self._rows[-1]
