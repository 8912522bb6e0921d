"""State of a training run: facts, curve and observations, to be shown, compared and saved. Nothing here computes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gptcore.finetuning import TaskClassifier
from gptcore.language_model import LanguageModel
from gptcore.observation import Curve, Observation
from gptcore.training import TrainingConfig

RunKind = Literal["text", "repeated", "labels", "instructions", "preferences"]
State = Literal["ready", "queued", "starting", "running", "paused", "ending", "ended"]
# A thread that trains computes all the time; with less of the clock than this, others take the processor from it.
_BUSY_BELOW = 0.7
_TOLD_AFTER = 3.0  # seconds of training, after which its rate says what its time allows


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run before its first update.

    Attributes:
        title: what people call it.
        kind: what it learns: a text, sequences that repeat, labels of lines, answers to instructions, or which of two
            answers is preferred.
        settings: plain name -> value; what two runs are compared by.
        config: of the training.
        trick: what is broken on purpose, "none" for nothing.
        vocab_size, n_layer, n_head, n_parameters: of the model.
        tokens_per_step: in one update.
        prompt: of the samples.
        tokens: those whose attention maps are drawn, as people read them.
        lines: baselines, nats per token or label: "uniform", of a text "unigram" and "bigram", of labels "words".
        tokens_per_character: turns nats per token into bits per character.
        n_train, n_valid: tokens, or lines.
        note: a sentence on the data, or "".
        tasks: name -> title of the tasks asked at every look.
        labels: names, of a run on labels.
        input_form: how the lines became token sequences, of a run on labels.
        tuned: whether it began with a model that had learned before.
        preference: what stands before, the token and its rival, as people read them, of a run that is watched for a
            preference; else empty.
        words_right: share of the held-out lines that words alone label rightly, or NaN.
    """

    title: str
    kind: RunKind
    settings: Mapping[str, str | float]
    config: TrainingConfig
    trick: str
    vocab_size: int
    n_layer: int
    n_head: int
    n_parameters: int
    tokens_per_step: int
    prompt: str
    tokens: tuple[str, ...]
    lines: Mapping[str, float | None]
    tokens_per_character: float
    n_train: int = 0
    n_valid: int = 0
    note: str = ""
    tasks: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    words_right: float = math.nan
    preference: tuple[str, ...] = ()
    input_form: str = "classification"
    tuned: bool = False

    @property
    def compared_by(self) -> tuple[object, ...]:
        """What two runs must share for their losses to be comparable."""
        return self.kind, *(self.settings.get(name) for name in ("text", "tokenizer", "vocabulary"))


class Stopwatch:
    """Seconds while it is on; stands still while it is off.

    Args:
        seconds: to begin with.
        clock: seconds.
    """

    def __init__(self, seconds: float = 0.0, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._state: tuple[float, float | None] = (seconds, None)  # before, and since when it is on; set at once

    def __call__(self) -> float:
        """Seconds so far."""
        before, since = self._state
        return before if since is None else before + self._clock() - since

    def on(self) -> None:
        """Goes on; nothing when it is on."""
        if self._state[1] is None:
            self._state = (self._state[0], self._clock())

    def off(self) -> None:
        """Stands still; nothing when it does."""
        self._state = (self(), None)


@dataclass(eq=False)
class RunState:
    """What has happened in a run so far.

    Attributes:
        id: by which every tab can open its model; who knows it may use it.
        facts: of the run.
        state, reason: where it is, and why it ended, as a sentence, or "".
        step: updates done.
        seconds: of training.
        rate: tokens a second, lately.
        learning_rate: the peak, as it was last set.
        prolonged: seconds that were added to its time.
        curve: its updates.
        observations: looks at the model, the first before the first update.
        machines: the machine at work at a look (`ui.state.machine`), by the updates before it; of live runs that write.
        next_look: when the next one is due, in seconds of training; NaN where none is.
        processor_share: how much of the last seconds its thread had a processor, 0 to 1.
        kept_step: the update whose classifier was kept, of a run on labels that has ended; else None.
        final_loss, final_accuracy: over the whole held-out data, once it has ended.
        language_model: as it was at the last look; at the end, as it is. None before the first look.
        form: which of the tab's forms it was started with, and that form's values by name; None where it was loaded.
        classifier: what labels texts, once a run on labels has ended.
        lock: guards curve and observations.
    """

    id: str
    facts: RunFacts
    state: State = "ready"
    reason: str = ""
    step: int = 0
    seconds: Stopwatch = field(default_factory=Stopwatch)
    rate: float = 0.0
    learning_rate: float = 0.0
    prolonged: float = 0.0
    curve: Curve = field(default_factory=Curve)
    observations: list[Observation] = field(default_factory=list)
    machines: dict[int, dict[str, Any]] = field(default_factory=dict)
    next_look: float = math.nan
    processor_share: float = 1.0
    kept_step: int | None = None
    final_loss: float = math.nan
    final_accuracy: float = math.nan
    language_model: LanguageModel | None = None
    form: tuple[str, Mapping[str, object]] | None = None
    classifier: TaskClassifier | None = None
    thinned: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def version(self) -> int:
        """Grows when what a page has received of curve and observations is no longer the beginning of them."""
        return self.curve.version + self.thinned

    @property
    def time_budget(self) -> float | None:
        """Seconds that it may take, those added included; None where it is as long as its steps."""
        budget = self.facts.config.time_budget
        return None if budget is None else budget + self.prolonged

    @property
    def expected_updates(self) -> int | None:
        """Updates that its time allows at the rate so far; None while that cannot be told, or need not."""
        seconds, budget = self.seconds(), self.time_budget
        if not self.alive or budget is None or seconds < _TOLD_AFTER or seconds >= budget:
            return None
        return round(self.step * budget / seconds)

    @property
    def alive(self) -> bool:
        """Whether it can still learn."""
        return self.state != "ended"

    @property
    def busy(self) -> bool:
        """Whether other work on this machine takes the processor from the run."""
        return self.processor_share < _BUSY_BELOW

    def add_look(
        self, seen: Observation, lm: LanguageModel, *, most: int, machine: dict[str, Any] | None = None
    ) -> None:
        """Keeps a look and the model as it is; of more than `most` looks every second goes, but the ends."""
        with self.lock:
            self.language_model = lm
            self.observations.append(seen)
            if machine is not None:
                self.machines[seen.step] = machine
            if len(self.observations) > most:
                for gone in self.observations[1:-1:2]:
                    self.machines.pop(gone.step, None)
                del self.observations[1:-1:2]
                self.thinned += 1

    def so_far(self) -> tuple[list[Any], list[Observation]]:
        """Copies of the curve's rows and of the looks, of one moment."""
        with self.lock:
            return [list(row) for row in self.curve.rows], list(self.observations)

    def seconds_left(self) -> float | None:
        """Seconds of training that are left, as far as can be told."""
        config, budget, found = self.facts.config, self.time_budget, list[float]()
        if not self.alive:
            return 0.0
        if budget is not None:
            found.append(budget - self.seconds())
        if self.rate > 0:
            found.append((config.max_steps - self.step) * self.facts.tokens_per_step / self.rate)
        return max(0.0, min(found)) if found else None
