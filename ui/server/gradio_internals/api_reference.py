"""API reference of the named endpoints on Gradio's API page.

Gradio passes on a docstring's first sentence, and calls every value "1st", "2nd" and so on.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui.shared.endpoint import Endpoint, Value
from ui.shared.fields import Choice


@dataclass(frozen=True)
class Described:
    """One value as people read it.

    Args:
        name, kind, default: as in Python; default is "" where a program must send the value.
        about: what it means.
        choices: the allowed values, if there is a fixed set.
    """

    name: str
    kind: str
    default: str
    about: str
    choices: tuple[str, ...] = ()


def describe(value: Value) -> Described:
    """Describes a value that an endpoint takes."""
    kind = inspect.formatannotation(value.kind).replace("typing.", "")
    default = "" if value.default is inspect.Parameter.empty else repr(value.default)
    choices = tuple(value.field.options) if isinstance(value.field, Choice) else ()
    return Described(value.name, kind, default, value.field.help, choices)


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
    values = {value.name: describe(value) for value in endpoint.values()}
    for parameter in known["parameters"]:
        value = values[parameter["parameter_name"]]
        parameter["label"] = f"{value.name}: {value.about}"
        parameter["python_type"] = {**parameter["python_type"], "description": value.about}
        if value.choices:
            kind = {"type": "string"} if "oneOf" in parameter["type"] else parameter["type"]
            parameter["type"] = {**kind, "enum": list(value.choices)}
    for answer in known["returns"]:
        answer["label"] = endpoint.returns
        answer["type"] = {"type": "object"}
        answer["python_type"] = {"type": "dict(str, Any)", "description": endpoint.returns}
