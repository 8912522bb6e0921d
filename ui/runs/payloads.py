"""What is told and recorded of a run."""

from typing import NotRequired

from typing_extensions import TypedDict


class QueuePlace(TypedDict):
    """A run's place in the queue, 1 for the next, and about how many seconds it waits, where that
    is known.
    """

    number: int
    seconds: float | None


class RunAbout(TypedDict):
    """Facts of a run known before it begins; for the page also why one that is broken on purpose
    fails.
    """

    title: str
    kind: str
    settings: dict[str, str]
    trick: str
    V: int
    L: int
    H: int
    parameters: int
    tokens_per_step: int
    prompt: str
    tokens: list[str]
    lines: dict[str, float | None]
    tokens_per_character: float | None
    unit: str
    terms: list[str]
    n_train: int
    n_valid: int
    note: str
    tasks: dict[str, str]
    labels: list[str]
    commonest: float | None
    input_form: str
    tuned: bool
    continues: bool
    data: list[str]
    why: NotRequired[str]
