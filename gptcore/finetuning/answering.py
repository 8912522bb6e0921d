"""Answers that a model writes to instructions, and a rule that judges them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gptcore.errors import SamplingError
from gptcore.finetuning.instruction import STOP, USER, Message, chat_prompt
from gptcore.inference.batch import RunningBatch
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.language_model import LanguageModel

WRITING = SamplingSettings(temperature=0.8, top_k=50, top_p=0.95)
_REPEATED_RUN = 4  # words; a repeated n-gram of this length counts as repetition
_LEAST_WORDS = 25  # of a story
_LEAST_ROOM = 8  # minimum tokens of the window left for an answer
_TOKEN = re.compile(r"\w+(?:'\w+)?")


@dataclass(frozen=True)
class Verdict:
    """Rule-based judgement of an answer."""

    used: float  # share of the requested words that it contains; 1.0 if none are requested
    ends: bool  # it ended by itself, at the end of a sentence
    repeated: float  # share of its word 4-grams that occurred earlier in it
    n_words: int  # words in it

    @property
    def score(self) -> float:
        """Words first, then an end, then no repetition, then a story's length: larger is better."""
        return 6 * self.used + self.ends - 4 * self.repeated - (self.n_words < _LEAST_WORDS)


def holds(text: str, word: str) -> bool:
    """Whether a text has a word, also with a regular ending: ball in "two balls"."""
    return (
        re.search(rf"\b{re.escape(word)}(?:s|es|d|ed|ing|ly)?\b", text, re.IGNORECASE) is not None
    )


def judge(text: str, words: Sequence[str], *, ended: bool) -> Verdict:
    """The rule: requested words used, a proper end, no repetition, a story's length.

    Args:
        text: the answer.
        words: that were asked for.
        ended: it ended by itself, not at a limit.
    """
    n_used = sum(holds(text, word) for word in words)
    used = n_used / len(words) if words else 1.0
    words_written = [word.lower() for word in _TOKEN.findall(text)]
    runs = [
        tuple(words_written[i : i + _REPEATED_RUN])
        for i in range(len(words_written) - _REPEATED_RUN + 1)
    ]
    repeated = 1 - len(set(runs)) / len(runs) if runs else 0.0
    return Verdict(
        used, ended and text.rstrip().endswith((".", "!", "?", '"')), repeated, len(words_written)
    )


@dataclass(frozen=True)
class Answer:
    """An answer that a model has written: its text, its token ids, and whether it ended by
    itself.
    """

    text: str
    ids: tuple[int, ...]
    ended: bool


def answers(
    lm: LanguageModel, prompts: Sequence[str], *, n_each: int = 1, **settings: Any
) -> Iterator[tuple[int, Answer]]:
    """Answers every prompt n_each times; yields (prompt index, answer), prompts in order of
    completion.

    Arguments and errors as `answering`.
    """
    written = (
        found for found in answering(lm, prompts, n_each=n_each, **settings) if found is not None
    )
    return ((index, answer) for index, own in written for answer in own)


def _check_counts(n_each: int, batch_size: int) -> None:
    for value, what in ((n_each, "answers for each prompt"), (batch_size, "answers at once")):
        if value < 1:
            raise SamplingError(f"{value} {what}; it must be 1 or more.")


def answering(
    lm: LanguageModel,
    prompts: Sequence[str],
    *,
    n_each: int = 1,
    max_new_tokens: int = 200,
    settings: SamplingSettings = WRITING,
    seed: int = 1,
    batch_size: int = 16,
) -> Iterator[tuple[int, list[Answer]] | None]:
    """Writes answers as `answers` does, but yields all of a prompt together, and None after every
    step of the batch, for other work in between.

    Args:
        lm: answers in the chat format.
        prompts: user turns; only the end of one longer than the window is read.
        n_each: answers per prompt.
        max_new_tokens: per answer, limited by the room left in the window.
        settings: sampling settings.
        seed: of the first answer; each further answer adds 1.
        batch_size: answers written at once.

    Raises:
        TokenizerError: characters that the model does not know, before anything is written.
        SamplingError: fewer than one answer for each prompt, or at once.
    """
    _check_counts(n_each, batch_size)
    window = lm.model.config.n_positions
    waiting = []
    for index, prompt in enumerate(prompts):
        asked = lm.tokenizer.encode(chat_prompt([Message(USER, prompt)]))
        ids = asked[-max(1, window - _LEAST_ROOM) :]
        for number in range(n_each):
            own = seed + index * n_each + number
            sequence = TokenSequence(
                ids, settings, seed=own, tokenizer=lm.tokenizer, stop=[STOP], n_alternatives=0
            )
            waiting.append((index, sequence, max(1, min(max_new_tokens, window - len(ids)))))
    waiting.reverse()
    batch = RunningBatch(lm.model)
    writing = dict[TokenSequence, int]()
    pieces = dict[TokenSequence, list[str]]()
    written: dict[int, list[Answer]] = {}
    while waiting or writing:
        while waiting and len(writing) < batch_size:
            index, sequence, room = waiting.pop()
            batch.join(sequence, room)
            writing[sequence], pieces[sequence] = index, []
        for sequence, token in batch.step():
            pieces[sequence].append(token.text)
        for sequence in [item for item in writing if item.done]:
            index = writing.pop(sequence)
            text = "".join(pieces.pop(sequence)).strip()
            own = written.setdefault(index, [])
            own.append(
                Answer(text, tuple(sequence.ids[sequence.n_prompt :]), sequence.end != "length")
            )
            if len(own) == n_each:
                yield index, written.pop(index)
        yield None
