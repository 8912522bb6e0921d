"""A component's questions about an open model: none loads one, and what cannot be answered becomes
a message.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Annotated, ParamSpec

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from ui.payloads import fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError

P = ParamSpec("P")


class NotOpenError(InputError):
    """The model is not open: it is still being read, or was never picked."""


def open_model(services: Services, name: object) -> LanguageModel:
    """A model that is open. Raises NotOpenError."""
    lm = services.opened(name)
    if lm is None:
        raise NotOpenError(
            "This model is not open yet. If it does not open by itself, pick one above."
        )
    return lm


def open_text(services: Services, request: object) -> tuple[LanguageModel, str]:
    """The open model and the text of a `TextRequest`. Raises NotOpenError, and InputError for what
    is no text.
    """
    model, text = fields(request, "model", "text")
    lm = open_model(services, model)
    return lm, inputs.text(text, "The text", most=services.limits.max_prompt_chars, least=1)


def as_json(value: object) -> str:
    """A component's value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def answering(function: Callable[P, object]) -> Callable[P, str]:
    """Makes a handler answer with JSON of what it returns; where it raises an error of the core,
    with its message, and `opening`, whether the component should ask again.
    """

    @wraps(function)
    def answer(*args: P.args, **named: P.kwargs) -> str:
        try:
            value = function(*args, **named)
        except GPTCoreError as error:
            value = {"message": str(error), "opening": isinstance(error, NotOpenError)}
        return as_json(value)

    answer.__annotations__ = {
        **function.__annotations__,
        "return": Annotated[str, function.__annotations__["return"]],
    }
    return answer
