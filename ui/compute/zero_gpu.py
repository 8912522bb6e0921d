"""Large models on a ZeroGPU Space: written and scored in a process that has a GPU for as long as
the work lasts.

Import this before anything that imports torch: the `spaces` package must come first. Without that
package, or outside ZeroGPU, this module does nothing and everything runs on the CPU.

The GPU process is a fork, so its changes are lost: work takes plain values and returns tokens. A
text that another process, or a full GPU, has begun goes on here by the same seed
(`resumed`).
"""

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

try:
    import spaces
except ImportError:  # not on a Space
    spaces = None

import gptcore
from gptcore.analysis import count_parameters
from gptcore.inference.generation import continue_together
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.scoring import ScoredToken, TextScore, score_text
from gptcore.inference.sequence import TokenSequence
from gptcore.inference.token import GeneratedToken
from gptcore.language_model import LanguageModel
from ui.compute.token import Token

log = logging.getLogger("gptlens")

ON_ZERO_GPU = spaces is not None and os.environ.get("SPACES_ZERO_GPU", "").lower() in (
    "1",
    "t",
    "true",
)
LARGE = 300_000_000  # parameters: GPT-2 medium and larger
_DEVICE = "cuda"
# seconds
_LOADING = 15.0
_EACH_TOKEN = 0.04
_SCORING = 5.0
_LONGEST = 120.0
_FULL = "The GPU cannot be had now ({why}). The processor goes on, more slowly; nothing is lost."


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
    def of(token_sequence: TokenSequence) -> "SentText":
        """Serialises a text as written so far."""
        return SentText(
            tuple(token_sequence.ids),
            token_sequence.settings,
            token_sequence.seed,
            tuple(token_sequence.stop),
            token_sequence.n_new,
            token_sequence.n_alternatives,
        )

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
    write: Callable[[Sequence[TokenSequence], int], Iterator[Token]],
) -> Iterator[Token]:
    """Goes on with interrupted texts, one after the other, with the same seeds, to `n_wanted` new
    tokens each in all.

    `write` is `Scheduler.write` of the model that goes on.
    """
    for index, text in enumerate(texts):
        if text.done:
            continue
        copy = SentText.of(text).begin(lm)
        for token in write([copy], n_wanted[index] - text.n_new):
            text.take_over(copy.ids, copy.end)
            yield replace(token, text=index)


@dataclass(frozen=True)
class Work:
    """A GPU job: continue texts, or score one."""

    model: str  # as `gptcore.load` takes it; its files are on this machine.
    texts: tuple[SentText, ...] = ()  # to be written on together
    max_new_tokens: int = 0  # of each
    scored: str = ""  # the text to score instead


# which text, its token, all its tokens now, why it has ended
Written = tuple[int, GeneratedToken, list[int], str]
Scored = tuple[str, list[ScoredToken], TextScore]


def duration(work: Work) -> int:
    """Seconds of GPU time to request; shorter requests are granted sooner."""
    own = _SCORING if work.scored else _EACH_TOKEN * work.max_new_tokens
    return round(min(_LONGEST, _LOADING + own))


def _on_gpu(work: Work) -> Iterator[Any]:
    """A pure function of its input, in the GPU's process: `Written` for every token, or the one
    result of scoring.
    """
    lm = _loaded(work.model)
    if work.scored:
        yield score_text(lm, work.scored)
        return
    texts = [text.begin(lm) for text in work.texts]
    for index, token in continue_together(lm.model, texts, max_new_tokens=work.max_new_tokens):
        yield index, token, texts[index].ids, texts[index].end


on_gpu: Callable[[Work], Iterator[Any]] = (
    spaces.GPU(duration=duration)(_on_gpu) if spaces is not None and ON_ZERO_GPU else _on_gpu
)


@lru_cache(maxsize=1)
def _loaded(name: str) -> LanguageModel:
    lm = gptcore.load(name, offline=True)
    lm.model.to(_DEVICE)
    return lm


def wanted(lm: LanguageModel) -> bool:
    """Whether a model's work belongs on the GPU."""
    return ON_ZERO_GPU and count_parameters(lm.model.config).total >= LARGE


def write(
    lm: LanguageModel,
    texts: Sequence[TokenSequence],
    max_new_tokens: int,
    *,
    here: Callable[[Sequence[TokenSequence], int], Iterator[Token]],
    notify: Callable[[str], None],
) -> Iterator[Token]:
    """Yields tokens from the GPU, numbered as the texts are; falls back to `here` without one.

    Args:
        notify: shows a sentence to the visitor.
    """
    n_asked = [text.n_new + max_new_tokens for text in texts]
    before = time.perf_counter()
    try:
        for index, token, ids, end in on_gpu(
            Work(lm.name, tuple(map(SentText.of, texts)), max_new_tokens)
        ):
            one = texts[index]
            now = time.perf_counter()
            # A token that may begin a stop string is held back, and not there yet.
            one.take_over(ids if end else [*one.ids, token.id], end)
            yield Token(index, token, now - before)
            before = now
        return
    except Exception as error:
        notify(_reason(error))
    yield from resumed(lm, texts, n_asked, here)


def score(
    lm: LanguageModel, text: str, *, here: Callable[[], Scored], notify: Callable[[str], None]
) -> Scored:
    """Scores a text with `gptcore.inference.scoring.score_text` on the GPU; falls back to `here`
    without one.
    """
    try:
        return next(iter(on_gpu(Work(lm.name, scored=text))))
    except Exception as error:
        notify(_reason(error))
        return here()


def _reason(error: Exception) -> str:
    """Tells why the CPU goes on with the work; logs an error that the `spaces` package has no
    message for.
    """
    message = getattr(error, "message", None)  # of Gradio's errors, which `spaces` raises
    if message is None:
        log.error("the GPU process failed", exc_info=error)
        message = "an error, which the server's log has"
    return _FULL.format(why=str(message).rstrip("."))
