"""Payloads of the exercises."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

Kind = Literal["number", "word", "head", "text", "run"]


class ExerciseRequest(TypedDict):
    """An exercise by its name."""

    name: str


class AnswerRequest(ExerciseRequest):
    """An answer to it, the visitor's workspace for those about a run, and the room that the page
    follows.
    """

    answer: str
    workspace: str
    room: NotRequired["RoomOfPage | None"]


class RoomOfPage(TypedDict):
    """A room by its name, and a page that follows in it."""

    name: str
    page: str


class ResultsRequest(TypedDict):
    """The secret of a page that leads a room."""

    secret: str


class ExerciseResults(TypedDict):
    """The results of an exercise in a room: how many pages have solved it, and its commonest wrong
    answers: [answer, pages] each.
    """

    title: str
    solved: int
    wrong: list[tuple[str, int]]


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
