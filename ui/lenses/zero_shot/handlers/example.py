"""The initial example of the Zero-shot tab."""

import logging
from dataclasses import dataclass
from typing import Any

from gptcore.errors import GPTCoreError
from gptcore.language_model import bundled_models
from ui.lenses.zero_shot.handlers import asking, form
from ui.services import Services

TASK_MODEL = "world"  # has read demonstrations of the tasks
FIRST_TASK = "sentiment"
log = logging.getLogger("gptlens")


@dataclass(frozen=True)
class ZeroShotExample:
    """A finished answer: which model is asked, the tab's values, the view of the prompt, its text, and the answer."""

    model: str
    values: dict[str, Any]
    view: str
    prompt: str
    stream: str


def task_model(default: str) -> str:
    """The bundled model that knows tasks, or the default one where that is not there."""
    return TASK_MODEL if TASK_MODEL in bundled_models() else default


def make_zero_shot_example(services: Services) -> ZeroShotExample:
    """Asks the model that is asked first."""
    model = task_model(services.models.default)
    try:
        services.models.get(model)
    except GPTCoreError:  # a damaged folder: the rest of the page works
        log.warning("The model %s cannot be opened; %s does the tasks.", model, services.models.default)
        model = services.models.default
    values = form.defaults(FIRST_TASK)
    if services.models.get(model).tokenizer.kind == "char":  # its alphabet may lack any letter
        return ZeroShotExample(model, values, "", "", "")
    parsed = form.task_form(values, services.limits)
    view, prompt = asking.composed(services, model, parsed)
    *_, stream = asking.answer(services, "example", model, parsed)
    services.sessions.forget("example")
    return ZeroShotExample(model, values, view, prompt, stream)
