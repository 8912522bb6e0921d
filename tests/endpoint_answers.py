"""What the endpoints for programs answer: asked with first values, with each value changed, with
null for it, and with each one beyond what it may be. `python -m tests.tools.record` keeps the
answers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from page_answers import BEYOND, TOO_LONG

from gptcore.errors import GPTCoreError
from gptcore.zero_shot import TASKS
from ui.endpoints import ENDPOINTS
from ui.services import Services
from ui.shared.endpoint import Value
from ui.shared.fields import Choice, Flag, Number, Text, Whole

# What each is asked first, where a value must be sent or its own says little.
_FIRST: dict[str, dict[str, Any]] = {
    "generate": {"prompt": "The cat and", "max_new_tokens": 6, "seed": 3, "top_k": 40},
    "next_token": {"prompt": "The cat and", "n_rows": 5},
    "attention": {"prompt": "The cat saw the dog and the", "layer": 1, "head": 2},
    "attribution": {"prompt": "The cat saw the dog and the", "token": " dog"},
    "patching": {"source": "Tom and Lily sat on the", "target": "Tom and Lily went to the"},
    "parameters": {},
    "train": {},
    "zero_shot": {
        "task": "sentiment",
        "fields": {"text": "The play was dull"},
        "n_examples": 1,
        "max_new_tokens": 4,
    },
}
_STARTS_A_RUN = "train"  # asked for what it refuses, and nothing else
_OTHER_MODEL = "assistant"


@dataclass(frozen=True)
class Request:
    """What a program sends to an endpoint; `about` says what is otherwise than at first."""

    endpoint: str
    about: str
    values: dict[str, Any]

    @property
    def name(self) -> str:
        """As `tests/recorded` knows it."""
        return f"{self.endpoint}, {self.about}" if self.about else self.endpoint


def requests() -> Iterator[Request]:
    """All of them."""
    for name, endpoint in ENDPOINTS.items():
        first = _FIRST[name]
        if name != _STARTS_A_RUN:
            yield Request(name, "", first)
        for value in endpoint.values():
            for about, other in _others(value, first.get(value.name, value.default)):
                if name != _STARTS_A_RUN or other in (BEYOND, -BEYOND):
                    yield Request(name, f"{value.name} {about}", _with(first, value.name, other))


def _with(first: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The first values with another one; a task with inputs of its own."""
    inputs = {"fields": dict.fromkeys(TASKS[value].fields, "the cat")} if value in TASKS else {}
    return {**first, name: value} | inputs


def _others(value: Value, now: Any) -> Iterator[tuple[str, Any]]:
    """Other values than the first one, and what each is."""
    if value.name == "model":
        yield "of another", _OTHER_MODEL
    if value.name != "seed":  # without one it is drawn
        yield "nothing", None
    match value.field:
        case Choice(options=options):
            yield from ((option, option) for option in options if option != now)
        case Flag():
            yield "turned", not now
        case Number(low=low, high=high):
            step = 1 if isinstance(value.field, Whole) else -0.25
            yield "changed", (now or 0.5 - step / 2) + step
            yield "lowest", low
            yield "highest", high
            yield "too small", -BEYOND
            yield "too large", BEYOND
        case Text():
            yield "too long", TOO_LONG


def answer(request: Request, services: Services) -> Any:
    """What an endpoint answers, or the sentence of its refusal; of one that streams the last
    state.
    """
    endpoint = ENDPOINTS[request.endpoint]
    try:
        given = endpoint(services, **request.values)
        return [*given][-1] if endpoint.streams else given
    except GPTCoreError as refusal:
        return {"refused": str(refusal)}
