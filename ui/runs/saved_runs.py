"""Training runs on disk, where they outlast a restart or crash of the server."""

import hashlib
import json
import logging
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import load_tokenizer
from gptcore.weights.checkpoint import load_folder, save_folder
from ui.runs.run_json import read_run, write_run
from ui.runs.run_state import RunState
from ui.state.ownership import is_owned, is_running

log = logging.getLogger("gptlens")

_RUN = "run.json"
_FORM = "form.json"
_MODEL = "model"
_BEFORE = "before"
_SUM = "sha256"  # a file with the digest of all others of a run's folder
_ID = re.compile(r"[A-Za-z0-9_-]{16,64}")
_RUN_ID = re.compile(r"run-[A-Za-z0-9_-]{8,64}")
# of a save that was cut off
_LEFTOVER = re.compile(rf"({_ID.pattern})\.([0-9]+)\.(partial|earlier)")
_DAMAGED = ".damaged"  # ending of a folder that was set aside
# runs kept; their maximum age and save interval, in seconds
_MOST = 16
_AGE = 86_400.0
_EVERY = 10.0
_PLAIN = (str, int, float, bool)  # what is kept of a form
REASON = "The server stopped during this run. This is its last snapshot."


class SavedRuns:
    """A folder with the runs of each workspace, the newest with its model; each workspace is
    written atomically.

    Args:
        folder: private to this user.
        clock: as time.time, by which folders are dated.
        server: the folder of the server that saves here; runs of one that still runs are not
            restored, nor deleted.
    """

    def __init__(
        self, folder: Path, clock: Callable[[], float] = time.time, *, server: Path | None = None
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._server = server
        self._done: dict[
            str, tuple[str, int, str]
        ] = {}  # by workspace: run, step and state of what is written
        self._at: dict[str, float] = {}  # when each was last written, or tried to
        self._failed = set[str]()  # workspaces whose last save failed, which has been said
        # a server that ends saves while the tidying thread may be saving, too
        self._writing = threading.Lock()

    def save(self, workspace: str, records: Sequence[RunState], *, now: bool = False) -> bool:
        """Saves the runs of a workspace, the newest with the model of its last snapshot.

        Nothing is written if this state is saved already or, but for `now`, the save interval has
        not passed, nor if the newest run has no form, update or model, or learns labels.

        Args:
            records: the oldest first; at least one.
        """
        record = records[-1]
        with self._writing:
            state = _written(record)
            at = self._clock()
            is_due = now or at - self._at.get(workspace, 0.0) >= _EVERY
            lm = record.language_model
            form = record.form
            if lm is None or form is None or not _can_be_saved(workspace, record):
                return False
            if self._done.get(workspace) == state or not is_due:
                return False
            self._at[workspace] = at  # a save that fails is tried again after the same interval
            partial = self._folder / f"{workspace}.{os.getpid()}.partial"
            try:
                written = self._folder / workspace / _BEFORE
                self._write(partial, records, lm, form, written=written)
                self._publish(partial, workspace)
            except (OSError, GPTCoreError) as error:
                if workspace not in self._failed:
                    log.warning(
                        "A run cannot be saved (%s). It is tried again every %g seconds.",
                        error,
                        _EVERY,
                    )
                    self._failed.add(workspace)
                shutil.rmtree(partial, ignore_errors=True)
                return False
            self._done[workspace] = state
            self._failed.discard(workspace)
            self._prune()
            return True

    def _write(
        self,
        folder: Path,
        records: Sequence[RunState],
        lm: LanguageModel,
        form: tuple[str, Mapping[str, object]],
        *,
        written: Path,
    ) -> None:
        """Writes runs into a new folder, the last with its model and form.

        Args:
            folder: is made anew.
            records: the oldest first.
            lm: the model of the last.
            form: kind and values of the form that started it.
            written: folder of the earlier runs that are saved already; they are copied.

        Raises OSError.
        """
        *before, record = records
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        save_folder(folder / _MODEL, lm.model, lm.tokenizer)
        _write_before(folder / _BEFORE, before, written=written)
        (folder / _RUN).write_text(write_run(record), encoding="utf-8")
        kind, given = form
        values = {
            name: value
            for name, value in given.items()
            if value is None or isinstance(value, _PLAIN)
        }
        saved_form = {
            "run": record.id,
            "before": [run.id for run in before],
            "kind": kind,
            "values": values,
            "server": "" if self._server is None else str(self._server),
        }
        (folder / _FORM).write_text(json.dumps(saved_form), encoding="utf-8")
        (folder / _SUM).write_text(_digest(folder), encoding="utf-8")

    def _publish(self, partial: Path, workspace: str) -> None:
        """Puts a written folder in the place of the earlier one."""
        folder = self._folder / workspace
        earlier = self._folder / f"{workspace}.{os.getpid()}.earlier"
        shutil.rmtree(earlier, ignore_errors=True)  # left by a crash
        if folder.exists():
            folder.rename(earlier)
        partial.rename(folder)
        shutil.rmtree(earlier, ignore_errors=True)

    def _prune(self) -> None:
        """Deletes what `restore` would not load: the oldest beyond the number that is kept, and
        what has expired.
        """
        with suppress(OSError):  # another server of this user may be at it, too
            for number, folder in enumerate(self._folders()):
                if self._is_anothers(folder):
                    continue
                if number >= _MOST or self._clock() - folder.stat().st_mtime >= _AGE:
                    shutil.rmtree(folder, ignore_errors=True)
                    self._done.pop(folder.name, None)
                    self._at.pop(folder.name, None)

    def _folders(self) -> list[Path]:
        """The folders of runs, damaged ones too, the newest first; not what a save is writing, or
        has left.
        """
        folders = [
            p for p in self._folder.iterdir() if p.is_dir() and not _LEFTOVER.fullmatch(p.name)
        ]
        return sorted(folders, key=lambda p: -p.stat().st_mtime)

    def restore(self) -> dict[str, list[RunState]]:
        """Loads the runs of an earlier process by workspace, each list oldest first.

        Deletes workspaces that are old or too many. A damaged one is set aside under another name,
        for a day.
        """
        try:
            self._complete()
            folders = self._folders()
        except OSError:
            return {}
        restored: dict[str, list[RunState]] = {}
        for folder in folders:
            if self._is_anothers(folder):
                continue
            is_young = self._clock() - folder.stat().st_mtime < _AGE
            if not is_young or len(restored) >= _MOST:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            if not _ID.fullmatch(folder.name):  # one that was set aside, or not ours
                continue
            records = self._read(folder)
            if records is None:
                self._set_aside(folder)
                continue
            restored[folder.name] = records
            self._done[folder.name] = _written(records[-1])
            with suppress(OSError):  # of a folder that cannot be written to
                os.utime(folder)  # as if it had been written now: it is in use again
        return restored

    def _is_anothers(self, folder: Path) -> bool:
        """Whether a server that runs beside this one has written a workspace's runs."""
        try:
            form = json.loads((folder / _FORM).read_text(encoding="utf-8"))
            server = form["server"]
        except Exception:  # damaged, whatever it makes the reader raise: `_read` says so
            return False
        is_other = isinstance(server, str) and bool(server) and server != str(self._server)
        return is_other and is_owned(Path(server))

    def _set_aside(self, folder: Path) -> None:
        aside = folder.with_name(folder.name + _DAMAGED)
        with suppress(OSError):
            shutil.rmtree(aside, ignore_errors=True)
            folder.rename(aside)
        log.warning("It is set aside as %s.", aside.name)

    def _complete(self) -> None:
        """Ends the saves that were cut off: what was written whole takes an empty place, or what
        stood there before.

        What another process is writing stays.
        """
        left_over = [(p, m) for p in self._folder.iterdir() if (m := _LEFTOVER.fullmatch(p.name))]
        # Those of processes that are gone, and of this one, which saves nothing while it restores.
        cut_off = [
            (p, m) for p, m in left_over if int(m[2]) == os.getpid() or not is_running(int(m[2]))
        ]
        # The new run before the old one; a run that was not written whole cannot be read.
        for left, named in sorted(cut_off, key=lambda item: item[1][3], reverse=True):
            folder = self._folder / named[1]
            if not folder.exists() and self._read(left) is not None:
                left.rename(folder)
            else:
                shutil.rmtree(left, ignore_errors=True)

    def _read(self, folder: Path) -> list[RunState] | None:
        """The runs of a workspace, the last as it was at its last snapshot, with its model; None if
        any is damaged.
        """
        try:
            if (folder / _SUM).read_text(encoding="utf-8") != _digest(folder):
                raise ValueError("its files are not those that were written")
            form: Mapping[str, Any] = json.loads((folder / _FORM).read_text(encoding="utf-8"))
            records = [_read_run(folder / _BEFORE / f"{run}.json", run) for run in form["before"]]
            lm = LanguageModel(load_folder(folder / _MODEL), load_tokenizer(folder / _MODEL), "")
            record = _read_run(folder / _RUN, form["run"], lm)
            record.form = (str(form["kind"]), dict(form["values"]))
        except Exception as error:  # whatever a damaged file makes a reader raise
            log.warning(
                "A saved run in %s cannot be read (%s: %s).",
                folder.name,
                type(error).__name__,
                error,
            )
            return None
        record.language_model = LanguageModel(lm.model, lm.tokenizer, record.facts.title)
        record.reason = record.reason or REASON
        return [*records, record]


def _can_be_saved(workspace: str, record: RunState) -> bool:
    """Whether a run has what a restart needs; runs that learn labels are not kept."""
    has_begun = bool(record.snapshots and record.step)
    is_ours = _ID.fullmatch(workspace) is not None
    return has_begun and is_ours and record.facts.kind != "labels"


def _write_before(folder: Path, records: Sequence[RunState], *, written: Path) -> None:
    """Writes runs that have ended, without their models; copies those that an earlier save has
    written.
    """
    folder.mkdir(mode=0o700)
    for record in records:
        name = f"{record.id}.json"
        if (written / name).is_file():
            shutil.copyfile(written / name, folder / name)
        else:
            (folder / name).write_text(write_run(record), encoding="utf-8")


def _read_run(file: Path, run: object, lm: LanguageModel | None = None) -> RunState:
    """A run with its id. Raises ValueError for an id that is none, and whatever `read_run` does."""
    if not isinstance(run, str) or not _RUN_ID.fullmatch(run):
        raise ValueError("a run's id is none")
    record = read_run(file.read_text(encoding="utf-8"), lm)
    record.id = run
    return record


def _digest(folder: Path) -> str:
    """SHA-256 over the names and contents of a folder's files, but for the digest's own."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _SUM):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(folder).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _written(record: RunState) -> tuple[str, int, str]:
    """Returns a key that tells a state of a run from an earlier one."""
    return (record.id, record.snapshots[-1].step if record.snapshots else 0, record.state)
