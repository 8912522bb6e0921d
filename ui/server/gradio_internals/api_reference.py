"""API reference of the named endpoints, from their docstrings: for the API page.

Gradio passes on a docstring's first sentence, and calls every value "1st", "2nd" and so on.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from gptcore.analysis.patching import PATCH_KINDS
from gptcore.config import PRESETS as SHAPES
from gptcore.zero_shot.tasks import TASKS
from ui.lenses.attention.handlers.maps import ENDS, MODES
from ui.lenses.train.handlers.forms import LENGTHS, OPTIMIZERS
from ui.lenses.train.handlers.presets import PRESETS

# Allowed values of parameters with a fixed set of choices.
_CHOICES: dict[tuple[str, str], Sequence[str]] = {
    ("attention", "sink"): MODES,
    ("attention", "keep"): ENDS,
    ("patching", "kind"): PATCH_KINDS,
    ("parameters", "preset"): tuple(SHAPES),
    ("parameters", "norm_position"): ("pre", "post"),
    ("train", "action"): ("start", "status", "stop"),
    ("train", "preset"): tuple(PRESETS),
    ("train", "length"): tuple(LENGTHS),
    ("train", "optimizer"): tuple(OPTIMIZERS),
    ("zero_shot", "task"): tuple(TASKS),
}


@dataclass(frozen=True)
class Value:
    """One value that an endpoint takes."""

    # name, kind: as in Python
    name: str
    kind: str
    default: str  # as in Python, or "" where it must be given
    about: str  # what it means
    choices: Sequence[str] = ()  # the allowed values, if there is a fixed set


@dataclass(frozen=True)
class Endpoint:
    """A named endpoint: what it does, what it takes, and the keys of its answer."""

    name: str
    about: str
    values: Sequence[Value]
    answer: str


def described(name: str, function: Callable[..., Any]) -> Endpoint:
    """An endpoint from its signature and its docstring in Google's style."""
    text = inspect.cleandoc(function.__doc__ or "")
    about, _, rest = text.partition("\n\nArgs:\n")
    args, _, answer = rest.partition("\n\nReturns:\n")
    helps = dict(re.findall(r"^    (\w+): (.*(?:\n        .*)*)", args, re.MULTILINE))
    values = []
    for parameter in inspect.signature(function).parameters.values():
        given = parameter.default is not parameter.empty
        shown = inspect.formatannotation(function.__annotations__.get(parameter.name, Any)).replace("typing.", "")
        default = repr(parameter.default) if given else ""
        line = _one_line(helps.get(parameter.name, ""))
        values.append(Value(parameter.name, shown, default, line, _CHOICES.get((name, parameter.name), ())))
    return Endpoint(name, _one_line(about), values, _one_line(answer))


def tell_of(page: gr.Blocks, endpoints: Mapping[str, Endpoint]) -> None:
    """Adds parameter names, meanings, choices and response keys to Gradio's API page."""
    made = page.get_api_info

    def told(*given: Any, **options: Any) -> Any:
        component = made(*given, **options)
        for name, endpoint in endpoints.items():
            known: Any = (component or {}).get("named_endpoints", {}).get(f"/{name}")
            if known is not None:
                _describe_parameters(known, endpoint)
        return component

    page.get_api_info = told  # type: ignore[method-assign]


def _describe_parameters(known: dict[str, Any], endpoint: Endpoint) -> None:
    values = {value.name: value for value in endpoint.values}
    for parameter in known["parameters"]:
        value = values[parameter["parameter_name"]]
        parameter["label"] = f"{value.name}: {value.about}"
        parameter["python_type"] = {**parameter["python_type"], "description": value.about}
        if value.choices:
            kind = {"type": "string"} if "oneOf" in parameter["type"] else parameter["type"]
            parameter["type"] = {**kind, "enum": list(value.choices)}
    for answer in known["returns"]:
        answer["label"] = endpoint.answer
        answer["type"] = {"type": "object"}
        answer["python_type"] = {"type": "dict(str, Any)", "description": endpoint.answer}


def _one_line(text: str) -> str:
    return " ".join(text.split())
