"""What the page and the server say to each other: the types of requests, answers and component
values.

`python -m tests.tools.payload_types` writes the same types for the components' JavaScript, which
`tsc` checks. Requests come from a browser and are untrusted: they are annotated as `object`, with
what they are meant to be, and read field by field.
"""

import math
from typing import Any, NotRequired, SupportsFloat

from typing_extensions import TypedDict

Choice = tuple[str, float, int]  # a token: label, probability, id
Guess = tuple[str, float]  # label, probability
Role = tuple[str, bool]  # its name, and whether the head only leans that way


class Said(TypedDict):
    """A sentence, or "" where there is nothing to say."""

    said: str


class TextRequest(TypedDict):
    """A text for a model to read."""

    model: str
    text: str


class Depth(TypedDict):
    """The guess of the embeddings alone, and the norm of the residual stream there."""

    guess: Choice
    stream: float


class Block(TypedDict):
    """A block at one token: the guess so far, norms of what was written, and where every head
    looks.

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
    """The letters of a model's shape."""

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


class LinkRequest(TypedDict):
    """A link to draw as a QR code."""

    link: str


class PairRequest(TextRequest):
    """Why a token rather than a rival; null for the likeliest and the next."""

    word: int | None
    rival: int | None


class FormedPart(TypedDict):
    """The values that a part writes at every checkpoint."""

    name: str
    values: list[float]


class Formed(TypedDict):
    """The formation of a preference: updates before each checkpoint (null: the finished model), and
    the logit difference.
    """

    steps: list[int | None]
    total: list[float]
    parts: list[FormedPart]
    said: str


class Scene(TypedDict):
    """The state of a page: its place, the model, what all views share, and the run in Train, by its
    viewing id, or "".

    link: the state of the open view, as "Copy link" has it. hands_off: whether pages that follow
    may look and point, and not start or change anything. say: the sentence of a talk, or "".
    point: CSS selector of what it is about, or "". hide: of what the room is to guess. asks: the
    answers that it chooses from. chat: the turns of the conversation that is shown, the user's
    first.
    """

    tab: str
    view: str
    model: str
    text: str
    head: tuple[int, int] | None
    token: int | None
    run: str
    link: str
    hands_off: bool
    say: str
    point: str
    hide: str
    asks: list[str]
    chat: list[str]


class Written(TypedDict):
    """The rest of the text that a page has generated, after `start` characters, as lines of a token
    stream.
    """

    number: int
    start: int
    lines: str


def fields(request: object, *names: str) -> list[Any]:
    """The named fields of an untrusted request; None for those that it lacks, and for all if it is
    no object.
    """
    given = request if isinstance(request, dict) else {}
    return [given.get(name) for name in names]


def finite(value: float | None, digits: int = 4) -> float | None:
    """So many decimals of a number; None for one that JSON cannot hold."""
    return round(value, digits) if value is not None and math.isfinite(value) else None


def significant(value: float) -> float | None:
    """Five significant digits of a number; None for one that JSON cannot hold."""
    return rounded(value, 5) if math.isfinite(value) else None


def within_json(value: Any) -> Any:
    """Converts integers beyond 64 bits to floats: this server's JSON cannot hold larger ones."""
    if isinstance(value, dict):
        return {key: within_json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [within_json(entry) for entry in value]
    return float(value) if isinstance(value, int) and abs(value) >= 2**63 else value


def probability(value: SupportsFloat, digits: int = 3) -> float:
    """A probability as the page's JSON has it: so many significant digits of it, and of what is
    left to 1.
    """
    share = float(value)
    least = min(share, 1 - share)
    if not 0 < least < 1:
        return share
    return round(share, digits - 1 - math.floor(math.log10(least)))


def rounded(value: SupportsFloat, digits: int = 3) -> float:
    """A number as the page's JSON has it: so many significant digits."""
    return float(f"{float(value):.{digits}g}")
