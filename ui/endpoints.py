"""The named endpoints for programs: typed, documented, with the page's own checks."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gradio as gr

from gptcore.inference.sampling_settings import CONTROLS, Control
from gptcore.language_model import DEFAULT_MODEL
from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers import program as attention
from ui.lenses.generate.handlers import program as writing
from ui.lenses.parameters.handlers import program as parameters
from ui.lenses.train.handlers import program as train
from ui.lenses.zero_shot.handlers import program as zero_shot
from ui.server.gradio_internals import api_reference
from ui.server.gradio_internals.api_reference import Endpoint
from ui.services import Services

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
_LEFT_OUT = {"next_token": ("min_new_tokens",)}  # sampling controls that mean nothing there, and stay neutral


def add_endpoints(services: Services) -> dict[str, Endpoint]:
    """Adds the named endpoints to the page; returns what each takes and answers, for people."""
    shared = {"concurrency_id": "model", "concurrency_limit": services.limits.concurrent_visits}
    endpoints = {name: _endpoint(name, services) for name in _ANSWERS}
    for name, function in endpoints.items():
        gr.api(function, api_name=name, **shared)
    return {name: api_reference.described(name, function) for name, function in endpoints.items()}


def _endpoint(name: str, services: Services) -> Callable[..., Any]:
    """What Gradio takes: without the services, and `**sampling` spelled out as controls with their help."""
    function = _ANSWERS[name]
    controls = {one: control for one, control in CONTROLS.items() if one not in _LEFT_OUT.get(name, ())}
    _, *taken = inspect.signature(function).parameters.values()
    kept = [_with_default(one, services) for one in taken if one.kind is not one.VAR_KEYWORD]
    text = inspect.cleandoc(function.__doc__ or "")
    hints = {one: kind for one, kind in function.__annotations__.items() if one not in ("services", "sampling")}
    if len(kept) < len(taken):
        added = [_of_control(one, control, kept[0].kind) for one, control in controls.items()]
        place = 2 if kept[1].name == "max_new_tokens" else 1
        kept = [*kept[:place], *added, *kept[place:]]
        hints |= {one: int if control.is_whole else float for one, control in controls.items()}
        head, args, rest = text.partition("Args:\n")
        first, _, others = rest.partition("\n")
        helps = "".join(f"    {one}: {control.help}\n" for one, control in controls.items())
        text = f"{head}{args}{first}\n{helps}{others}"

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


def _with_default(parameter: inspect.Parameter, services: Services) -> inspect.Parameter:
    """The same; where it is the default model, that of this server."""
    of_server = parameter.name == "model" and parameter.default == DEFAULT_MODEL
    return parameter.replace(default=services.models.default) if of_server else parameter


def _of_control(name: str, control: Control, kind: Any) -> inspect.Parameter:
    neutral = int(control.neutral) if control.is_whole else float(control.neutral)
    return inspect.Parameter(name, kind, default=neutral)
