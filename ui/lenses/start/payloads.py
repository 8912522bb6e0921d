"""Payloads of Start."""

from typing import NotRequired

from typing_extensions import TypedDict

from ui.payloads import Choice, Machine, TextRequest


class GuessesRequest(TypedDict):
    """A text as tokens, the position to look at, null for the last, and the parts that are switched
    off by name.
    """

    model: str
    ids: list[int]
    at: int | None
    without: str


class TypedRequest(TextRequest):
    """A text that is being typed; `without` names parts of the model that are switched off, "none"
    for no part.
    """

    without: str


class OtherRequest(TypedDict):
    """A draw that fell on none of the tokens shown: `share`, 0 to 1, is where among all others."""

    model: str
    ids: list[int]
    without: str
    temperature: float
    shown: list[int]
    share: float


class Drawn(TypedDict):
    """A token that was drawn, and its probability at the temperature."""

    id: int
    label: str
    p: float


class SentenceToken(TypedDict):
    """A token of the sentence, its probability, and what else was likely there."""

    id: int
    text: str
    label: str
    p: float | None
    others: list[Choice]


class Sentence(TypedDict):
    """One sentence as a model sees it.

    arcs are [from, to, weight]; unit is what the model guesses: "word" or "letter". without: the
    parts that are switched off, and was: what the whole model gives each of the tokens in next,
    empty where nothing is off. scores: natural log-probabilities of these tokens; log_sums: at each
    temperature above 0 of the handle, the logarithm of the sum of all tokens' probabilities to the
    power of 1 / temperature.
    """

    model: str
    text: str
    tokens: list[SentenceToken]
    next: list[Choice]
    without: list[str]
    was: list[float]
    scores: list[float]
    log_sums: list[float]
    arcs: list[tuple[int, int, float]]
    end: int | None
    heads: int
    first: int
    full: bool
    unit: str
    machine: Machine
    note: NotRequired[str]


class RecordedToken(TypedDict):
    """A token of a recorded text."""

    id: int
    label: str


class RecordedSentence(TypedDict):
    """A recorded text with the picture of the model."""

    text: str
    tokens: list[RecordedToken]
    first: int
    machine: Machine
