"""Payloads of the Generate tab."""

from typing import NotRequired

from typing_extensions import TypedDict

from ui.payloads import TextRequest

# a setting, and the probabilities of the shown tokens under it
Probabilities = tuple[float, list[float]]


class MergesRequest(TypedDict):
    """A text, merge by merge, under a tokenizer by its name."""

    tokenizer: str
    text: str


class LearnRequest(TypedDict):
    """A text from which byte-pair encoding learns."""

    text: str
    merges: int


class ProbabilitiesRequest(TextRequest):
    """The likeliest tokens under three temperatures and three values of k; of the typed logits, if
    there are any.
    """

    temperature: list[float | None]
    top_k: list[float | None]
    logits: str


class RecordedCut(TypedDict):
    """A text as tokens of [label, id, bytes in hex]; `back` is what they decode to, null if that is
    the text.
    """

    vocabulary: int
    tokens: list[tuple[str, int, str]]
    per_word: float
    back: str | None


class TokenizerRow(TypedDict):
    """A text under one tokenizer, or why not."""

    name: str
    title: str
    what: str
    picked: NotRequired[bool]
    message: NotRequired[str]
    vocabulary: NotRequired[int]
    tokens: NotRequired[list[tuple[str, int, str]]]
    per_word: NotRequired[float]
    back: NotRequired[str | None]
    steps: NotRequired[bool]


class Merges(TypedDict):
    """Words, and merges of [left, right, count] in order; bytes as characters of the same codes."""

    words: list[str]
    merges: list[tuple[str, str, int]]


class SamplingProbabilities(TypedDict):
    """The likeliest tokens under each setting; the n likeliest together have the probability on the
    curve.
    """

    tokens: list[str]
    temperature: list[Probabilities]
    top_k: list[Probabilities]
    curve: list[tuple[int, float]]
    vocabulary: int


class StageFigures(TypedDict):
    """A stage of sampling: how many tokens are left, the entropy in bits, the probability that was
    removed.
    """

    name: str
    candidates: int
    entropy: float
    removed: float


class StruckToken(TypedDict):
    """A token that a rule forbids."""

    label: str
    id: int
    by: str


class DistributionRow(TypedDict):
    """A token, and its probability after each stage."""

    id: int
    label: str
    p: list[float]


class Distribution(TypedDict):
    """The next-token distribution, stage by stage."""

    said: NotRequired[str]
    after: str
    vocab_size: int
    stages: list[StageFigures]
    struck: list[StruckToken]
    rows: list[DistributionRow]


class ChatAnswer(TypedDict):
    """An answer as it is written, and a plain model's continuation beside it; `asked` is the
    message of an example.

    `used` and `window` are tokens, `dropped` turns that no longer fit, `rate` tokens a second,
    `number` as it was sent.
    """

    asked: NotRequired[str]
    answer: str
    plain: str
    used: int
    window: int
    dropped: int
    rate: int | None
    done: bool
    said: str
    number: int
