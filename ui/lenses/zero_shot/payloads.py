"""Payloads of the Zero-shot tab."""

from typing import NotRequired

from typing_extensions import TypedDict


class PromptPart(TypedDict):
    """A part of a prompt."""

    kind: str
    text: str


class Budget(TypedDict):
    """Tokens of the prompt and the answer, against the window."""

    prompt: int
    answer: int
    window: int


class LabelScore(TypedDict):
    """A label's log-probability: raw, per token, and less what it has without the text; both as shares."""

    label: str
    tokens: int
    logprob: float
    per_token: float
    share: float


class PromptParts(TypedDict):
    """A prompt in its parts."""

    parts: list[PromptPart]
    note: str
    budget: Budget
    name: str
    model: str
    source: str
    own: bool
    people: str


class ComposedPrompt(PromptParts):
    """The prompt of a task, the expected answer, and the likelihood of each label."""

    expected: str
    labels: list[LabelScore]


class WayOfAsking(TypedDict):
    """A task asked in one way, with its answer; or why it cannot be."""

    title: str
    message: NotRequired[str]
    parts: NotRequired[list[PromptPart]]
    note: NotRequired[str]
    budget: NotRequired[Budget]
    name: NotRequired[str]
    model: NotRequired[str]
    source: NotRequired[str]
    own: NotRequired[bool]
    people: NotRequired[str]
    answer: NotRequired[str]
    found: NotRequired[str]
    right: NotRequired[bool | None]
    verdict: NotRequired[str]


class WaysOfAsking(TypedDict):
    """A task asked in several ways, one after the other."""

    ways: list[WayOfAsking]
    said: str
    note: str


class PartEffect(TypedDict):
    """The answer's probability without a part of the prompt, and the nats that the part adds."""

    name: str
    p: float
    effect: float


class WordEffect(PromptPart):
    """A word of the prompt, and the nats that it adds."""

    effect: float


class Uses(TypedDict):
    """What an answer owes to its prompt."""

    answer: str
    p: float
    note: str
    changes: list[PartEffect]
    words: list[WordEffect]


class PromptUses(TypedDict):
    """What an answer owes to its prompt, for the view."""

    uses: Uses
