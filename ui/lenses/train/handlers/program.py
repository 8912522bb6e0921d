"""API handler of the endpoint /train."""

import math
from collections.abc import Mapping
from typing import Any

from gptcore.corpora import CORPORA
from ui.lenses.train.handlers.forms import TrainForm, train_form
from ui.lenses.train.handlers.presets import PRESETS
from ui.lenses.train.handlers.texts import REPEATED, YOURS
from ui.lenses.train.handlers.watching import start
from ui.services import Services
from ui.shared.fields import fields_of
from ui.shared.inputs import InputError
from ui.shared.numbers import finite, significant

_OF_TEXT = ("corpus", "written", "file", "data_set")  # `text` says what these would


def status(services: Services, run_id: object) -> dict[str, Any]:
    """A run by its id, for programs. Raises InputError when it is unknown."""
    record = services.workspaces.find(run_id)
    if record is None:
        raise InputError(f"There is no run {str(run_id)[:60]!r} on this server. It may have been freed; start another.")
    rows, looks = record.so_far()
    loss, rate = rows[-1][1:3] if rows else (math.nan, math.nan)
    return {
        "run": record.id,
        "title": record.facts.title,
        "state": record.state,
        "queue": _place(services, record.id),
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


def _place(services: Services, run_id: str) -> dict[str, Any] | None:
    """A run's place in the queue: {"number", "seconds" until it begins, or None}; None for one that does not wait."""
    workspace = services.workspaces.holder(run_id)
    place = None if workspace is None else services.run_manager.place(workspace)
    return None if place is None else {"number": place.number, "seconds": finite(place.seconds)}


def by_program(
    services: Services,
    action: object,
    run_id: object,
    key: object,
    text: object,
    preset: object,
    given: Mapping[str, object],
) -> dict[str, Any]:
    """Handles /train.

    Args:
        services: of the app.
        action: "start", "status" or "stop".
        run_id: which run, for the last two.
        key: that the run's start answered; only with it is the run stopped.
        text: a built-in one by name, or the text itself.
        preset: by name.
        given: settings by the names of TrainForm; None for the preset's.

    Raises:
        GPTCoreError: with the value and what to give instead.
    """
    if action == "status":
        return status(services, run_id)
    if action == "stop":
        workspace = services.workspaces.steered(key)
        if workspace is None or all(run.id != run_id for run in workspace.runs):
            raise InputError("To stop a run, send the key that its start answered, and its id.")
        if workspace.current is not None and workspace.current.id == run_id:
            services.run_manager.stop(key)
        return status(services, run_id)
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
