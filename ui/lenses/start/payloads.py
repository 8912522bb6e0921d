"""Payloads of Start."""

from typing import NotRequired

from typing_extensions import TypedDict

from ui.payloads import Choice, Machine


class GuessesRequest(TypedDict):
    """A text as tokens, and the position to look at, null for the last."""

    model: str
    ids: list[int]
    at: int | None


class SentenceToken(TypedDict):
    """A token of the sentence, its probability, and what else was likely there."""

    id: int
    text: str
    label: str
    p: float | None
    others: list[Choice]


class Sentence(TypedDict):
    """One sentence as a model sees it; arcs are [from, to, weight]; unit is what it guesses: "word" or "letter"."""

    model: str
    text: str
    tokens: list[SentenceToken]
    next: list[Choice]
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
