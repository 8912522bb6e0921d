"""What happens on the Train tab."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.figures import train
from ui.figures.slide import is_kind
from ui.handlers.train import files, watching
from ui.handlers.train.forms import label_form, train_form, tune_form
from ui.handlers.train.presets import FIELDS, LABEL_FIELDS, PRESETS, TUNING_FIELDS
from ui.jobs import Bench
from ui.services import Services

# The fields that a preset sets.
SHAPE_FIELDS = tuple(name for name in FIELDS if name not in ("written", "file", "data_set"))


@dataclass(frozen=True)
class TrainEvents:
    """The tab's events as Gradio wants them."""

    start: Callable[..., Any]
    ready: Callable[..., Any]
    reseed: Callable[..., Any]
    tune: Callable[..., Any]
    labels: Callable[..., Any]
    preset: Callable[..., Any]
    zip: Callable[..., Any]
    upload: Callable[..., Any]


def make_events(services: Services) -> TrainEvents:
    """The events over these services. A refusal is said under the form, where it stays until the next try."""

    def begin(bench: str, values: dict[str, Any], *, go: bool) -> list[Any]:
        with shown_to_visitor():
            try:
                form = train_form(values, services.limits)
                return [_value(watching.start(services, bench, form, go=go)), "", form.config.seed]
            except GPTCoreError as error:
                return [gr.skip(), watching.message(error), gr.skip()]

    def on_start(bench: str, *raw: Any) -> list[Any]:
        return begin(bench, dict(zip(FIELDS, raw, strict=True)), go=True)

    def on_ready(bench: str, *raw: Any) -> list[Any]:
        return begin(bench, dict(zip(FIELDS, raw, strict=True)), go=False)

    def on_reseed(bench: str, *raw: Any) -> list[Any]:
        names = [name for name in FIELDS if name != "seed"] + ["seed"]
        return begin(bench, dict(zip(names, raw, strict=True)), go=False)

    def on_tune(bench: str, model: str, *raw: Any) -> list[Any]:
        with shown_to_visitor():
            try:
                form = tune_form(dict(zip(TUNING_FIELDS, raw, strict=True)), services.limits)
                return [_value(watching.tune(services, bench, model, form)), ""]
            except GPTCoreError as error:
                return [gr.skip(), watching.message(error)]

    def on_labels(bench: str, model: str, *raw: Any) -> list[Any]:
        with shown_to_visitor():
            try:
                form = label_form(dict(zip(LABEL_FIELDS, raw, strict=True)), services.limits)
                return [_value(watching.learn_labels(services, bench, model, form)), ""]
            except GPTCoreError as error:
                return [gr.skip(), watching.message(error)]

    def on_preset(name: str) -> list[Any]:
        values = PRESETS.get(name, {})
        return [values.get(field, gr.skip()) for field in SHAPE_FIELDS]

    def on_zip(bench: str) -> list[Any]:
        with shown_to_visitor():
            known = services.jobs.get(bench)
            path, note = files.zipped_model(services, bench if known is not None and known.records else "example")
            return [path, note]

    def on_upload(bench: str, file: str) -> tuple[Bench, str]:
        with shown_to_visitor():
            return files.opened_model(services, bench, file)

    return TrainEvents(on_start, on_ready, on_reseed, on_tune, on_labels, on_preset, on_zip, on_upload)


def server_functions(services: Services) -> list[Callable[..., Any]]:
    """What the live view asks for, past any queue; whatever arrives is answered, with None at worst."""

    def poll(request: Any) -> Any:
        return watching.poll(services, request)

    def command(request: Any) -> Any:
        return watching.command(services, request)

    def heads(request: Any) -> Any:
        return watching.heads(services, request)

    def chances(request: Any) -> Any:
        return watching.chances(services, request)

    def past(request: Any) -> Any:
        return watching.past(services, request)

    def recording(request: Any) -> Any:
        return files.recording(services, request)

    def slide(request: Any) -> Any:
        kind, dark = [*request[2:], None, None][:2] if isinstance(request, list) else (None, None)
        found = watching.curves(services, request)
        return train.picture(**found, kind=kind, dark=dark is True) if found is not None and is_kind(kind) else None

    def tell(request: Any) -> Any:
        return watching.tell(services, request)

    return [poll, command, heads, chances, past, recording, slide, tell]


def _value(bench: Bench) -> str:
    return json.dumps({"bench": bench.id, "run": bench.current.id if bench.current is not None else None})
