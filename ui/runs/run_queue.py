"""FIFO queue of training runs: who learns, who waits, positions and estimated waits."""

import heapq
import math
import threading
from collections.abc import Callable, Iterable, Sequence

from ui.runs.payloads import QueuePlace
from ui.runs.training_run import TrainingRun
from ui.runs.workspaces import Busy, Workspace
from ui.state.clients import of_most
from ui.state.limits import Limits

_GAVE_WAY = "The line was full, and most in it were yours: this run gave way. Resume puts it in line again."


class RunQueue:
    """Workspaces whose runs wait until fewer than the limit learn: a race holds one slot, a waiting run none.

    Args:
        limits: how many may learn, and wait, at the same time.
        workspaces: gives all of them.
    """

    def __init__(self, limits: Limits, workspaces: Callable[[], Iterable[Workspace]]) -> None:
        self._limits, self._workspaces = limits, workspaces
        self._lock = threading.Lock()
        self._waiting: list[Workspace] = []  # in the order in which their runs begin

    def go(self, workspace: Workspace, updates: float = math.inf) -> None:
        """Lets a workspace's run make so many updates, now or in its turn; one that waits keeps its place."""
        with self._lock:
            if not self._waiting and len(self._learning(workspace)) < self._limits.training_runs:
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
            learning = [max(_known(run.record.seconds_left()) for run in live) for live in self._learning()]
        ahead = [max((_known(run.record.time_budget) for run in one.live), default=math.inf) for one in before]
        seconds = expected_wait(learning, ahead, self._limits.training_runs)
        return {"number": len(before) + 1, "seconds": seconds if math.isfinite(seconds) else None}

    def make_room(self, workspace: Workspace) -> None:
        """Where the queue is full, the client that has most runs waiting gives up its last.

        Raises:
            Busy: nobody has more waiting than this workspace's client.
        """
        with self._lock:
            if workspace.waits or len(self._waiting) < self._limits.training_queue:
                return
            theirs = of_most(self._waiting, lambda one: one.client)
            mine = sum(one.client == workspace.client for one in self._waiting)
            if len(theirs) <= mine + 1:
                raise Busy(
                    f"{len(self._waiting)} training runs are waiting already, {mine} of them yours: the queue is full. "
                    "Nothing of yours is lost; try again in a minute."
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
        lives = [one.live for one in self._workspaces() if one is not besides]
        return [live for live in lives if any(run.learns for run in live)]


def _known(seconds: float | None) -> float:
    return math.inf if seconds is None else seconds


def expected_wait(learning: Sequence[float], before: Iterable[float], places: int) -> float:
    """Seconds until the next run in a queue can begin; infinity where that is not known.

    Args:
        learning: seconds that each run under way still takes, likewise.
        before: seconds that each run ahead in the queue will take, the first first.
        places: runs that learn at the same time.
    """
    # Where the limit was lowered there are more runs than places: the first to end are followed by none.
    ends = sorted([*learning, *[0.0] * (places - len(learning))])[-places:]
    for seconds in before:
        heapq.heapreplace(ends, ends[0] + seconds)
    return ends[0]
