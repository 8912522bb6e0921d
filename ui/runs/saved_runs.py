"""Training runs as JSON and on disk, where they outlast a restart or crash of the server."""

import base64
import json
import logging
import math
import os
import re
import shutil
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from gptcore.analysis import HeadScores
from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import load_tokenizer
from gptcore.training import TrainingConfig
from gptcore.weights.checkpoint import load_folder, save_folder
from ui.runs.observation import Curve, Observation
from ui.runs.payloads import RunAbout
from ui.runs.run_state import RunFacts, RunState, Stopwatch

_FACTS = tuple(one.name for one in fields(RunFacts) if one.name != "config")
# Names of a fact on the page, where they are shorter.
_SHORT = {"vocab_size": "V", "n_layer": "L", "n_head": "H", "n_parameters": "parameters"}


def facts_json(facts: RunFacts) -> RunAbout:
    """The facts of a run as JSON, for the page and for recordings."""
    fields = {_SHORT.get(name, name): _plain(getattr(facts, name)) for name in _FACTS}
    return cast(RunAbout, fields)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    return _number(value) if isinstance(value, float) else value


def write_run(record: RunState) -> str:
    """A run as JSON, which read_run takes back."""
    rows, looks = record.so_far()
    return json.dumps(
        {
            "title": record.facts.title,
            "about": facts_json(record.facts),
            "config": asdict(record.facts.config),
            "reason": record.reason,
            "step": record.step,
            "seconds": round(record.seconds(), 2),
            "tokens_per_second": round(record.rate, 1),
            "final_loss": _number(record.final_loss),
            "final_accuracy": _number(record.final_accuracy),
            "kept_step": record.kept_step,
            "plain_losses": [_number(one) for one in record.plain_losses],
            "rows": [[int(row[0]), *(float(f"{value:.5g}") for value in row[1:])] for row in rows],
            "looks": [_look_json(look) for look in looks],
        },
        ensure_ascii=False,
    )


def read_run(text: str, lm: LanguageModel | None, name: str = "") -> RunState:
    """A run from its recording, with the model that it made, if there is one; else under a name.

    Raises ValueError or KeyError for another JSON.
    """
    fields = json.loads(text)
    config = TrainingConfig(**fields["config"])
    curve = Curve()
    curve.rows = fields["rows"]
    return RunState(
        lm.name if lm is not None else name,
        _facts(fields["about"], config),
        state="ended",
        reason=fields["reason"],
        step=fields["step"],
        seconds=Stopwatch(fields["seconds"]),
        rate=fields["tokens_per_second"],
        learning_rate=config.learning_rate,
        curve=curve,
        observations=[_observation(look, fields["about"]["L"], fields["about"]["H"]) for look in fields["looks"]],
        final_loss=_or_nan(fields["final_loss"]),
        final_accuracy=_or_nan(fields.get("final_accuracy")),
        kept_step=fields.get("kept_step"),
        plain_losses=tuple(_or_nan(one) for one in fields.get("plain_losses", ())),
        language_model=lm,
    )


def _facts(about: dict[str, Any], config: TrainingConfig) -> RunFacts:
    """The facts of a run from JSON; what an older one lacks has its default."""
    given: dict[str, Any] = {name: about[short] for name in _FACTS if (short := _SHORT.get(name, name)) in about}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    numbers = {name: _or_nan(given.get(name)) for name in ("commonest", "tokens_per_character")}
    return RunFacts(**{**given, **numbers, "config": config})


def _look_json(look: Observation) -> dict[str, Any]:
    return {
        "step": look.step,
        "elapsed": round(look.elapsed, 2),
        "valid_loss": _number(look.valid_loss),
        "accuracy": _number(look.accuracy),
        "text": look.text,
        "scores": look.scores.lists(),
        "maps": _packed(look.maps),
        "probabilities": _packed(look.probabilities),
        "tasks": look.tasks,
    }


def _observation(described: dict[str, Any], n_layer: int, n_head: int) -> Observation:
    scores = {
        field.name: torch.tensor(
            [[math.nan if v is None else v for v in row] for row in described["scores"][field.name]]
        )
        for field in fields(HeadScores)
    }
    maps = np.frombuffer(_unpacked(described["maps"]), dtype=np.uint8)
    side = math.isqrt(maps.size // (n_layer * n_head))
    return Observation(
        described["step"],
        described["elapsed"],
        _or_nan(described["valid_loss"]),
        described["text"],
        np.frombuffer(_unpacked(described["probabilities"]), dtype=np.float16),
        HeadScores(**scores),
        maps.reshape(n_layer, n_head, side, side),
        tasks=described.get("tasks", {}),
        accuracy=_or_nan(described.get("accuracy")),
    )


def _packed(values: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(values.tobytes(), 9)).decode()


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def _number(value: float) -> float | None:
    return round(value, 5) if math.isfinite(value) else None


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


log = logging.getLogger("gptlens")

_RUN, _FORM, _MODEL = "run.json", "form.json", "model"
_ID, _RUN_ID = re.compile(r"[A-Za-z0-9_-]{16,64}"), re.compile(r"run-[A-Za-z0-9_-]{8,64}")
_LEFTOVER = re.compile(rf"({_ID.pattern})\.([0-9]+)\.(partial|earlier)")  # of a save that was cut off
_MOST, _AGE, _EVERY = 16, 86_400.0, 10.0  # runs kept; their maximum age and save interval, in seconds
_PLAIN = (str, int, float, bool)  # what is kept of a form
REASON = "The server stopped during this run. This is its last snapshot."


class SavedRuns:
    """A folder with the newest run of each workspace, written atomically.

    Args:
        folder: private to this user.
        clock: as time.time, by which folders are dated.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder, self._clock = folder, clock
        self._done: dict[str, tuple[str, int, str]] = {}  # by workspace: run, step and state of what is written
        self._at: dict[str, float] = {}
        self._writing = threading.Lock()  # a server that ends saves while the tidying thread may be saving, too

    def save(self, workspace: str, record: RunState, *, now: bool = False) -> bool:
        """Saves the last snapshot of a workspace's run, unless it is saved already or, but for `now`, the save interval
        has not passed. One without a form, an update or a model, or on labels, is not kept.
        """
        place = self._folder / workspace
        partial, earlier = (self._folder / f"{workspace}.{os.getpid()}.{what}" for what in ("partial", "earlier"))
        with self._writing:
            lm, state, at = record.language_model, _written(record), self._clock()
            if record.facts.kind == "labels" or record.form is None or lm is None or not _ID.fullmatch(workspace):
                return False
            if not record.observations or not record.step:
                return False
            if self._done.get(workspace) == state or (not now and at - self._at.get(workspace, 0.0) < _EVERY):
                return False
            try:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir(mode=0o700)
                save_folder(partial / _MODEL, lm.model, lm.tokenizer)
                (partial / _RUN).write_text(write_run(record), encoding="utf-8")
                kind, given = record.form
                values = {name: value for name, value in given.items() if value is None or isinstance(value, _PLAIN)}
                form = {"run": record.id, "kind": kind, "values": values}
                (partial / _FORM).write_text(json.dumps(form), encoding="utf-8")
                shutil.rmtree(earlier, ignore_errors=True)  # left by a crash
                if place.exists():
                    place.rename(earlier)
                partial.rename(place)
                shutil.rmtree(earlier, ignore_errors=True)
            except (OSError, GPTCoreError) as error:
                log.warning("A run cannot be saved (%s).", error)
                shutil.rmtree(partial, ignore_errors=True)
                return False
            self._done[workspace], self._at[workspace] = state, at
            self._prune()
            return True

    def _prune(self) -> None:
        """Deletes what `restore` would not load: the oldest beyond the number that is kept, and what has expired."""
        with suppress(OSError):  # another server of this user may be at it, too
            for number, place in enumerate(self._places()):
                if number >= _MOST or self._clock() - place.stat().st_mtime >= _AGE:
                    shutil.rmtree(place, ignore_errors=True)
                    self._done.pop(place.name, None)
                    self._at.pop(place.name, None)

    def _places(self) -> list[Path]:
        """The folders of runs, the newest first; not what a save is writing, or has left."""
        places = [p for p in self._folder.iterdir() if p.is_dir() and not _LEFTOVER.fullmatch(p.name)]
        return sorted(places, key=lambda p: -p.stat().st_mtime)

    def restore(self) -> dict[str, RunState]:
        """Loads the runs of an earlier process, newest first, by workspace; deletes old, surplus and damaged ones."""
        try:
            self._complete()
            places = self._places()
        except OSError:
            return {}
        restored: dict[str, RunState] = {}
        for place in places:
            known = _ID.fullmatch(place.name) and self._clock() - place.stat().st_mtime < _AGE and len(restored) < _MOST
            record = self._read(place) if known else None
            if record is None:
                shutil.rmtree(place, ignore_errors=True)
            else:
                restored[place.name] = record
                self._done[place.name] = _written(record)
                with suppress(OSError):  # of a folder that cannot be written to
                    os.utime(place)  # as if it had been written now: it is in use again
        return restored

    def _complete(self) -> None:
        """Ends the saves that were cut off: what was written whole takes an empty place, or what stood there before.

        What another process is writing stays.
        """
        left_over = [(p, m) for p in self._folder.iterdir() if (m := _LEFTOVER.fullmatch(p.name))]
        # Those of processes that are gone, and of this one, which saves nothing while it restores.
        cut_off = [(p, m) for p, m in left_over if int(m[2]) == os.getpid() or not is_running(int(m[2]))]
        # The new run before the old one; a run that was not written whole cannot be read.
        for left, named in sorted(cut_off, key=lambda one: one[1][3], reverse=True):
            place = self._folder / named[1]
            if not place.exists() and self._read(left) is not None:
                left.rename(place)
            else:
                shutil.rmtree(left, ignore_errors=True)

    def _read(self, place: Path) -> RunState | None:
        """A run as it was at its last snapshot, with its model; None for what cannot be read."""
        try:
            lm = LanguageModel(load_folder(place / _MODEL), load_tokenizer(place / _MODEL), "")
            record = read_run((place / _RUN).read_text(encoding="utf-8"), lm)
            form: Mapping[str, Any] = json.loads((place / _FORM).read_text(encoding="utf-8"))
            known = str(form["run"])
            record.form = (str(form["kind"]), dict(form["values"]))
        except (GPTCoreError, OSError, ValueError, KeyError, TypeError):
            return None
        if not _RUN_ID.fullmatch(known):
            return None
        record.id, record.language_model = known, LanguageModel(lm.model, lm.tokenizer, record.facts.title)
        record.reason = record.reason or REASON
        return record


def _written(record: RunState) -> tuple[str, int, str]:
    """What tells a state of a run from an earlier one."""
    return (record.id, record.observations[-1].step if record.observations else 0, record.state)


def is_running(process: int) -> bool:
    """Whether a process lives; on Windows, where asking for it by a signal would end it, it is taken to."""
    try:
        if os.name != "nt":
            os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is running under another user
        return True
    return True
