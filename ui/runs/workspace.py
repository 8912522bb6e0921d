"""A visitor's place for training: the run in progress, and records of those before it."""

import math
import secrets
import tempfile
import threading
from collections import deque
from dataclasses import dataclass, field

from gptcore.finetuning.answering import Answer
from gptcore.finetuning.preference import PreferencePair
from gptcore.language_model import LanguageModel
from ui.runs.run_state import RunState
from ui.runs.training_run import TrainingRun

_MOST_DOWNLOADS = 4


@dataclass
class Choices:
    """What an audience has chosen so far between two answers of a model."""

    # the preferred answer with the other one, of the model that wrote them
    pairs: list[PreferencePair] = field(default_factory=list)
    model: str = ""  # id of the run that made this model
    shown: tuple[str, Answer, Answer] | None = None  # the prompt and the two answers on screen
    number: int = 0  # of that question
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(eq=False)
class Workspace:
    """One visitor's place for training: the run in progress, and records of those before it to compare with."""

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
    downloads: deque[tempfile.TemporaryDirectory[str]] = field(default_factory=lambda: deque(maxlen=_MOST_DOWNLOADS))
    viewing: str = field(default_factory=lambda: secrets.token_urlsafe(16))  # id for read-only access

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
