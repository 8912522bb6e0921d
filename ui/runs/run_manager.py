"""Run manager: begins, resumes, ends and keeps the runs of all workspaces; and the queue of those
that wait.

A workspace is what one or more pages view and steer; a run trains; a record is a run's state, kept
after it ends.
"""

import heapq
import math
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence

import torch

from gptcore.language_model import LanguageModel
from gptcore.machine import CPU, return_freed_memory
from ui.compute.compute_thread import ComputeThread
from ui.runs.payloads import QueuePlace
from ui.runs.plan import Plan, Preparation
from ui.runs.saved_runs import SavedRuns
from ui.runs.training_run import RUN_PREFIX, TrainingRun
from ui.runs.workspaces import Busy, Workspace, Workspaces
from ui.state.clients import of_most
from ui.state.limits import Limits

_SPEAKER_FIRST = "The speaker's run goes first; this one goes on after it."
_GAVE_WAY = (
    "The queue was full and most runs in it were yours, so this one was taken out. Resume queues "
    "it again."
)


class RunQueue:
    """Workspaces whose runs wait until fewer than the limit learn: a race holds one slot, a waiting
    run none.

    Args:
        limits: how many may learn, and wait, at the same time.
        workspaces: gives all of them.

    Attributes:
        leads: whether a workspace is of whoever leads the room; its run begins at once, and another
            one waits.
    """

    def __init__(self, limits: Limits, workspaces: Callable[[], Iterable[Workspace]]) -> None:
        self._limits = limits
        self._workspaces = workspaces
        self.leads: Callable[[Workspace], bool] = lambda _: False
        self._lock = threading.Lock()
        self._waiting: list[Workspace] = []  # in the order in which their runs begin

    def go(self, workspace: Workspace, updates: float = math.inf) -> None:
        """Lets a workspace's run make so many updates, now or in its turn; one that waits keeps its
        place.
        """
        with self._lock:
            is_first = self.leads(workspace)
            if is_first:
                self._remove(workspace)
                self._give_way(workspace)
            is_free = (
                not self._waiting and len(self._learning(workspace)) < self._limits.training_runs
            )
            if is_first or is_free:
                for run in workspace.live:
                    run.go(updates)
                return
            workspace.allowed = updates
            if not workspace.waits:
                self._waiting.append(workspace)
                workspace.waits = True
            for run in workspace.live:
                run.line_up()
        self.advance()  # a slot may have become free meanwhile

    def _give_way(self, workspace: Workspace) -> None:
        """Moves the newest active run of another workspace to the front of the queue, if such runs
        take all slots.
        """
        others = [
            item for item in self._workspaces() if item is not workspace and not self.leads(item)
        ]
        # One that waits already learns until the update in progress is done, and then makes room.
        learning = [
            other for other in others if not other.waits and any(run.learns for run in other.live)
        ]
        if len(learning) < self._limits.training_runs:
            return
        newest = learning[-1]
        newest.allowed = max(run.allowed for run in newest.live)
        newest.waits = True
        self._waiting.insert(0, newest)
        for run in newest.live:
            run.line_up(_SPEAKER_FIRST)

    def advance(self) -> None:
        """Starts the first runs while slots are free."""
        with self._lock:
            while self._waiting and len(self._learning()) < self._limits.training_runs:
                workspace = self._waiting[0]
                self._remove(workspace)
                for run in workspace.live:
                    run.go(workspace.allowed)

    def leave(self, workspace: Workspace) -> None:
        """Removes a workspace, if it waits."""
        with self._lock:
            self._remove(workspace)

    def place(self, workspace: Workspace) -> QueuePlace | None:
        """A workspace's place, or None."""
        with self._lock:
            if not workspace.waits:
                return None
            before = self._waiting[: self._waiting.index(workspace)]
            learning = [
                max(_known(run.record.seconds_left()) for run in live) for live in self._learning()
            ]
        ahead = [
            max((_known(run.record.time_budget) for run in item.live), default=math.inf)
            for item in before
        ]
        seconds = expected_wait(learning, ahead, self._limits.training_runs)
        return {"number": len(before) + 1, "seconds": seconds if math.isfinite(seconds) else None}

    def make_room(self, workspace: Workspace) -> None:
        """Makes room in a full queue: the client that has most runs waiting gives up its last.

        Raises:
            Busy: nobody has more waiting than this workspace's client.
        """
        with self._lock:
            if (
                workspace.waits
                or len(self._waiting) < self._limits.training_queue
                or self.leads(workspace)
            ):
                return
            theirs = of_most(self._waiting, lambda item: item.client)
            mine = sum(item.client == workspace.client for item in self._waiting)
            if len(theirs) <= mine + 1:
                raise Busy(
                    f"{len(self._waiting)} training runs are waiting already, {mine} of them "
                    "yours: the queue is full. Nothing of yours is lost; try again in a "
                    "minute."
                )
            self._remove(theirs[-1])
        for run in theirs[-1].live:
            run.pause(_GAVE_WAY)

    def _remove(self, workspace: Workspace) -> None:
        if workspace.waits:
            self._waiting.remove(workspace)
            workspace.waits = False

    def _learning(self, besides: Workspace | None = None) -> list[list[TrainingRun]]:
        """The active runs, by workspace."""
        lives = [workspace.live for workspace in self._workspaces() if workspace is not besides]
        return [live for live in lives if any(run.learns for run in live)]


def _known(seconds: float | None) -> float:
    return math.inf if seconds is None else seconds


def expected_wait(learning: Sequence[float], before: Iterable[float], places: int) -> float:
    """Seconds until the next run in a queue can begin; infinity where that is not known.

    Args:
        learning: seconds left of each active run; infinity if unknown.
        before: seconds that each run ahead in the queue will take, in queue order.
        places: maximum number of active runs.
    """
    # After the limit was lowered, more runs than that may be active: the first to end then free no
    # slot.
    ends = sorted([*learning, *[0.0] * (places - len(learning))])[-places:]
    for seconds in before:
        heapq.heapreplace(ends, ends[0] + seconds)
    return ends[0]


MOST_RUNS = 7  # the newest, and six before it as faded lines


class RunManager:
    """Runs on workspaces, each with at most one live run; runs beyond the concurrency limit are
    queued.

    Args:
        computing: the compute thread, shared with all other work.
        limits: concurrent runs, and the grace period of an unviewed workspace.
        saved: disk store of runs; those of an earlier process are restored.
        examples: public read-only workspaces.
        clock: seconds.
        device: where runs compute.

    Attributes:
        workspaces: of all visitors.
        queue: of those whose runs wait.
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
        device: torch.device = CPU,
    ) -> None:
        self._device = device
        self._computing = computing
        self._limits = limits
        self._saved = saved
        self.asker: Callable[[], str] = lambda: ""
        restored = saved.restore() if saved is not None else {}
        self.workspaces = Workspaces(
            limits,
            restored=[Workspace(name, records) for name, records in restored.items()],
            examples=examples,
            leaving=self._free,
            clock=clock,
        )
        self.queue = RunQueue(limits, self.workspaces.all)

    def start(
        self,
        workspace_id: object,
        plan: Plan | Preparation,
        *,
        rival: Plan | Preparation | None = None,
        go: bool = True,
    ) -> Workspace:
        """Starts a run on a workspace, new if the id is unknown; ends the run in progress there
        first.

        If all slots are taken, the run is queued and starts automatically.

        Args:
            workspace_id: an existing id, or one generated by a page; otherwise a new one is
                generated.
            plan: what to do.
            rival: what to do beside it, in turns.
            go: False leaves it ready.

        Raises:
            Busy: the queue is full.
        """
        workspace = self.workspaces.opened(workspace_id)
        with workspace.starting:
            if go:
                self._make_room(workspace)
            else:
                self.queue.leave(workspace)
            for run in workspace.live:
                run.stop(replaced=True)
            if not all(run.wait(10.0) for run in workspace.live):
                raise Busy("The run before is still ending. Try again in a moment.")
            plans = [plan] if rival is None else [rival, plan]
            runs = [
                TrainingRun(item, self._computing, self.queue.advance, device=self._device)
                for item in plans
            ]
            kept = [record for record in workspace.runs if record.step][-(MOST_RUNS - len(runs)) :]
            newest = kept[-1].number if kept else 0
            for index, run in enumerate(runs):
                run.record.number = newest + 1 + index
            workspace.run = runs[-1]
            workspace.rival = None if rival is None else runs[0]
            workspace.runs = [*kept, *(run.record for run in runs)]
            if go:
                self.queue.go(workspace)
        return workspace

    def resume(self, workspace: Workspace, updates: float = math.inf) -> None:
        """Resumes a workspace's run, or both runs of a race; queues it if all slots are taken.

        Raises:
            Busy: the queue is full.
        """
        if any(run.record.alive for run in workspace.live):
            self._make_room(workspace)
            self.queue.go(workspace, updates)

    def keep(self, workspace_id: object, lm: LanguageModel) -> tuple[Workspace, str]:
        """Adds an uploaded model to a workspace, new if the id is unknown; returns it and the
        model's name.

        A workspace keeps two; the older makes room.
        """
        workspace = self.workspaces.opened(workspace_id)
        name = RUN_PREFIX + secrets.token_urlsafe(9)
        workspace.models = {**dict(list(workspace.models.items())[-1:]), name: lm}
        return workspace, name

    def stop(self, workspace_id: object) -> None:
        """Ends the run of a workspace, or both of a race, and waits for each up to 5 s; a viewing
        id ends nothing.
        """
        workspace = self.workspaces.steered(workspace_id)
        if workspace is None:
            return
        self.queue.leave(workspace)
        for run in workspace.live:
            run.stop()
            run.wait(5.0)

    def reap(self) -> None:
        """Frees the workspaces not viewed within the grace period."""
        if self.workspaces.remove_unseen(self._limits.training_grace):
            return_freed_memory()

    def stop_all(self) -> None:
        """Ends every run, for server shutdown."""
        workspaces = self.workspaces.all()
        runs = [run for workspace in workspaces for run in workspace.live]
        for workspace in workspaces:
            self.queue.leave(workspace)
        for run in runs:
            run.stop()
        for run in runs:
            run.wait(5.0)
        self.save(now=True)

    def save(self, *, now: bool = False) -> None:
        """Saves runs that changed since the last time, if they are kept on disk."""
        if self._saved is None:
            return
        for workspace in self.workspaces.all():
            if workspace.runs:
                self._saved.save(workspace.id, list(workspace.runs), now=now)

    def _make_room(self, workspace: Workspace) -> None:
        workspace.client = self.asker() or workspace.client
        self.queue.make_room(workspace)

    def _free(self, workspace: Workspace) -> None:
        self.queue.leave(workspace)
        for run in workspace.live:
            run.stop(replaced=True)
