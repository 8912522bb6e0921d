"""The named endpoints for programs: typed, documented, with the page's own checks."""

import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_type_hints

import gradio as gr

from gptcore.language_model import DEFAULT_MODEL
from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers import program as attention
from ui.lenses.generate.handlers import program as writing
from ui.lenses.generate.handlers.forms import WritingFields
from ui.lenses.parameters.handlers import program as parameters
from ui.lenses.parameters.handlers.shapes import ShapeForm
from ui.lenses.train.handlers import program as train
from ui.lenses.zero_shot.handlers import program as zero_shot
from ui.server.gradio_internals import api_reference
from ui.server.gradio_internals.api_reference import Endpoint
from ui.services import Services
from ui.shared.fields import Field, defaults_of, fields_of

# Name -> what answers it: takes the services, then what a program sends, with its documentation.
_ANSWERS: dict[str, Callable[..., Any]] = {
    "generate": writing.generate,
    "next_token": writing.next_token,
    "attention": attention.attention,
    "attribution": attention.attribution,
    "patching": attention.patching,
    "parameters": parameters.parameters,
    "train": train.train,
    "zero_shot": zero_shot.zero_shot,
}
# What stands as `**name` in an answer's signature -> the form whose fields a program sends there.
_FORMS: dict[str, type] = {"sampling": WritingFields, "shape": ShapeForm}
# Fields that mean nothing there, and stay as they are declared.
_LEFT_OUT: Mapping[str, Sequence[str]] = defaultdict(tuple, {"next_token": ("min_new_tokens",)})


def add_endpoints(services: Services) -> dict[str, Endpoint]:
    """Adds the named endpoints to the page; returns what each takes and answers, for people."""
    shared = {"concurrency_id": "model", "concurrency_limit": services.limits.concurrent_visits}
    endpoints = {name: _endpoint(name, services) for name in _ANSWERS}
    for name, function in endpoints.items():
        gr.api(function, api_name=name, **shared)
    return {name: api_reference.described(name, function) for name, function in endpoints.items()}


def _endpoint(name: str, services: Services) -> Callable[..., Any]:
    """What Gradio takes: without the services, and `**group` spelled out as the fields of a form with their help."""
    function = _ANSWERS[name]
    _, *taken = inspect.signature(function).parameters.values()
    kept = [_with_default(one, services) for one in taken if one.kind is not one.VAR_KEYWORD]
    text = inspect.cleandoc(function.__doc__ or "")
    hints = dict(function.__annotations__)
    del hints["services"]
    for group in (one.name for one in taken if one.kind is one.VAR_KEYWORD):
        del hints[group]
        form = _FORMS[group]
        fields = {one: field for one, field in fields_of(form).items() if field.help and one not in _LEFT_OUT[name]}
        of_form, defaults = get_type_hints(form), defaults_of(form)
        hints |= {one: of_form[one] for one in fields}
        place = 2 if kept[1].name == "max_new_tokens" else 1
        kept[place:place] = [
            inspect.Parameter(one, kept[0].kind, default=of_form[one](defaults[one])) for one in fields
        ]
        text = _with_help(text, fields)

    def named(values: Sequence[object]) -> dict[str, Any]:
        return dict(zip([one.name for one in kept], values, strict=True))

    def streamed(*values: object) -> Iterator[Any]:
        with shown_to_visitor():
            yield from function(services, **named(values))

    def answered(*values: object) -> Any:
        with shown_to_visitor():
            return function(services, **named(values))

    called = streamed if inspect.isgeneratorfunction(function) else answered
    called.__name__, called.__doc__ = name, text  # as tools of the Model Context Protocol are called
    called.__annotations__ = hints
    called.__signature__ = inspect.Signature(kept, return_annotation=hints["return"])  # pyright: ignore[reportFunctionMemberAccess]
    return called


def _with_help(text: str, fields: Mapping[str, Field]) -> str:
    """A docstring with what each field is, behind its first argument."""
    head, args, rest = text.partition("Args:\n")
    first, others = re.split(r"\n    (?=\w)", rest, maxsplit=1)
    helps = "".join(f"\n    {name}: {field.help}" for name, field in fields.items())
    return f"{head}{args}{first}{helps}\n    {others}"


def _with_default(parameter: inspect.Parameter, services: Services) -> inspect.Parameter:
    """The same; where it is the default model, that of this server."""
    of_server = parameter.name == "model" and parameter.default == DEFAULT_MODEL
    return parameter.replace(default=services.models.default) if of_server else parameter
