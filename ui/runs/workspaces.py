"""A visitor's place for training, and those of all visitors by their ids."""

import math
import re
import secrets
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from gptcore.errors import CheckpointError, GPTCoreError
from gptcore.finetuning.answering import Answer
from gptcore.finetuning.preference import PreferencePair
from gptcore.language_model import LanguageModel
from ui.runs.run_state import RunState
from ui.runs.training_run import RUN_PREFIX, TrainingRun
from ui.state.limits import Limits

# Valid client-generated workspace id: too long to be guessed.
_DRAWN = re.compile(r"[A-Za-z0-9_-]{22,64}")
_MOST_DOWNLOADS = 4


@dataclass
class Choices:
    """The choices of an audience so far between two answers of a model."""

    # the preferred answer with the other one, of the model that wrote them
    pairs: list[PreferencePair] = field(default_factory=list)
    model: str = ""  # id of the run that made this model
    shown: tuple[str, Answer, Answer] | None = None  # the prompt and the two answers on screen
    number: int = 0  # of that question
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(eq=False)
class Workspace:
    """One visitor's place for training: the run in progress, and records of those before it to
    compare with.
    """

    id: str  # secret that lets any browser view and steer the runs
    runs: list[RunState] = field(default_factory=list)  # oldest first; all but the last have ended
    run: TrainingRun | None = None  # the run of the last record; None if that was loaded
    rival: TrainingRun | None = None  # the other run of a race, or None
    # uploaded ones, by the name under which tabs open them
    models: dict[str, LanguageModel] = field(default_factory=dict)
    last_seen: float = 0.0  # time of the last view
    starting: threading.Lock = field(default_factory=threading.Lock)  # held while a run is begun
    allowed: float = math.inf  # updates that its run may make once it leaves the queue
    client: str = ""  # who asked for its newest run
    waits: bool = False  # whether its run is in the queue
    # between answers of a model, see `ui.lenses.train.handlers.assistant`.
    choices: Choices = field(default_factory=Choices)
    # files being fetched: the newest few, since two browsers may fetch at the same time
    downloads: deque[tempfile.TemporaryDirectory[str]] = field(
        default_factory=lambda: deque(maxlen=_MOST_DOWNLOADS)
    )
    # id for read-only access
    viewing: str = field(default_factory=lambda: secrets.token_urlsafe(16))

    @property
    def live(self) -> list[TrainingRun]:
        """The threads of the workspace: none, one, or two that race."""
        return [run for run in (self.rival, self.run) if run is not None]

    @property
    def is_busy(self) -> bool:
        """Whether its run learns or waits for its turn."""
        return self.waits or any(run.learns for run in self.live)

    def holds(self, name: str) -> bool:
        """Whether a model is one of its runs' or uploaded ones."""
        return name in self.models or any(record.id == name for record in self.runs)

    @property
    def current(self) -> RunState | None:
        """The newest record."""
        return self.runs[-1] if self.runs else None


class Busy(GPTCoreError):
    """There is no place for a training run."""


class Workspaces:
    """All workspaces, of which the least recently viewed make room for new ones.

    Args:
        limits: how many there may be.
        restored: those of an earlier process.
        examples: public read-only ones.
        leaving: called with each that is removed.
        clock: seconds.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        restored: Iterable[Workspace] = (),
        examples: Sequence[Workspace] = (),
        leaving: Callable[[Workspace], None] = lambda workspace: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits
        self._leaving = leaving
        self._clock = clock
        self._lock = threading.Lock()
        self._examples = {workspace.id: workspace for workspace in examples}
        self._workspaces = {workspace.id: workspace for workspace in restored}
        for workspace in self._workspaces.values():
            workspace.last_seen = clock()

    def __len__(self) -> int:
        return len(self._workspaces)

    def all(self) -> list[Workspace]:
        """Lists the workspaces of visitors."""
        with self._lock:
            return list(self._workspaces.values())

    def get(self, workspace_id: object) -> Workspace | None:
        """The workspace of an id or viewing id, marked as viewed; None if it is unknown or gone."""
        if isinstance(workspace_id, str) and workspace_id in self._examples:
            return self._examples[workspace_id]
        with self._lock:
            workspace = (
                self._workspaces.get(workspace_id) if isinstance(workspace_id, str) else None
            )
            workspace = workspace or self._viewed(workspace_id)
            if workspace is not None:
                workspace.last_seen = self._clock()
            return workspace

    def steered(self, workspace_id: object) -> Workspace | None:
        """The workspace of an id, with write access: viewing ids are refused."""
        workspace = self.get(workspace_id)
        return workspace if workspace is not None and workspace.id == workspace_id else None

    def opened(self, workspace_id: object) -> Workspace:
        """The workspace of an id, new if it is unknown.

        If there are too many, the least recently viewed one that neither learns nor waits makes
        room.

        Raises:
            Busy: all of them learn or wait.
        """
        with self._lock:
            known = self._workspaces.get(workspace_id) if isinstance(workspace_id, str) else None
            if known is None:
                # viewers get a workspace of their own
                viewed = self._viewed(workspace_id) is not None
                drawn = (
                    isinstance(workspace_id, str) and _DRAWN.fullmatch(workspace_id) and not viewed
                )
                known = Workspace(str(workspace_id) if drawn else secrets.token_urlsafe(16))
                self._workspaces[known.id] = known
            known.last_seen = self._clock()
            idle = [
                workspace
                for workspace in self._workspaces.values()
                if workspace is not known and not workspace.is_busy
            ]
            surplus = max(0, len(self._workspaces) - self._limits.workspaces)
            crowded = sorted(idle, key=lambda workspace: workspace.last_seen)[:surplus]
            fits = len(crowded) == surplus or known.runs or known.models
            gone = [*crowded, *([] if fits else [known])]
            for workspace in gone:
                del self._workspaces[workspace.id]
        for workspace in gone:
            self._leaving(workspace)
        if not fits:
            raise Busy(
                "All slots for runs are taken by runs that are training or waiting. Try again "
                "in a minute."
            )
        return known

    def remove_unseen(self, seconds: float) -> list[Workspace]:
        """Removes those not viewed for so long; returns them."""
        with self._lock:
            now = self._clock()
            gone = [item for item in self._workspaces.values() if now - item.last_seen > seconds]
            for workspace in gone:
                del self._workspaces[workspace.id]
        for workspace in gone:
            self._leaving(workspace)
        return gone

    def find(self, run_id: object) -> RunState | None:
        """The record of a run id, or None; counts as a view of its workspace."""
        with self._lock:
            for workspace in self._workspaces.values():
                for record in workspace.runs:
                    if record.id == run_id:
                        workspace.last_seen = self._clock()
                        return record
        return None

    def holder(self, name: object) -> Workspace | None:
        """The workspace of a run's or an uploaded model, by the model's name; None if there is
        none.
        """
        with self._lock:
            return next(
                (
                    workspace
                    for workspace in self._workspaces.values()
                    if isinstance(name, str) and workspace.holds(name)
                ),
                None,
            )

    def language_model(self, name: str) -> LanguageModel | None:
        """The model of a run by the run's id, or an uploaded one by its name; None for names of
        other kinds.

        Raises:
            CheckpointError: it is gone, or not there yet.
        """
        if not name.startswith(RUN_PREFIX):
            return None
        record = self.find(name)
        holder = self.holder(name)
        if record is not None and record.language_model is None:
            if record.alive:
                raise CheckpointError(
                    "This run has no model to open yet. Wait for its first snapshot."
                )
            raise CheckpointError(
                "The model of this run is gone: a restart keeps only the newest run's. Open "
                "that one."
            )
        model = (
            record.language_model
            if record is not None
            else holder.models.get(name)
            if holder is not None
            else None
        )
        if model is None:
            raise CheckpointError(
                "The model that was trained here is gone. Train another, or pick one from the list."
            )
        return model

    def _viewed(self, viewing: object) -> Workspace | None:
        """The workspace of a viewing id."""
        return next(
            (workspace for workspace in self._workspaces.values() if workspace.viewing == viewing),
            None,
        )
