"""Payloads of the exercises."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

Kind = Literal["number", "word", "head", "text", "run"]


class ExerciseRequest(TypedDict):
    """An exercise by its name."""

    name: str


class AnswerRequest(ExerciseRequest):
    """An answer to it, and the visitor's workspace for those about a run."""

    answer: str
    workspace: str


class ExerciseOnPage(TypedDict):
    """An exercise as the page shows it."""

    name: str
    level: int
    tab: str
    view: str
    title: str
    question: str
    hint: str
    kind: Kind
    link: str


class ExerciseVerdict(TypedDict):
    """Whether an answer is right, null where it could not be checked, and why."""

    right: bool | None
    said: str
    reason: NotRequired[str]


class ExerciseAnswer(TypedDict):
    """The right answer, and why it is right."""

    said: str
    reason: str
