"""One training run in a thread of its own: planned, steered, looked at."""

from __future__ import annotations

import logging
import math
import secrets
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from gptcore.errors import GPTCoreError, TrainingError
from gptcore.finetuning import TaskClassifier
from gptcore.language_model import LanguageModel
from gptcore.model import GPT
from gptcore.tokenizers import Tokenizer
from gptcore.training import Batches, EndEvent, StepEvent, Trainer, TrainingConfig
from gptcore.training.recording import Curve, Observation, Watched, observe, snapshot

log = logging.getLogger("gptlens")

RUN_PREFIX = "run-"
_MOST_OBSERVATIONS = 200
# A look costs a sample, a held-out score and some attention maps; it may take this share of the training's time.
_LOOKING_SHARE, _SHORTEST_WAIT, _LONGEST_WAIT = 0.04, 1.0, 8.0
_LOOKS_AT_LEAST = 10  # in a timed run, however slow the machine
_RATE_OVER = 2.0  # seconds
# A thread that trains computes all the time; with less of the clock than this, others take the processor from it.
_BUSY_BELOW = 0.7


@dataclass(frozen=True)
class Plan:
    """Everything that a run needs, checked.

    Attributes:
        title: what people call it.
        model: makes what is trained, with its initial weights: a GPT, or a classifier around one.
        tokenizer: of the text.
        data: batches; None for a recording.
        config: of the training.
        evaluate: scores what is trained on held-out data, (loss in nats, accuracy or NaN); quickly, or on all of it.
        watched: what is looked at while it learns.
        about: facts for the page, ready for JSON.
    """

    title: str
    model: Callable[[], GPT | TaskClassifier]
    tokenizer: Tokenizer
    data: Batches | None
    config: TrainingConfig
    evaluate: Callable[[Any, bool], tuple[float, float]]
    watched: Watched
    about: dict[str, Any]


class Stopwatch:
    """Seconds while it is on; stands still while it is off."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._state: tuple[float, float | None] = (0.0, None)  # seconds before, and since when it is on; set at once

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


class Run:
    """One training run in a thread of its own. It always ends: at its plan's end, when stopped, or by a bad loss.

    Args:
        plan: what to do.
        n_threads: how many threads an update may use at a moment.

    Attributes:
        id: by which every tab can open its model; who knows it may use it.
        state: "ready", "running", "paused", "ending" or "ended".
        reason: why it ended, as a sentence, or "".
        curve: its updates.
        observations: looks at the model, the first before the first update.
        next_look: when the next one is due, in seconds of training; NaN where none is.
        processor_share: how much of the last seconds its thread had a processor, 0 to 1.
        final_loss, final_accuracy: over the whole held-out data, once it has ended.
        classifier: what labels texts, once a run on labels has ended.
    """

    def __init__(self, plan: Plan, *, n_threads: Callable[[], int] = torch.get_num_threads) -> None:
        self.plan, self.id = plan, RUN_PREFIX + secrets.token_urlsafe(9)
        self.state, self.reason, self.final_loss, self.final_accuracy = "ready", "", math.nan, math.nan
        self.classifier: TaskClassifier | None = None
        self.curve, self.observations = Curve(), list[Observation]()
        self.step, self.rate, self.learning_rate = 0, 0.0, plan.config.learning_rate
        self.next_look, self.processor_share = math.nan, 1.0
        self._thinned = 0
        self.watch = Stopwatch()
        self.scratch: tempfile.TemporaryDirectory[str] | None = None  # of a file to download; goes with the run
        self.lock = threading.Lock()  # guards the curve and the observations
        self._n_threads = n_threads
        self._wake = threading.Condition()
        self._allowed, self._stopped, self._replaced = 0.0, False, False
        self._model: LanguageModel | None = None
        self._thread = threading.Thread(target=self._work, daemon=True, name=self.id)
        self._thread.start()

    @property
    def version(self) -> int:
        """Grows when what a page has received of curve and observations is no longer the beginning of them."""
        return self.curve.version + self._thinned

    @property
    def alive(self) -> bool:
        """Whether it can still learn."""
        return self.state != "ended"

    @property
    def language_model(self) -> LanguageModel | None:
        """The model as it was at the last look; at the end, as it is. None before the first look."""
        return self._model

    def go(self, updates: float = math.inf) -> None:
        """Lets it run, for so many updates more or to its end."""
        with self._wake:
            before = 0.0 if math.isinf(self._allowed) else self._allowed
            self._allowed = before + updates
            self._wake.notify()

    def pause(self) -> None:
        """Holds it after the update in progress."""
        with self._wake:
            self._allowed = 0.0

    def stop(self, *, replaced: bool = False) -> None:
        """Ends it after the update in progress; what was learned stays. A replaced run is not scored at the end."""
        with self._wake:
            self._stopped, self._replaced = True, replaced
            self._wake.notify()

    def retune(self, learning_rate: float) -> None:
        """Moves the peak of the learning rate from the next update on. Raises TrainingError for a rate that is none."""
        self.learning_rate = replace(self.plan.config, learning_rate=learning_rate).learning_rate

    def wait(self, seconds: float) -> bool:
        """Whether it has ended within so many seconds."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        threads = torch.get_num_threads()
        try:
            self._train()
        except Exception as error:
            said = str(error)
            if not isinstance(error, GPTCoreError):
                log.exception("a training run failed")
                said = "Training failed; the server's log has the details."
            kept = f" The model of step {self.observations[-1].step:,} is kept." if self.observations else ""
            self.reason = said + kept
        finally:
            self.state = "ended"
            self.watch.off()
            torch.set_num_threads(threads)

    def _train(self) -> None:
        plan, model = self.plan, self.plan.model()
        assert plan.data is not None
        trainer = Trainer(model, plan.config, plan.data, clock=self.watch)
        self._look(model)
        self.next_look = _SHORTEST_WAIT
        events = trainer.events()
        self._steps: list[tuple[float, int, float]] = []
        while self._may_go_on(model):
            if trainer.config.learning_rate != self.learning_rate:
                trainer.retune(self.learning_rate)
            self._use_threads()
            event = next(events)
            if isinstance(event, EndEvent):
                self.reason = "The time is up." if event.reason == "time" else "All steps are done."
                break
            if isinstance(event, StepEvent):
                self._take(event)
                if self.watch() >= self.next_look:
                    self.next_look = self._look(model)
        else:
            self.reason = "Stopped."
        self.next_look = math.nan
        self.watch.off()
        self.state = "ending"
        for optimizer in trainer.optimizers:
            optimizer.zero_grad(set_to_none=True)
        if self._replaced:
            return
        self._look(model)
        self.final_loss, self.final_accuracy = plan.evaluate(model, True)
        if isinstance(model, TaskClassifier):
            self.classifier = model.eval()

    @property
    def busy(self) -> bool:
        """Whether other work on this machine takes the processor from the run."""
        return self.processor_share < _BUSY_BELOW

    def _take(self, event: StepEvent) -> None:
        now, computed = self.watch(), time.thread_time()
        self._steps.append((now, event.step, computed))
        while len(self._steps) > 2 and now - self._steps[0][0] > _RATE_OVER:
            self._steps.pop(0)
        (before, first, computed_before), tokens = self._steps[0], event.n_tokens / event.step
        with self.lock:
            self.step = event.step
            if now > before:
                self.rate = (event.step - first) * tokens / (now - before)
                self.processor_share = min(1.0, (computed - computed_before) / (now - before))
            self.curve.add(event)

    def _look(self, model: GPT | TaskClassifier) -> float:
        """Looks at the model, and returns when to look again."""
        if self.observations and self.observations[-1].step == self.step:
            return self.watch()
        began = time.perf_counter()
        self._use_threads()
        loss, accuracy = self.plan.evaluate(model, False)
        if self.observations and not math.isfinite(loss) and math.isfinite(self.observations[0].valid_loss):
            raise TrainingError(f"The held-out loss became {loss} at step {self.step:,}. Lower the learning rate.")
        copy = model.language_model() if isinstance(model, TaskClassifier) else snapshot(model)
        lm = LanguageModel(copy, self.plan.tokenizer, self.plan.title)
        now = {"step": self.step, "elapsed": self.watch(), "valid_loss": loss, "accuracy": accuracy}
        seen = observe(lm, self.plan.watched, **now)
        with self.lock:
            self._model = lm
            self.observations.append(seen)
            if len(self.observations) > _MOST_OBSERVATIONS:
                del self.observations[1:-1:2]
                self._thinned += 1
        crowd = 1 << self._thinned
        wait = (time.perf_counter() - began) / _LOOKING_SHARE
        budget = self.plan.config.time_budget
        longest = _LONGEST_WAIT if budget is None else min(_LONGEST_WAIT, max(_SHORTEST_WAIT, budget / _LOOKS_AT_LEAST))
        return self.watch() + crowd * min(longest, max(_SHORTEST_WAIT, wait))

    def _may_go_on(self, model: GPT | TaskClassifier) -> bool:
        """Waits while it may not; False once it is stopped."""
        while True:
            with self._wake:
                if self._stopped:
                    return False
                if self._allowed >= 1:
                    self._allowed -= 1
                    self.state = "running"
                    self.watch.on()
                    return True
            self.watch.off()
            if self.step:
                self._look(model)
            with self._wake:
                if self._allowed < 1 and not self._stopped:
                    self.state = "paused" if self.step else "ready"
                    self._wake.wait_for(lambda: self._allowed >= 1 or self._stopped)

    def _use_threads(self) -> None:
        wanted = self._n_threads()
        if torch.get_num_threads() != wanted:
            torch.set_num_threads(wanted)


class FinishedRun:
    """A run that was recorded: all that a Run shows, and nothing left to do. Arguments are a Run's attributes."""

    state, alive = "ended", False

    def __init__(
        self, *, lm: LanguageModel, title: str, about: dict[str, Any], config: TrainingConfig, curve: Curve,
        observations: list[Observation], step: int, seconds: float, rate: float, final_loss: float, reason: str,
    ) -> None:  # fmt: skip
        watched = Watched([0], seed=config.seed, n_new=0, looked_at=[0])
        self.plan = Plan(
            title, lambda: lm.model, lm.tokenizer, None, config, lambda *_: (math.nan, math.nan), watched, about
        )
        self.id, self.language_model, self.learning_rate = lm.name, lm, config.learning_rate
        self.curve, self.observations, self.step, self.rate = curve, observations, step, rate
        self.final_loss, self.final_accuracy, self.classifier = final_loss, math.nan, None
        self.next_look, self.processor_share, self.busy = math.nan, 1.0, False
        self.reason, self.lock = reason, threading.Lock()
        self.scratch: tempfile.TemporaryDirectory[str] | None = None
        self.version = 0
        self._seconds = seconds

    def watch(self) -> float:
        """Seconds that it took."""
        return self._seconds

    def go(self, updates: float = math.inf) -> None:
        """Nothing: it has ended."""

    def pause(self) -> None:
        """Nothing: it has ended."""

    def stop(self, *, replaced: bool = False) -> None:
        """Nothing: it has ended."""

    def retune(self, learning_rate: float) -> None:
        """Nothing: it has ended."""

    def wait(self, seconds: float) -> bool:
        """True: it has ended."""
        return True


def remaining(run: Run | FinishedRun) -> float | None:
    """Seconds of training that are left, as far as can be told."""
    config, elapsed = run.plan.config, run.watch()
    if not run.alive:
        return 0.0
    found = []
    if config.time_budget is not None:
        found.append(config.time_budget - elapsed)
    if run.rate > 0:
        found.append((config.max_steps - run.step) * run.plan.about["tokens_per_step"] / run.rate)
    return max(0.0, min(found)) if found else None
