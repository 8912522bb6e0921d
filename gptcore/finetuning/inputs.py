"""The input transformations of the GPT-1 paper's figure 1: structured inputs as one or several token sequences.

Source: Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training", section 3.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gptcore.errors import ContextLengthError, TrainingError


@dataclass(frozen=True)
class SpecialTokens:
    """The ids of the three tokens that fine-tuning adds behind a vocabulary of V: V, V + 1 and V + 2."""

    start: int
    delimiter: int
    extract: int

    @classmethod
    def after(cls, vocab_size: int) -> "SpecialTokens":
        """The special tokens for a model with this vocabulary size."""
        return cls(vocab_size, vocab_size + 1, vocab_size + 2)


@dataclass(frozen=True)
class EncodedExample:
    """One labelled input.

    Attributes:
        sequences: token ids. One for classification and entailment; both orders for similarity, whose
            representations are added; one for each answer of a multiple choice.
        label: which class or answer, from 0.
    """

    sequences: tuple[tuple[int, ...], ...]
    label: int


def classification(text: Sequence[int], label: int, *, tokens: SpecialTokens, window: int) -> EncodedExample:
    """start, text, extract. A text that is too long is truncated at the end."""
    return EncodedExample((_joined([text], tokens, window),), label)


def entailment(
    premise: Sequence[int], hypothesis: Sequence[int], label: int, *, tokens: SpecialTokens, window: int
) -> EncodedExample:
    """start, premise, delimiter, hypothesis, extract."""
    return EncodedExample((_joined([premise, hypothesis], tokens, window),), label)


def similarity(
    first: Sequence[int], second: Sequence[int], label: int, *, tokens: SpecialTokens, window: int
) -> EncodedExample:
    """Both orders, since neither text comes first."""
    orders = ([first, second], [second, first])
    return EncodedExample(tuple(_joined(order, tokens, window) for order in orders), label)


def multiple_choice(
    context: Sequence[int], answers: Sequence[Sequence[int]], label: int, *, tokens: SpecialTokens, window: int
) -> EncodedExample:
    """start, context (with the question), delimiter, answer, extract, for each answer; a softmax runs over answers.

    Raises:
        TrainingError: fewer than two answers, or a label out of range.
    """
    if len(answers) < 2 or not 0 <= label < len(answers):
        raise TrainingError(
            f"There are {len(answers)} answers and the label is {label}; it must be one of at least two."
        )
    return EncodedExample(tuple(_joined([context, answer], tokens, window) for answer in answers), label)


def _joined(parts: Sequence[Sequence[int]], tokens: SpecialTokens, window: int) -> tuple[int, ...]:
    """The parts with their special tokens; the first part is truncated if the whole is too long."""
    room = window - sum(len(part) for part in parts[1:]) - len(parts) - 1
    if room < 1:
        raise ContextLengthError(
            f"The second text has {sum(len(part) for part in parts[1:])} tokens; in a window of {window} "
            "nothing is left for the first. Shorten it."
        )
    joined = [tokens.start, *parts[0][:room]]
    for part in parts[1:]:
        joined += [tokens.delimiter, *part]
    return (*joined, tokens.extract)
