"""What the page asks about exercises: the list, a verdict, and the right answer."""

import json
from functools import partial
from typing import Annotated

from gptcore.errors import GPTCoreError
from ui.payloads import fields
from ui.rooms.exercises.handlers.catalogue import EXERCISES, Exercise
from ui.rooms.exercises.payloads import AnswerRequest, ExerciseAnswer, ExerciseOnPage, ExerciseRequest, ExerciseVerdict
from ui.services import Services
from ui.shared import inputs
from ui.views import title, title_of

MOST_CHARACTERS = 2_000
_BY_NAME = {one.name: one for one in EXERCISES}


def exercises(services: Services, request: Annotated[object, None]) -> Annotated[str, list[ExerciseOnPage]]:
    """All exercises, easiest first."""
    return json.dumps([_on_page(one) for one in EXERCISES], ensure_ascii=False)


def check(services: Services, request: Annotated[object, AnswerRequest]) -> Annotated[str, ExerciseVerdict] | None:
    """Whether an answer is right, measured now. None for an invalid request."""
    name, answer, workspace_id = fields(request, "name", "answer", "workspace")
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
    except GPTCoreError as error:
        reply = {"right": None, "said": str(error)}
    return json.dumps(reply, ensure_ascii=False)


def solution(services: Services, request: Annotated[object, ExerciseRequest]) -> Annotated[str, ExerciseAnswer] | None:
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


def _on_page(one: Exercise) -> ExerciseOnPage:
    return {
        "name": one.name, "level": one.level, "tab": title(one.tab),
        "view": title_of(one.tab, one.view) if one.view else "",
        "title": one.title, "question": one.question, "hint": one.hint, "kind": one.task.kind, "link": one.link,
    }  # fmt: skip
