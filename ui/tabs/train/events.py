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
from ui.handlers.train.plan import FIELDS, PRESETS, tuning_values
from ui.jobs import Bench
from ui.services import Services

# The fields that a preset sets.
SHAPE_FIELDS = tuple(name for name in FIELDS if name not in ("written", "file", "data_set"))
TUNING_FIELDS = (
    "corpus", "written", "file", "data_set", "n_positions", "batch_size", "length", "max_steps", "learning_rate", "prompt",
)  # fmt: skip
LABEL_FIELDS = ("labelled", "batch_size", "length", "max_steps", "learning_rate", "prompt")


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
                return [_value(watching.start(services, bench, values, go=go)), "", values["seed"]]
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
                values = tuning_values(dict(zip(TUNING_FIELDS, raw, strict=True)))
                return [_value(watching.tune(services, bench, model, values)), ""]
            except GPTCoreError as error:
                return [gr.skip(), watching.message(error)]

    def on_labels(bench: str, model: str, *raw: Any) -> list[Any]:
        with shown_to_visitor():
            try:
                values = tuning_values(dict(zip(LABEL_FIELDS, raw, strict=True)))
                return [_value(watching.learn_labels(services, bench, model, values)), ""]
            except GPTCoreError as error:
                return [gr.skip(), watching.message(error)]

    def on_preset(name: str) -> list[Any]:
        values = PRESETS.get(name, {})
        return [values.get(field, gr.skip()) for field in SHAPE_FIELDS]

    def on_zip(bench: str) -> list[Any]:
        with shown_to_visitor():
            known = services.jobs.get(bench)
            path, note = files.zipped_model(services, bench if known is not None and known.runs else "example")
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
    run = bench.current
    return json.dumps({"bench": bench.id, "run": run.id if run is not None else None})
