"""Payloads of Start."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from ui.payloads.common import Choice


class GuessesRequest(TypedDict):
    """A text as tokens, and the position to look at, null for the last."""

    model: str
    ids: list[int]
    at: int | None


class Depth(TypedDict):
    """What the embeddings alone would say."""

    guess: Choice
    stream: float


class Block(TypedDict):
    """A block at one token: the guess so far, norms of what was written, and where every head looks.

    A recording of attention alone has only the last three.
    """

    guess: NotRequired[Choice]
    chance: NotRequired[float]
    attention: NotRequired[float]
    mlp: NotRequired[float]
    stream: NotRequired[float]
    head: int
    heads: list[float]
    looks: list[list[tuple[int, float]]]


class Shape(TypedDict):
    """The letters of a model's shape, and the parameters of each part."""

    sizes: dict[str, int]
    V: int
    C: int
    H: int
    D: int
    L: int
    F: int
    P: int
    pre: bool


class Machine(TypedDict):
    """The model as a picture: one token's way through it."""

    at: int
    shape: Shape
    embedding: NotRequired[tuple[float, float]]
    first: NotRequired[Depth]
    blocks: list[Block]
    norm: NotRequired[float]
    choice: Choice
    said: str


class SentenceToken(TypedDict):
    """A token of the sentence, its probability, and what else was likely there."""

    id: int
    text: str
    label: str
    p: float | None
    others: list[Choice]


class Sentence(TypedDict):
    """One sentence as a model sees it; arcs are [from, to, weight]."""

    model: str
    text: str
    tokens: list[SentenceToken]
    next: list[Choice]
    arcs: list[tuple[int, int, float]]
    end: int | None
    heads: int
    first: int
    full: bool
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
