"""Persistence of training runs across a restart or crash of the server."""

import json
import logging
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import load_tokenizer
from gptcore.weights.checkpoint import load_folder, save_folder
from ui.runs.run_json import read_run, write_run
from ui.runs.run_state import RunState

log = logging.getLogger("gptlens")

_RUN, _FORM, _MODEL = "run.json", "form.json", "model"
_ID, _RUN_ID = re.compile(r"[A-Za-z0-9_-]{16,64}"), re.compile(r"run-[A-Za-z0-9_-]{8,64}")
_LEFTOVER = re.compile(rf"({_ID.pattern})\.([0-9]+)\.(partial|earlier)")  # of a save that was cut off
_MOST, _AGE, _EVERY = 16, 86_400.0, 10.0  # runs kept; their maximum age and save interval, in seconds
_PLAIN = (str, int, float, bool)  # what is kept of a form
REASON = "The server ended amid this run. This is its last snapshot."


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
