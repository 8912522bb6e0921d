"""Training run: a background job of the compute thread that follows a plan, takes commands and
records snapshots.
"""

import logging
import math
import secrets
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Literal, cast

import torch

from gptcore.errors import GPTCoreError, TrainingError
from gptcore.finetuning import TaskClassifier
from gptcore.language_model import LanguageModel
from gptcore.machine import CPU, device_name
from gptcore.model import GPT
from gptcore.training import EndEvent, StepEvent, Trainer
from gptcore.weights.hf_format import clone
from ui.compute.compute_thread import ComputeThread
from ui.runs.plan import Plan, Preparation
from ui.runs.run_state import RunState, State
from ui.runs.snapshot import take_snapshot

log = logging.getLogger("gptlens")

RUN_PREFIX = "run-"
_MOST_OBSERVATIONS = 200
# A snapshot costs a sample, a held-out score and some attention maps; it may take this share of the
# training time.
_LOOKING_SHARE = 0.04
_SHORTEST_WAIT = 1.0
_LONGEST_WAIT = 8.0
_LOOKS_AT_LEAST = 10  # in a timed run, however slow the machine
_RATE_OVER = 2.0  # seconds
_PREPARING = "Prepares the text."
_FULL = (
    "{name} has no memory left for this run. Take a smaller batch, a shorter window or a smaller "
    "model."
)
_NONE_YET: tuple[tuple[float, float], int, dict[str, torch.Tensor]] = ((math.inf, math.inf), 0, {})


class TrainingRun:
    """Trains in time slices of the compute thread. It always ends: as planned, stopped, or on a
    non-finite loss.

    Args:
        plan: what to do.
        computing: the compute thread.
        rests: called when it pauses or ends, which frees its slot.
        device: where it computes.

    Attributes:
        record: what has happened so far.
    """

    def __init__(
        self,
        plan: Plan | Preparation,
        computing: ComputeThread,
        rests: Callable[[], None] = lambda: None,
        *,
        device: torch.device = CPU,
    ) -> None:
        self._device = device
        self._given = plan
        self._computing = computing
        self._rests = rests
        self.record = RunState(
            RUN_PREFIX + secrets.token_urlsafe(9),
            plan.facts,
            learning_rate=plan.facts.config.learning_rate,
        )
        self._steering = threading.Lock()
        self._allowed = 0.0
        self._stopped = False
        self._replaced = False
        self._at_work = False
        self._queued = False
        self._ended = threading.Event()
        # Of what began with a trained model: its best held-out score, the lower the better, its
        # update, its weights.
        self._best: tuple[tuple[float, float], int, dict[str, torch.Tensor]] = _NONE_YET
        self._preparing: Generator[str, None, Plan] | None = None
        self._prepares_since = math.inf  # seconds of the monotonic clock
        self._steps: list[
            tuple[float, int, float]
        ] = []  # seconds, updates and seconds of computing, lately
        self._computed = 0.0
        self._learning: _Learning | None = None
        self._untrained: GPT | None = (
            None  # to be looked at after the first update, for which a page waits
        )
        self._take_turns()

    @property
    def _plan(self) -> Plan:
        """Once it is made."""
        return cast(Plan, self._given)

    def go(self, updates: float = math.inf) -> None:
        """Runs it, for a number of further updates or to its end."""
        with self._steering:
            before = 0.0 if math.isinf(self._allowed) else self._allowed
            self._allowed = before + updates
            self._queued = False
            self._say("")
            if self.record.state in ("ready", "queued"):
                self.record.state = "starting"
        self._take_turns()

    @property
    def allowed(self) -> float:
        """Updates that it may still make."""
        with self._steering:
            return self._allowed

    def line_up(self, why: str = "") -> None:
        """Marks it as queued, until `go` or `pause`; one that learns stops after the update in
        progress.
        """
        with self._steering:
            self._allowed = 0.0
            self._queued = True
            self._say(why)
            if self.record.state in ("ready", "paused"):
                self.record.state = "queued"

    def pause(self, why: str = "") -> None:
        """Pauses it after the update in progress, with a sentence where nobody asked for it."""
        with self._steering:
            self._allowed = 0.0
            self._queued = False
            self._say(why)
            if self.record.state == "queued":
                self.record.state = self._waiting_state()

    def _say(self, why: str) -> None:
        """Why it rests, unless it has ended."""
        if self.record.alive:
            self.record.reason = why

    def stop(self, *, replaced: bool = False) -> None:
        """Ends it after the update in progress; what was learned stays. A replaced run is not
        scored at the end.
        """
        with self._steering:
            self._stopped = True
            self._replaced = replaced
        self._take_turns()

    def retune(self, learning_rate: float) -> None:
        """Sets the peak learning rate from the next update on. Raises TrainingError for an invalid
        rate.
        """
        self.record.learning_rate = replace(
            self.record.facts.config, learning_rate=learning_rate
        ).learning_rate

    def prolong(self, seconds: float) -> None:
        """Extends a timed run and its schedule. No effect on a run whose length is given in
        steps.
        """
        if self.record.facts.config.time_budget is not None and self.record.alive:
            self.record.prolonged += seconds

    def wait(self, seconds: float) -> bool:
        """Waits up to `seconds`; whether it has ended."""
        return self._ended.wait(seconds)

    @property
    def learns(self) -> bool:
        """Whether it is training or about to, rather than paused or queued."""
        with self._steering:
            return not self._ended.is_set() and (
                self._allowed >= 1 or self.record.state in ("starting", "running", "ending")
            )

    def _take_turns(self) -> None:
        """Resubmits its job, unless it is running or has ended."""
        with self._steering:
            if self._at_work or self._ended.is_set():
                return
            self._at_work = True
        turns = self._work()
        if isinstance(self._given, Preparation) and self._given.apart:
            threading.Thread(
                target=self._prepare_apart, args=(turns,), daemon=True, name="preparation"
            ).start()
        else:
            self._computing.keep(turns, background=True)

    def _prepare_apart(self, turns: Iterator[None]) -> None:
        """Takes the turns up to the finished plan in this thread; the compute thread takes the
        others.
        """
        for _ in turns:
            if not isinstance(self._given, Preparation):
                self._computing.keep(turns, background=True)
                return

    def _work(self) -> Iterator[None]:
        """Its turns, until it waits or has ended."""
        record = self.record
        try:
            if (yield from self._waits_or_ends()):
                self._rests()
                return
        except Exception as error:
            sentence = str(error)
            if isinstance(error, torch.OutOfMemoryError):
                sentence = _FULL.format(name=device_name(self._device))
            elif not isinstance(error, GPTCoreError):
                log.exception("a training run failed")
                sentence = "Training failed; the server's log has the details."
            kept = (
                f" The model of step {record.snapshots[-1].step:,} is kept."
                if record.snapshots
                else ""
            )
            record.reason = sentence + kept
        self._learning = None
        self._untrained = None
        self._best = _NONE_YET
        self._preparing = None
        record.preparing = ""
        record.state = "ended"
        record.seconds.off()
        self._ended.set()
        self._rests()

    def _waiting_state(self) -> State:
        """Its state while it is not training."""
        return "queued" if self._queued else "paused" if self.record.step else "ready"

    def _waits_or_ends(self) -> Generator[None, None, bool]:
        """Trains while allowed; True if it pauses for permission, False if it has ended."""
        record = self.record
        learning = self._learning
        if learning is None:
            while isinstance(self._given, Preparation):
                if self._stopped:
                    record.reason = "Stopped."
                    return False
                if self._allowed < 1 and self._rest():
                    return True
                self._prepare(self._given)
                yield
            learning = self._learning = _Learning(self._plan, record.seconds, self._device)
            if isinstance(learning.model, GPT) and self._allowed >= 1:
                self._untrained = clone(learning.model)
            else:
                yield from self._take_snapshot(learning.model)
            record.next_look = _SHORTEST_WAIT
        while (what := self._next()) != "stop":
            if what == "wait":
                record.seconds.off()
                yield from self._look_at_untrained()
                yield from self._take_snapshot(learning.model)
                if self._rest():
                    return True
            elif (yield from self._update(learning)):
                break
        else:
            record.reason = "Stopped."
        yield from self._end(learning)
        return False

    def _prepare(self, preparation: Preparation) -> None:
        """Takes one step of a preparation."""
        record = self.record
        if self._preparing is None:
            self._preparing = preparation.prepare()
            self._prepares_since = time.monotonic()
            record.preparing = _PREPARING
        elif time.monotonic() - self._prepares_since > preparation.seconds:
            raise TrainingError(
                f"Preparing this run took longer than {preparation.seconds:,.0f} seconds, the "
                "longest here. Give less text or take a smaller vocabulary."
            )
        try:
            record.preparing = next(self._preparing)
        except StopIteration as done:
            with record.lock:
                self._given = done.value
                record.facts = done.value.facts
                record.learning_rate = record.facts.config.learning_rate
                record.preparing, record.prepared = "", record.prepared + 1

    def _rest(self) -> bool:
        """Pauses; False if it was allowed more updates meanwhile."""
        with self._steering:
            if self._allowed >= 1 or self._stopped:
                return False
            self.record.state = self._waiting_state()
            self._at_work = False
            return True

    def _update(self, learning: "_Learning") -> Generator[None, None, bool]:
        """One update, and a snapshot if due; True after the last update."""
        record = self.record
        if learning.trainer.config.learning_rate != record.learning_rate:
            learning.trainer.retune(record.learning_rate)
        if learning.trainer.config.time_budget != record.time_budget:
            learning.trainer.config = replace(
                learning.trainer.config, time_budget=record.time_budget
            )
        before = time.thread_time()
        try:
            event = next(learning.events)
        except TrainingError:
            yield from self._look_at_untrained()  # so that something is kept
            raise
        self._computed += time.thread_time() - before
        if isinstance(event, EndEvent):
            record.reason = "The time is up." if event.reason == "time" else "All steps are done."
            return True
        if isinstance(event, StepEvent):
            self._take(event)
            yield from self._look_at_untrained()
            if record.seconds() >= record.next_look:
                record.next_look = yield from self._take_snapshot(learning.model)
        yield
        return False

    def _next(self) -> Literal["update", "wait", "stop"]:
        with self._steering:
            if self._stopped:
                return "stop"
            if self._allowed < 1:
                return "wait"
            self._allowed -= 1
        self.record.state = "running"
        self.record.seconds.on()
        return "update"

    def _end(self, learning: "_Learning") -> Iterator[None]:
        """The last snapshot and the score on all held-out data."""
        record = self.record
        model = learning.model
        record.next_look = math.nan
        record.seconds.off()
        record.state = "ending"
        for optimizer in learning.trainer.optimizers:
            optimizer.zero_grad()
        if self._replaced:
            return
        yield from self._take_snapshot(model)
        self._restore_best(model)
        if isinstance(model, TaskClassifier):
            record.classifier = model.eval()
        elif self._plan.on_plain is not None:
            record.plain_losses += ((yield from self._plan.on_plain(model)),)
        scoring = self._plan.evaluate(model, True)
        while not self._replaced:  # a replacing run does not wait for the score
            try:
                next(scoring)
            except StopIteration as end:
                record.final_loss, record.final_accuracy = end.value
                return
            yield

    def _keep_if_best(
        self, model: GPT | TaskClassifier, loss: float, accuracy: float, step: int
    ) -> None:
        """Copies the weights if the plan asks for it and their held-out score is the best so far.

        A classifier is scored by accuracy before loss: it grows overconfident on some lines while
        it still learns others.
        """
        score = (-accuracy if isinstance(model, TaskClassifier) else 0.0, loss)
        if self._plan.keeps_best and math.isfinite(loss) and score < self._best[0]:
            self._best = (
                score,
                step,
                {name: value.detach().clone() for name, value in model.state_dict().items()},
            )

    def _restore_best(self, model: GPT | TaskClassifier) -> None:
        """Restores the weights that did best (early stopping)."""
        _, step, weights = self._best
        if not weights or step == self.record.step:
            return
        model.load_state_dict(weights)
        self.record.kept_step, self.record.language_model = step, self._copy(model)

    def _copy(self, model: GPT | TaskClassifier) -> LanguageModel:
        copy = model.language_model() if isinstance(model, TaskClassifier) else clone(model)
        return LanguageModel(copy, self._plan.tokenizer, self.record.facts.title)

    def _take(self, event: StepEvent) -> None:
        record = self.record
        now = self.record.seconds()
        self._steps.append((now, event.step, self._computed))
        while len(self._steps) > 2 and now - self._steps[0][0] > _RATE_OVER:
            self._steps.pop(0)
        (before, first, computed_before), tokens = self._steps[0], event.n_tokens / event.step
        with record.lock:
            record.step = event.step
            if now > before:
                record.rate = (event.step - first) * tokens / (now - before)
                record.cpu_share = min(1.0, (self._computed - computed_before) / (now - before))
            record.curve.add(event)

    def _look_at_untrained(self) -> Iterator[None]:
        """Takes the snapshot of the model before its first update, if that is still to be done; the
        clock stands.
        """
        untrained = self._untrained
        self._untrained = None
        if untrained is not None:
            self.record.seconds.off()
            yield from self._take_snapshot(untrained, step=0)

    def _take_snapshot(
        self, model: GPT | TaskClassifier, *, step: int | None = None
    ) -> Generator[None, None, float]:
        """Takes a snapshot of the model, as it is now or was after `step`, and returns the time of
        the next one.
        """
        record = self.record
        at = record.step if step is None else step
        if record.snapshots and record.snapshots[-1].step == at:
            return record.seconds()
        elapsed = record.seconds() if at else 0.0
        began = time.perf_counter()
        loss, accuracy = yield from self._plan.evaluate(model, False)
        if (
            record.snapshots
            and not math.isfinite(loss)
            and math.isfinite(record.snapshots[0].valid_loss)
        ):
            raise TrainingError(
                f"The held-out loss became {loss} at step {record.step:,}. Lower the learning rate."
            )
        self._keep_if_best(model, loss, accuracy, at)
        if (
            at == 0
            and not record.plain_losses
            and self._plan.on_plain is not None
            and isinstance(model, GPT)
        ):
            record.plain_losses = ((yield from self._plan.on_plain(model)),)
        lm = self._copy(model)
        watched = self._plan.watched
        seen = yield from take_snapshot(
            lm, watched, step=at, elapsed=elapsed, valid_loss=loss, accuracy=accuracy
        )
        record.add_observation(seen, lm, most=_MOST_OBSERVATIONS)
        crowd = 1 << record.thinned
        wait = (time.perf_counter() - began) / _LOOKING_SHARE
        budget = record.time_budget
        longest = (
            _LONGEST_WAIT
            if budget is None
            else min(_LONGEST_WAIT, max(_SHORTEST_WAIT, budget / _LOOKS_AT_LEAST))
        )
        return record.seconds() + crowd * min(longest, max(_SHORTEST_WAIT, wait))


class _Learning:
    """The model of a run and what trains it."""

    def __init__(self, plan: Plan, clock: Callable[[], float], device: torch.device) -> None:
        self.model = plan.model().to(device)
        objective = None if plan.objective is None else plan.objective(self.model)
        self.trainer = Trainer(
            self.model, plan.facts.config, plan.data, objective=objective, clock=clock
        )
        self.events = self.trainer.events()
