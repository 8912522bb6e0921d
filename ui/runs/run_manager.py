"""Run manager: workspaces of all visitors, each with at most one live run and the records of earlier ones.

A workspace is what one or more pages view and steer; a run trains; a record is a run's state, kept after it ends.
"""

from __future__ import annotations

import math
import re
import secrets
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import torch

from gptcore.errors import CheckpointError, GPTCoreError
from gptcore.language_model import LanguageModel
from gptcore.machine import PROCESSOR, return_freed_memory
from ui.compute.compute_thread import ComputeThread
from ui.runs.choices import Choices
from ui.runs.run_queue import QueuePlace, expected_wait
from ui.runs.run_state import RunState
from ui.runs.saved_runs import SavedRuns
from ui.runs.training_run import RUN_PREFIX, Plan, Preparation, TrainingRun
from ui.state.limits import Limits
from ui.state.shares import holds_most

# Valid client-generated workspace id: too long to be guessed.
_DRAWN = re.compile(r"[A-Za-z0-9_-]{22,64}")
MOST_RUNS = 7  # the newest, and six before it as faded lines
_MOST_DOWNLOADS = 4


class Busy(GPTCoreError):
    """The queue of training runs is full."""


@dataclass(eq=False)
class Workspace:
    """One visitor's place for training: the run in progress, and records of those before it to compare with.

    Attributes:
        id: secret that lets any browser view and steer the runs.
        viewing: id for read-only access.
        runs: oldest first; all but the last have ended.
        run: the run of the last record; None if that was loaded.
        rival: the other run of a race, or None.
        models: uploaded ones, by the name under which tabs open them.
        last_seen: time of the last view.
        starting: held while a run is begun.
        allowed: updates that its run may make once it leaves the queue.
        choices: between answers of a model, see `ui.lenses.train.handlers.assistant`.
        client: who asked for its newest run.
        downloads: files being fetched: the newest few, since two browsers may fetch at the same time.
    """

    id: str
    runs: list[RunState] = field(default_factory=list)
    run: TrainingRun | None = None
    rival: TrainingRun | None = None
    models: dict[str, LanguageModel] = field(default_factory=dict)
    last_seen: float = 0.0
    starting: threading.Lock = field(default_factory=threading.Lock)
    allowed: float = math.inf
    client: str = ""
    choices: Choices = field(default_factory=Choices)
    downloads: deque[tempfile.TemporaryDirectory[str]] = field(default_factory=lambda: deque(maxlen=_MOST_DOWNLOADS))
    viewing: str = field(default_factory=lambda: secrets.token_urlsafe(16))

    @property
    def live(self) -> list[TrainingRun]:
        """The threads of the workspace: none, one, or two that race."""
        return [run for run in (self.rival, self.run) if run is not None]

    @property
    def current(self) -> RunState | None:
        """The newest record."""
        return self.runs[-1] if self.runs else None


class RunManager:
    """All workspaces, each with at most one live run; runs beyond the concurrency limit are queued.

    Args:
        computing: the compute thread, shared with all other work.
        limits: concurrent runs, and the grace period of an unviewed workspace.
        saved: disk store of runs; those of an earlier process are restored.
        examples: public read-only workspaces.
        clock: seconds.
        device: where runs compute.

    Attributes:
        asker: the client whose event is being handled.
    """

    def __init__(
        self,
        computing: ComputeThread,
        limits: Limits,
        *,
        examples: Sequence[Workspace] = (),
        saved: SavedRuns | None = None,
        clock: Callable[[], float] = time.monotonic,
        device: torch.device = PROCESSOR,
    ) -> None:
        self._device = device
        self.asker: Callable[[], str] = lambda: ""
        self._computing, self._limits, self._clock = computing, limits, clock
        self._examples = {workspace.id: workspace for workspace in examples}
        self._lock, self._placing = threading.Lock(), threading.Lock()
        self._queue: list[Workspace] = []  # in the order in which their runs begin; guarded by _placing
        self._saved = saved
        found = saved.restore() if saved is not None else []
        self._workspaces: dict[str, Workspace] = {
            one.workspace: Workspace(one.workspace, [one.record], last_seen=clock()) for one in found
        }

    def get(self, workspace_id: object) -> Workspace | None:
        """The workspace of an id or viewing id, marked as viewed; None if it is unknown or gone."""
        if isinstance(workspace_id, str) and workspace_id in self._examples:
            return self._examples[workspace_id]
        with self._lock:
            workspace = self._workspaces.get(workspace_id) if isinstance(workspace_id, str) else None
            workspace = workspace or self._viewed(workspace_id)
            if workspace is not None:
                workspace.last_seen = self._clock()
            return workspace

    def steered(self, workspace_id: object) -> Workspace | None:
        """The workspace of an id, with write access: viewing ids are refused."""
        found = self.get(workspace_id)
        return found if found is not None and found.id == workspace_id else None

    def _viewed(self, viewing: object) -> Workspace | None:
        """The workspace of a viewing id."""
        return next((one for one in self._workspaces.values() if one.viewing == viewing), None)

    def start(
        self, workspace_id: object, plan: Plan | Preparation, *, rival: Plan | None = None, go: bool = True
    ) -> Workspace:
        """Starts a run on a workspace, new if the id is unknown; ends the run in progress there first.

        If all slots are taken, the run is queued and starts automatically.

        Args:
            workspace_id: an existing id, or one generated by a page; otherwise a new one is generated.
            plan: what to do.
            rival: what to do beside it, in turns.
            go: False leaves it ready.

        Raises:
            Busy: the queue is full.
        """
        workspace = self._workspace(workspace_id)
        with workspace.starting:
            if go:
                self._check_queue(workspace)
            else:
                self.leave_queue(workspace)
            for run in workspace.live:
                run.stop(replaced=True)
            if not all(run.wait(10.0) for run in workspace.live):
                raise Busy("The run before is still ending. Try again in a moment.")
            plans = [plan] if rival is None else [rival, plan]
            runs = [TrainingRun(one, self._computing, self.advance, device=self._device) for one in plans]
            kept = [record for record in workspace.runs if record.step][-(MOST_RUNS - len(runs)) :]
            workspace.run, workspace.rival = runs[-1], None if rival is None else runs[0]
            workspace.runs = [*kept, *(run.record for run in runs)]
            if go:
                self._go(workspace, math.inf)
        return workspace

    def resume(self, workspace: Workspace, updates: float = math.inf) -> None:
        """Resumes a workspace's run, or both runs of a race; queues it if all slots are taken.

        Raises:
            Busy: the queue is full.
        """
        if any(run.record.alive for run in workspace.live):
            self._check_queue(workspace)
            self._go(workspace, updates)

    def _go(self, workspace: Workspace, updates: float) -> None:
        """Lets a workspace's run go on, or queues it."""
        with self._placing:
            if workspace in self._queue:  # another run on it keeps its place
                workspace.allowed = updates
                for run in workspace.live:
                    run.line_up()
                return
            if not self._queue and len(self._learning(workspace)) < self._limits.training_runs:
                for run in workspace.live:
                    run.go(updates)
                return
            workspace.allowed = updates
            self._queue.append(workspace)
            for run in workspace.live:
                run.line_up()
        self.advance()  # a slot may have become free meanwhile

    def leave_queue(self, workspace: Workspace) -> None:
        """Removes a workspace from the queue, if it is queued."""
        with self._placing:
            if workspace in self._queue:
                self._queue.remove(workspace)

    def advance(self) -> None:
        """Starts queued runs while slots are free."""
        with self._placing:
            while self._queue and len(self._learning()) < self._limits.training_runs:
                workspace = self._queue.pop(0)
                for run in workspace.live:
                    run.go(workspace.allowed)

    def place(self, workspace: Workspace) -> QueuePlace | None:
        """A workspace's place in the queue, or None."""
        with self._placing:
            if workspace not in self._queue:
                return None
            before = self._queue[: self._queue.index(workspace)]
            learning = [_longest(one.seconds_left() for one in records) for records in self._learning()]
        ahead = [_longest(run.record.time_budget for run in other.live) for other in before]
        return QueuePlace(len(before) + 1, expected_wait(learning, ahead, self._limits.training_runs))

    def _learning(self, besides: Workspace | None = None) -> list[list[RunState]]:
        """The records of active runs, by workspace: a race holds one slot, a waiting run none."""
        with self._lock:
            runs = [other.live for other in self._workspaces.values() if other is not besides]
        return [[run.record for run in live] for live in runs if any(run.learns for run in live)]

    def _check_queue(self, workspace: Workspace) -> None:
        """Makes room in a full queue, of which the client that has most runs waiting gives one up.

        Raises:
            Busy: nobody has more waiting than this workspace's client.
        """
        workspace.client = self.asker()
        with self._placing:
            if workspace in self._queue or len(self._queue) < self._limits.training_queue:
                return
            most = holds_most(self._queue, lambda one: one.client)
            theirs = [one for one in self._queue if one.client == most]
            mine = sum(one.client == workspace.client for one in self._queue)
            if len(theirs) <= mine + 1:
                raise Busy(
                    f"{len(self._queue)} training runs are waiting already, {mine} of them yours: the queue is full. "
                    "Nothing of yours is lost; try again in a minute."
                )
            self._queue.remove(theirs[-1])
        for run in theirs[-1].live:
            run.pause()

    def keep(self, workspace_id: object, lm: LanguageModel) -> tuple[Workspace, str]:
        """Adds an uploaded model to a workspace, new if the id is unknown; returns it and the model's name.

        A workspace keeps two; the older makes room.
        """
        workspace, name = self._workspace(workspace_id), RUN_PREFIX + secrets.token_urlsafe(9)
        workspace.models = {**dict(list(workspace.models.items())[-1:]), name: lm}
        return workspace, name

    def show(self, workspace_id: object, record: RunState) -> Workspace:
        """Shows an ended run on a workspace, new if the id is unknown, as its newest.

        Raises:
            Busy: a run is under way there.
        """
        workspace = self._workspace(workspace_id)
        with workspace.starting:
            if any(run.record.alive for run in workspace.live):
                raise Busy("A run is under way here. Stop it first, then open the file again.")
            kept = [one for one in workspace.runs if one.step][-(MOST_RUNS - 1) :]
            workspace.run = workspace.rival = None
            workspace.runs = [*kept, record]
        return workspace

    def workspace_of(self, name: object) -> Workspace | None:
        """The workspace that holds a run's or an uploaded model, or None."""
        if not isinstance(name, str):
            return None
        with self._lock:
            return next(
                (b for b in self._workspaces.values() if name in b.models or any(r.id == name for r in b.runs)), None
            )

    def find(self, run_id: object) -> RunState | None:
        """The record of a run id, or None; counts as a view of its workspace."""
        with self._lock:
            for workspace in self._workspaces.values():
                for record in workspace.runs:
                    if record.id == run_id:
                        workspace.last_seen = self._clock()
                        return record
        return None

    def stop(self, workspace_id: object) -> None:
        """Ends the run of a workspace, or both of a race, and waits for each up to 5 s; a viewing id ends nothing."""
        workspace = self.steered(workspace_id)
        if workspace is None:
            return
        self.leave_queue(workspace)
        for run in workspace.live:
            run.stop()
            run.wait(5.0)

    def language_model(self, name: str) -> LanguageModel | None:
        """The model of a run by the run's id, or an uploaded one by its name; None for names of other kinds.

        Raises:
            CheckpointError: it is gone, or not there yet.
        """
        if not name.startswith(RUN_PREFIX):
            return None
        record = self.find(name)
        if record is not None and record.language_model is None:
            raise CheckpointError("This run has no model to open yet. Wait for its first snapshot.")
        if record is not None:
            return record.language_model
        with self._lock:
            found = next((b.models[name] for b in self._workspaces.values() if name in b.models), None)
        if found is None:
            raise CheckpointError("The model that was trained here is gone. Train another, or pick one from the list.")
        return found

    def reap(self) -> None:
        """Frees the workspaces not viewed within the grace period."""
        with self._lock:
            now = self._clock()
            gone = [
                workspace
                for workspace in self._workspaces.values()
                if now - workspace.last_seen > self._limits.training_grace
            ]
            for workspace in gone:
                del self._workspaces[workspace.id]
        self._free(gone)
        if gone:
            return_freed_memory()

    def stop_all(self) -> None:
        """Ends every run, for server shutdown."""
        with self._lock:
            runs = [run for workspace in self._workspaces.values() for run in workspace.live]
        with self._placing:
            self._queue.clear()
        for run in runs:
            run.stop()
        for run in runs:
            run.wait(5.0)
        self.save(now=True)

    def save(self, *, now: bool = False) -> None:
        """Saves runs that changed since the last time, if they are kept on disk."""
        if self._saved is None:
            return
        with self._lock:
            runs = [
                (workspace.id, workspace.current)
                for workspace in self._workspaces.values()
                if workspace.current is not None
            ]
        for workspace_id, record in runs:
            self._saved.save(workspace_id, record, now=now)

    def _workspace(self, workspace_id: object) -> Workspace:
        """Gets or creates the workspace of an id.

        If there are too many, the least recently viewed one that neither learns nor waits makes room.

        Raises:
            Busy: all of them learn or wait.
        """
        with self._lock:
            known = self._workspaces.get(workspace_id) if isinstance(workspace_id, str) else None
            if known is None:
                viewed = self._viewed(workspace_id) is not None  # viewers get a workspace of their own
                drawn = isinstance(workspace_id, str) and _DRAWN.fullmatch(workspace_id) and not viewed
                known = Workspace(str(workspace_id) if drawn else secrets.token_urlsafe(16))
                self._workspaces[known.id] = known
            known.last_seen = self._clock()
            idle = [one for one in self._workspaces.values() if one is not known and not self._is_busy(one)]
            surplus = max(0, len(self._workspaces) - self._limits.workspaces)
            crowded = sorted(idle, key=lambda workspace: workspace.last_seen)[:surplus]
            for workspace in crowded:
                del self._workspaces[workspace.id]
            if len(crowded) < surplus and not known.runs and not known.models:
                del self._workspaces[known.id]
                known = None
        self._free(crowded)
        if known is None:
            raise Busy("All places for runs are taken by runs that learn or wait. Try again in a minute.")
        return known

    def _is_busy(self, workspace: Workspace) -> bool:
        """Whether its run learns or waits for its turn."""
        return workspace in self._queue or any(run.learns for run in workspace.live)

    def _free(self, workspaces: list[Workspace]) -> None:
        for workspace in workspaces:
            self.leave_queue(workspace)
            for run in workspace.live:
                run.stop(replaced=True)

    def __len__(self) -> int:
        return len(self._workspaces)


def _longest(seconds: Iterable[float | None]) -> float | None:
    """The maximum; None if any value is unknown."""
    found = list(seconds)
    return None if any(one is None for one in found) else max((one for one in found if one is not None), default=None)
