"""The model picker: its entries, and the slider for training checkpoints."""

from typing import Any

import gradio as gr

from ui.services import Services
from ui.state.model_store import RECORDED_GPT2, base_name, moment_note, moments, title_of


def choices(services: Services, workspace: object) -> list[tuple[str, str]]:
    """The picker's lines: a visitor's own models, those that can be opened, and the others."""
    recorded = ("gpt2 · recorded, five texts", RECORDED_GPT2)
    opened: list[tuple[str, str]] = []
    closed: list[tuple[str, str]] = []
    for choice in services.models.choices():
        (closed if choice.closed else opened).append((choice.label, choice.name))
    return [*own_models(services, workspace), *opened, recorded, *closed]


def own_models(services: Services, workspace_id: object) -> list[tuple[str, str]]:
    """(label, name) of a workspace's models for the picker, the newest run first."""
    workspace = services.workspaces.get(workspace_id)
    if workspace is None:
        return []
    own = [(n, run) for n, run in enumerate(workspace.runs, 1) if run.language_model is not None]
    trained = [(f"{run.facts.title} · trained here, run {n}", run.id) for n, run in own[::-1]]
    return trained + [(f"{lm.name} · uploaded", name) for name, lm in workspace.models.items()]


def choices_with(services: Services, name: str) -> list[tuple[str, str]]:
    """The picker's lines with those of the workspace that a model was trained on, if it was trained
    here.
    """
    workspace = services.workspaces.holder(name)
    moment = [(title_of(name), name)] if base_name(name) != name else []
    return moment + choices(services, None if workspace is None else workspace.id)


def moment_said(name: str) -> str:
    """The slider's caption: "after 512 updates" or "finished"; "" for a model without
    checkpoints.
    """
    steps = moments(name)
    if not steps or base_name(name) == name:
        return "finished" if steps else ""
    step = int(name.rpartition("@")[2])
    note = moment_note(name) if step in steps else ""
    return f"after {step:,} updates" + (f": {note}" if note else "")


def moment_slider(name: str) -> gr.Slider:
    """Creates the slider of how long the model in the picker was trained, shown where snapshots of
    its training come with it.
    """
    steps = moments(name)
    step = int(name.rpartition("@")[2]) if base_name(name) != name else -1
    at = steps.index(step) if step in steps else len(steps)
    looks: dict[str, Any] = {
        "step": 1,
        "precision": 0,
        "buttons": [],
        "min_width": 150,
        "container": False,
    }
    visible = bool(steps)
    high = max(1, len(steps))
    return gr.Slider(0, high, at, label="Trained for", visible=visible, elem_id="moment", **looks)
