"""What the page asks about exercises: the list, a verdict, and the right answer."""

import json
from functools import partial
from typing import Annotated

from gptcore.errors import GPTCoreError
from ui.payloads import fields
from ui.rooms.exercises.handlers.catalogue import EXERCISES, Exercise
from ui.rooms.exercises.payloads import (
    AnswerRequest,
    ExerciseAnswer,
    ExerciseOnPage,
    ExerciseRequest,
    ExerciseResults,
    ExerciseVerdict,
    ResultsRequest,
)
from ui.services import Services
from ui.shared import inputs
from ui.views import title, title_of

MOST_CHARACTERS = 2_000
_LONGEST_WRONG = 60  # characters that are kept of a wrong answer
_BY_NAME = {item.name: item for item in EXERCISES}


def exercises(
    services: Services, request: Annotated[object, None]
) -> Annotated[str, list[ExerciseOnPage]]:
    """All exercises, easiest first."""
    return json.dumps([_on_page(item) for item in EXERCISES], ensure_ascii=False)


def check(
    services: Services, request: Annotated[object, AnswerRequest]
) -> Annotated[str, ExerciseVerdict] | None:
    """Whether an answer is right, measured now. None for an invalid request."""
    name, answer, workspace_id, room = fields(request, "name", "answer", "workspace", "room")
    exercise = _BY_NAME.get(str(name))
    if exercise is None or not isinstance(answer, str):
        return None
    reply: ExerciseVerdict
    try:
        answer = inputs.text(answer, "The answer", most=MOST_CHARACTERS)
        workspace = services.workspaces.steered(workspace_id)
        newest = None if workspace is None else workspace.current
        lm = services.models.get(exercise.model)
        verdict = services.now(partial(exercise.task.check, lm, answer, newest))
        reply = {"right": verdict.right, "said": verdict.said}
        if verdict.right:
            reply["reason"] = verdict.reason or exercise.reason
        _note(services, room, exercise, answer, is_right=verdict.right)
    except GPTCoreError as error:
        reply = {"right": None, "said": str(error)}
    return json.dumps(reply, ensure_ascii=False)


def solution(
    services: Services, request: Annotated[object, ExerciseRequest]
) -> Annotated[str, ExerciseAnswer] | None:
    """The right answer, measured now, and why. None for an invalid request."""
    [name] = fields(request, "name")
    exercise = _BY_NAME.get(str(name))
    if exercise is None:
        return None
    answer: ExerciseAnswer
    try:
        lm = services.models.get(exercise.model)
        answer = {"said": services.now(partial(exercise.task.solve, lm)), "reason": exercise.reason}
    except GPTCoreError as error:
        answer = {"said": str(error), "reason": ""}
    return json.dumps(answer, ensure_ascii=False)


def results(
    services: Services, request: Annotated[object, ResultsRequest]
) -> Annotated[str, list[ExerciseResults]] | None:
    """The answers of a room to all exercises, for the page that leads it. None for an invalid
    request.
    """
    (secret,) = fields(request, "secret")
    if not isinstance(secret, str):
        return None
    found = services.broadcasts.results(secret)
    rows = list[ExerciseResults]()
    for exercise in EXERCISES:
        solved, wrong = found.get(exercise.name, (0, []))
        rows.append({"title": exercise.title, "solved": solved, "wrong": wrong})
    return json.dumps(rows, ensure_ascii=False)


def _note(
    services: Services, room: object, exercise: Exercise, answer: str, *, is_right: bool | None
) -> None:
    """Notes an answer for the room that its page follows; of sentences no wrong ones are kept."""
    name, page = fields(room, "name", "page")
    if not isinstance(name, str) or not isinstance(page, str) or is_right is None:
        return
    wrong = " ".join(answer.split())[:_LONGEST_WRONG]
    if is_right:
        services.broadcasts.tried(name, page, exercise.name, None)
    elif wrong and exercise.task.kind != "text":
        services.broadcasts.tried(name, page, exercise.name, wrong)


def _on_page(exercise: Exercise) -> ExerciseOnPage:
    return {
        "name": exercise.name,
        "level": exercise.level,
        "tab": title(exercise.tab),
        "view": title_of(exercise.tab, exercise.view) if exercise.view else "",
        "title": exercise.title,
        "question": exercise.question,
        "hint": exercise.hint,
        "kind": exercise.task.kind,
        "link": exercise.link,
    }
