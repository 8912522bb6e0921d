"""API handler of the endpoint /train."""

import math
from typing import Any

from gptcore.corpora import CORPORA
from ui.lenses.train.handlers.forms import TrainForm, train_form
from ui.lenses.train.handlers.presets import PRESETS
from ui.lenses.train.handlers.texts import REPEATED, YOURS
from ui.lenses.train.handlers.watching import start
from ui.payloads import finite, significant
from ui.services import Services
from ui.shared.fields import fields_of
from ui.shared.inputs import InputError

_OF_TEXT = ("corpus", "written", "file")  # `text` says what these would


def status(services: Services, run_id: object) -> dict[str, Any]:
    """A run by its id, for programs. Raises InputError when it is unknown."""
    record = services.workspaces.find(run_id)
    if record is None:
        raise InputError(f"There is no run {str(run_id)[:60]!r} on this server. It may have been freed; start another.")
    workspace = services.workspaces.holder(record.id)
    rows, looks = record.so_far()
    loss, rate = rows[-1][1:3] if rows else (math.nan, math.nan)
    return {
        "run": record.id,
        "title": record.facts.title,
        "state": record.state,
        "queue": None if workspace is None else services.run_manager.queue.place(workspace),
        "reason": record.reason,
        "step": record.step,
        "seconds": round(record.seconds(), 2),
        "seconds_left": finite(record.seconds_left() if record.alive else 0.0),
        "tokens_per_second": round(record.rate, 1),
        "loss": significant(loss),
        "learning_rate": significant(rate),
        "valid_loss": finite(looks[-1].valid_loss) if looks else None,
        "final_loss": finite(record.final_loss),
        "lines": dict(record.facts.lines),
        "sample": looks[-1].text if looks else "",
        "model": record.id,
    }


def train(
    services: Services,
    action: str = "start",
    run: str = "",
    text: str = "anthology",
    preset: str = "30 seconds, letters",
    length: str = "30",
    max_steps: int = 1000,
    learning_rate: float | None = None,
    seed: int = 1,
    optimizer: str | None = None,
    key: str = "",
    settings: dict[str, Any] | None = None,
    n_positions: int | None = None,
) -> dict[str, Any]:
    """Starts a training run on the server, asks how it goes, or stops it.

    Args:
        action: "start", "status" or "stop".
        run: the run's id, for status and stop.
        text: anthology, world, tasks, python_reference, python_source, repeated, or the text itself.
        preset: a preset of the Train tab.
        length: "30", "60" or "120" seconds, "cap" for the maximum that this server allows, "steps" for max_steps,
            "epochs" for the preset's passes over the text.
        max_steps: updates, when the length is "steps".
        learning_rate: peak; null takes the preset's.
        seed: of the initial weights and the batches.
        optimizer: "adamw" or "muon"; null takes the preset's.
        key: for stop, what start answered, so that nobody else ends the run.
        settings: any other field of the form by its name in links, such as {"n_layer": 2, "dropout": 0.1}.
        n_positions: window in tokens, shorter than the text; null takes the preset's.

    Returns:
        run, key (of start alone), title, state (ready, queued, starting, running, paused, ending, ended), queue
        (number and seconds until it begins, or null), reason, step, seconds, seconds_left, tokens_per_second, loss,
        valid_loss and final_loss in nats per token, learning_rate, lines to compare with, sample, and model: the
        name under which the other endpoints take the trained model.
    """
    given = {"length": length, "max_steps": max_steps, "learning_rate": learning_rate, "seed": seed}
    given |= {"optimizer": optimizer, "n_positions": n_positions}
    if settings is not None and not isinstance(settings, dict):
        raise InputError(f"The settings are {str(settings)[:60]!r}; give an object of fields and values.")
    given |= settings or {}
    if action == "status":
        return status(services, run)
    if action == "stop":
        workspace = services.workspaces.steered(key)
        if workspace is None or all(one.id != run for one in workspace.runs):
            raise InputError("To stop a run, send the key that its start answered, and its id.")
        if workspace.current is not None and workspace.current.id == run:
            services.run_manager.stop(key)
        return status(services, run)
    if action != "start":
        raise InputError(f"The action is {str(action)[:40]!r}; choose start, status or stop.")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise InputError(f"There is no preset {str(preset)[:60]!r}. Choose {'; '.join(PRESETS)}.")
    unknown = [name for name in given if name not in fields_of(TrainForm) or name in _OF_TEXT]
    if unknown:
        offered = ", ".join(name for name in fields_of(TrainForm) if name not in _OF_TEXT)
        raise InputError(f"There is no setting {str(unknown[0])[:60]!r}. Choose among {offered}.")
    values = {**PRESETS[preset], **{name: value for name, value in given.items() if value is not None}}
    if not (isinstance(text, str) and text in (*CORPORA, REPEATED)):
        text, values["written"] = YOURS, text
    values["corpus"] = text
    workspace = start(services, None, train_form(values, services.limits))
    workspace.runs[-1].form = ("scratch", values)
    return {**status(services, workspace.runs[-1].id), "key": workspace.id}
