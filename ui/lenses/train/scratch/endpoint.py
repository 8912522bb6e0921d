"""The endpoint /train."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gptcore.corpora import CORPORA
from ui.lenses.train.handlers.forms import TrainForm, train_form
from ui.lenses.train.handlers.linked import RunFields
from ui.lenses.train.handlers.presets import PRESETS
from ui.lenses.train.handlers.texts import REPEATED, YOURS
from ui.lenses.train.handlers.watching import start
from ui.payloads import finite, significant
from ui.services import Services
from ui.shared.endpoint import Endpoint, written
from ui.shared.fields import Choice, Table, Text, declared, fields_of, taken, values_of
from ui.shared.inputs import InputError

_OF_TEXT = ("corpus", "written", "file")  # `text` says what these would
_SETTINGS = tuple(name for name in fields_of(TrainForm) if name not in _OF_TEXT)
_ACTIONS = ("start", "status", "stop")
_LONGEST_NAME = 300  # characters of an id or a key


@dataclass(frozen=True, kw_only=True)
class TrainRequest:
    """The request of a program to /train."""

    action: str = declared(
        Choice(
            title="Action",
            help='"start", "status" or "stop".',
            options={name: name for name in _ACTIONS},
        ),
        "start",
    )
    run: str = declared(
        Text(title="Run", help="the run's id, for status and stop.", most=_LONGEST_NAME), ""
    )
    text: str = declared(
        written("Text", f"{', '.join([*CORPORA, REPEATED])}, or the text itself."), "anthology"
    )
    preset: str = taken(RunFields, "preset")
    length: str = taken(TrainForm, "length")
    max_steps: int = taken(TrainForm, "max_steps")
    learning_rate: float | None = taken(TrainForm, "learning_rate", None)
    seed: int = taken(TrainForm, "seed")
    optimizer: str | None = taken(TrainForm, "optimizer", None)
    key: str = declared(
        Text(
            title="Key",
            help="for stop, what start answered, so that nobody else ends the run.",
            most=_LONGEST_NAME,
        ),
        "",
    )
    settings: dict[str, Any] | None = declared(
        Table(
            title="Settings",
            help=(
                'any other field of the form by its name in links, such as {"n_layer": 2, '
                '"dropout": 0.1}.'
            ),
        ),
        None,
    )
    n_positions: int | None = taken(TrainForm, "n_positions", None)


def status(services: Services, run_id: object) -> dict[str, Any]:
    """A run by its id, for programs. Raises InputError when it is unknown."""
    record = services.workspaces.find(run_id)
    if record is None:
        raise InputError(
            f"There is no run {str(run_id)[:60]!r} on this server. It may have been freed; "
            "start another."
        )
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


def train(services: Services, request: TrainRequest) -> dict[str, Any]:
    """Starts a training run on the server, asks how it goes, or stops it.

    Returns:
        run, key (of start alone), title, state (ready, queued, starting, running, paused, ending,
        ended), queue (number and seconds until it begins, or null), reason, step, seconds,
        seconds_left, tokens_per_second, loss, valid_loss and final_loss in nats per token,
        learning_rate, lines to compare with, sample, and model: the name under which the other
        endpoints take the trained model.
    """
    if request.action == "status":
        return status(services, request.run)
    if request.action == "stop":
        return _stop(services, request)
    values = _form_values(request)
    workspace = start(services, None, train_form(values, services.limits))
    workspace.runs[-1].form = ("scratch", values)
    return {**status(services, workspace.runs[-1].id), "key": workspace.id}


def _stop(services: Services, request: TrainRequest) -> dict[str, Any]:
    """Stops a run for who holds its key; says how it stands."""
    workspace = services.workspaces.steered(request.key)
    if workspace is None or all(run.id != request.run for run in workspace.runs):
        raise InputError("To stop a run, send the key that its start answered, and its id.")
    if workspace.current is not None and workspace.current.id == request.run:
        services.run_manager.stop(request.key)
    return status(services, request.run)


def _form_values(request: TrainRequest) -> Mapping[str, Any]:
    """The values of the form: the preset's, then what the program has sent."""
    settings = request.settings or {}
    for name in settings:
        if name not in _SETTINGS:
            raise InputError(
                f"There is no setting {str(name)[:60]!r}. Choose among {', '.join(_SETTINGS)}."
            )
    sent = {
        name: value for name, value in values_of(request).items() if name in _SETTINGS
    } | settings
    values = dict(PRESETS[request.preset])
    values |= {name: value for name, value in sent.items() if value is not None}
    if request.text in (*CORPORA, REPEATED):
        values["corpus"] = request.text
    else:
        values["corpus"] = YOURS
        values["written"] = request.text
    return values


ENDPOINTS = (Endpoint("train", TrainRequest, train),)
