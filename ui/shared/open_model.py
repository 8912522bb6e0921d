"""Lookup of open models: a component's request never loads a model."""

import json

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from ui.services import Services
from ui.shared.inputs import InputError


class NotOpenError(InputError):
    """The model is not open: it is still being read, or was never picked."""


def open_model(services: Services, name: object) -> LanguageModel:
    """A model that is open. Raises NotOpenError."""
    lm = services.opened(name)
    if lm is None:
        raise NotOpenError("This model is not open yet. If it does not open by itself, pick one above.")
    return lm


def refused(error: GPTCoreError) -> str:
    """JSON for the component: message, and opening, whether it should ask again."""
    return json.dumps({"message": str(error), "opening": isinstance(error, NotOpenError)}, ensure_ascii=False)
