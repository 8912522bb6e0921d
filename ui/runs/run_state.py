"""State of a training run: facts, curve and snapshots, to be shown, compared and saved; and its
clock.

The clock stands while the process does not run, so that a frozen server takes no time.
"""

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gptcore.finetuning import TaskClassifier
from gptcore.language_model import LanguageModel
from gptcore.training import TrainingConfig
from ui.runs.snapshot import Curve, Snapshot

_LONG = 1.0  # seconds between two readings, above which it is asked whether the process ran
_RAN = 0.2  # least share of a CPU that a training uses while it runs


class Stopwatch:
    """Pausable stopwatch of seconds while this process runs.

    If much wall time has passed since the last reading, but little CPU time, the process was
    stopped (SIGSTOP, a paused container) or starved of CPU; then only the CPU time is added.

    Args:
        seconds: initial value.
        clock: wall time in seconds.
        CPU: CPU time of this process in seconds.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        clock: Callable[[], float] = time.perf_counter,
        processor: Callable[[], float] = time.process_time,
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._processor = processor
        self._last: tuple[float, float] | None = (
            None  # both clocks at the last reading; None while it is paused
        )
        self._lock = threading.RLock()

    def __call__(self) -> float:
        """Seconds so far."""
        with self._lock:
            if self._last is not None:
                (before, used), self._last = self._last, (self._clock(), self._processor())
                passed = self._last[0] - before
                ran = self._last[1] - used
                self._seconds += ran if passed > _LONG and ran < _RAN * passed else passed
            return self._seconds

    def on(self) -> None:
        """Starts it; no effect if it is running."""
        with self._lock:
            self._last = self._last or (self._clock(), self._processor())

    def off(self) -> None:
        """Pauses it; no effect if it is paused."""
        with self._lock:
            self()
            self._last = None


RunKind = Literal["text", "repeated", "labels", "instructions", "preferences"]
State = Literal["ready", "queued", "starting", "running", "paused", "ending", "ended"]


@dataclass(frozen=True)
class RunFacts:
    """Facts of a run known before its first update."""

    title: str  # what people call it
    # what it learns: a text, sequences that repeat, labels of lines, answers to instructions, or
    # which of two answers is preferred
    kind: RunKind
    settings: Mapping[str, str]  # of its form, by title, as people read them
    config: TrainingConfig  # of the training
    trick: str  # what is broken on purpose, "none" for nothing
    # vocab_size, n_layer, n_head, n_parameters: of the model
    vocab_size: int
    n_layer: int
    n_head: int
    n_parameters: int
    tokens_per_step: int  # in one update
    prompt: str  # of the samples
    tokens: tuple[str, ...]  # those whose attention maps are drawn, as people read them
    # baselines, nats per token or label: "uniform", of a text "unigram" and "bigram", of labels
    # "words"
    lines: Mapping[str, float | None]
    tokens_per_character: (
        float  # turns nats per token into bits per character; NaN where its loss is of no text
    )
    unit: str = "nats per token"  # what its loss is measured in
    terms: tuple[str, ...] = ()  # names of what its loss is the sum of, or ()
    # n_train, n_valid: tokens, or lines
    n_train: int = 0
    n_valid: int = 0
    note: str = ""  # a sentence on the data, or ""
    # name -> title of the tasks tested at every snapshot
    tasks: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()  # names, of a run on labels
    # share of the held-out lines that have the most frequent of their labels, or NaN
    commonest: float = math.nan
    input_form: str = "classification"  # how the lines became token sequences, of a run on labels
    tuned: bool = False  # whether it started from a trained model
    continues: bool = False  # whether it started from the weights of the run before
    data: tuple[
        str, ...
    ] = ()  # those of them that two runs must share for their losses to be drawn into one chart

    @property
    def compared_by(self) -> tuple[object, ...]:
        """Key that two runs must share for their losses to be comparable."""
        return self.kind, self.vocab_size, self.data


@dataclass(eq=False)
class RunState:
    """State and history of a run."""

    id: str  # opens its model in any tab; knowing it grants access
    facts: RunFacts  # of the run
    number: int = 1  # of the run in its workspace, from 1
    # state, reason: where it is, and why it ended, as a sentence, or ""
    state: State = "ready"
    reason: str = ""
    step: int = 0  # updates done
    seconds: Stopwatch = field(default_factory=Stopwatch)  # of training
    rate: float = 0.0  # tokens a second, lately
    learning_rate: float = 0.0  # the peak, as it was last set
    prolonged: float = 0.0  # seconds that were added to its time
    curve: Curve = field(default_factory=Curve)  # its updates
    # snapshots of the model, the first before the first update
    snapshots: list[Snapshot] = field(default_factory=list)
    # when the next snapshot is due, in seconds of training; NaN if none is
    next_look: float = math.nan
    cpu_share: float = 1.0  # recent CPU time of its thread per wall time, 0 to 1
    # the update whose weights were kept, where that is not the last: it did best on what is held
    # out
    kept_step: int | None = None
    # on held-out plain stories before the first update and at the end, nats per token; () if there
    # are none
    plain_losses: tuple[float, ...] = ()
    preparing: str = ""  # what it does before its first update, as a sentence, or ""
    prepared: int = 0  # how often its facts have changed since
    # final_loss, final_accuracy: over the whole held-out data, once it has ended
    final_loss: float = math.nan
    final_accuracy: float = math.nan
    # at the last snapshot, or the final one; None before the first snapshot
    language_model: LanguageModel | None = None
    # which of the tab's forms it was started with, and that form's values by name; None where it
    # was loaded
    form: tuple[str, Mapping[str, object]] | None = None
    classifier: TaskClassifier | None = None  # the text classifier, once a run on labels has ended
    thinned: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)  # guards curve and snapshots

    @property
    def version(self) -> int:
        """Increases when facts, earlier rows or snapshots were changed, so that pages must refetch
        them.
        """
        return self.curve.version + self.thinned + self.prepared

    @property
    def time_budget(self) -> float | None:
        """Seconds that it may take, those added included; None where it is as long as its steps."""
        budget = self.facts.config.time_budget
        return None if budget is None else budget + self.prolonged

    @property
    def alive(self) -> bool:
        """Whether it can still learn."""
        return self.state != "ended"

    def add_observation(self, seen: Snapshot, lm: LanguageModel, *, most: int) -> None:
        """Adds a snapshot and its model; beyond `most`, drops every second snapshot except the
        first and last.
        """
        with self.lock:
            self.language_model = lm
            self.snapshots.append(seen)
            if len(self.snapshots) > most:
                del self.snapshots[1:-1:2]
                self.thinned += 1

    def so_far(self) -> tuple[list[Any], list[Snapshot]]:
        """A consistent copy of the curve's rows and the snapshots."""
        with self.lock:
            return [list(row) for row in self.curve.rows], list(self.snapshots)

    def seconds_left(self) -> float | None:
        """Seconds of training that are left, as far as can be told."""
        config = self.facts.config
        budget = self.time_budget
        estimates = list[float]()
        if not self.alive:
            return 0.0
        if budget is not None:
            estimates.append(budget - self.seconds())
        if self.rate > 0:
            estimates.append(
                (config.max_steps - self.step) * self.facts.tokens_per_step / self.rate
            )
        return max(0.0, min(estimates)) if estimates else None
