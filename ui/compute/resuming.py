"""Texts that go on elsewhere: in another process, or on the processor where a graphics card has no memory left."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.inference.token import GeneratedToken
from gptcore.language_model import LanguageModel

Made = tuple[tuple[int, GeneratedToken], float]  # (which text, its token), seconds


@dataclass(frozen=True)
class SentText:
    """A text to continue, as plain values."""

    ids: tuple[int, ...]
    settings: SamplingSettings
    seed: int
    stop: tuple[str, ...]
    n_written: int
    n_alternatives: int

    @staticmethod
    def of(one: TokenSequence) -> "SentText":
        """Serialises a text as written so far."""
        return SentText(tuple(one.ids), one.settings, one.seed, tuple(one.stop), one.n_new, one.n_alternatives)

    def begin(self, lm: LanguageModel) -> TokenSequence:
        """Restores a sequence that continues with the same seed."""
        return TokenSequence(
            self.ids, self.settings, seed=self.seed, tokenizer=lm.tokenizer, stop=self.stop,
            n_written=self.n_written, n_alternatives=self.n_alternatives,
        )  # fmt: skip


def resumed(
    lm: LanguageModel,
    texts: Sequence[TokenSequence],
    n_wanted: Sequence[int],
    write: Callable[[Sequence[TokenSequence], int], Iterator[Made]],
) -> Iterator[Made]:
    """Goes on with interrupted texts, one after the other, with the same seeds, to `n_wanted` new tokens each in all.

    `write` is `Scheduler.write` of the model that goes on.
    """
    for place, one in enumerate(texts):
        if one.done:
            continue
        copy = SentText.of(one).begin(lm)
        for (_, token), seconds in write([copy], n_wanted[place] - one.n_new):
            one.take_over(copy.ids, copy.end)
            yield (place, token), seconds
