"""One training run in a thread of its own: planned, steered, looked at."""

from __future__ import annotations

import logging
import math
import secrets
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
from gptcore.recording import Watched, observe, snapshot
from gptcore.tokenizers import Tokenizer
from gptcore.training import Batches, EndEvent, StepEvent, Trainer
from ui.run_records import RunFacts, RunRecord

log = logging.getLogger("gptlens")

RUN_PREFIX = "run-"
_MOST_OBSERVATIONS = 200
# A look costs a sample, a held-out score and some attention maps; it may take this share of the training's time.
_LOOKING_SHARE, _SHORTEST_WAIT, _LONGEST_WAIT = 0.04, 1.0, 8.0
_LOOKS_AT_LEAST = 10  # in a timed run, however slow the machine
_RATE_OVER = 2.0  # seconds


@dataclass(frozen=True)
class Plan:
    """Everything that a run needs, checked.

    Attributes:
        facts: what is known of it.
        model: makes what is trained, with its initial weights: a GPT, or a classifier around one.
        tokenizer: of the text.
        data: batches.
        evaluate: scores what is trained on held-out data, (loss in nats, accuracy or NaN); quickly, or on all of it.
        watched: what is looked at while it learns.
    """

    facts: RunFacts
    model: Callable[[], GPT | TaskClassifier]
    tokenizer: Tokenizer
    data: Batches
    evaluate: Callable[[Any, bool], tuple[float, float]]
    watched: Watched


class Run:
    """The thread that makes a record. It always ends: at its plan's end, when stopped, or by a bad loss.

    Args:
        plan: what to do.
        n_threads: how many threads an update may use at a moment.

    Attributes:
        record: what has happened so far.
    """

    def __init__(self, plan: Plan, *, n_threads: Callable[[], int] = torch.get_num_threads) -> None:
        self._plan, self._n_threads = plan, n_threads
        self.record = RunRecord(
            RUN_PREFIX + secrets.token_urlsafe(9), plan.facts, learning_rate=plan.facts.config.learning_rate
        )
        self._wake = threading.Condition()
        self._allowed, self._stopped, self._replaced = 0.0, False, False
        self._lowest, self._kept = math.inf, dict[str, torch.Tensor]()  # held-out loss and weights of a classifier
        self._steps: list[tuple[float, int, float]] = []  # seconds, updates and seconds of computing, lately
        self._thread = threading.Thread(target=self._work, daemon=True, name=self.record.id)
        self._thread.start()

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
        self.record.learning_rate = replace(self.record.facts.config, learning_rate=learning_rate).learning_rate

    def wait(self, seconds: float) -> bool:
        """Whether it has ended within so many seconds."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        record = self.record
        threads = torch.get_num_threads()
        try:
            self._train()
        except Exception as error:
            said = str(error)
            if not isinstance(error, GPTCoreError):
                log.exception("a training run failed")
                said = "Training failed; the server's log has the details."
            kept = f" The model of step {record.observations[-1].step:,} is kept." if record.observations else ""
            record.reason = said + kept
        finally:
            record.state = "ended"
            record.seconds.off()
            torch.set_num_threads(threads)

    def _train(self) -> None:
        plan, model, record = self._plan, self._plan.model(), self.record
        trainer = Trainer(model, plan.facts.config, plan.data, clock=record.seconds)
        self._look(model)
        record.next_look = _SHORTEST_WAIT
        events = trainer.events()
        while self._may_go_on(model):
            if trainer.config.learning_rate != record.learning_rate:
                trainer.retune(record.learning_rate)
            self._use_threads()
            event = next(events)
            if isinstance(event, EndEvent):
                record.reason = "The time is up." if event.reason == "time" else "All steps are done."
                break
            if isinstance(event, StepEvent):
                self._take(event)
                if record.seconds() >= record.next_look:
                    record.next_look = self._look(model)
        else:
            record.reason = "Stopped."
        record.next_look = math.nan
        record.seconds.off()
        record.state = "ending"
        for optimizer in trainer.optimizers:
            optimizer.zero_grad(set_to_none=True)
        if self._replaced:
            return
        self._look(model)
        if isinstance(model, TaskClassifier):
            self._restore_best(model)
            record.classifier = model.eval()
        record.final_loss, record.final_accuracy = plan.evaluate(model, True)

    def _keep_if_best(self, model: TaskClassifier, loss: float) -> None:
        """Keeps a classifier as it is, where its held-out loss is the lowest so far."""
        if loss < self._lowest:
            self._lowest, self.record.kept_step = loss, self.record.step
            self._kept = {name: value.detach().clone() for name, value in model.state_dict().items()}

    def _restore_best(self, model: TaskClassifier) -> None:
        """Takes a classifier back to where its held-out loss was lowest; so many passes were best."""
        if self._kept:
            model.load_state_dict(self._kept)
            title = self.record.facts.title
            self.record.language_model = LanguageModel(model.language_model(), self._plan.tokenizer, title)

    def _take(self, event: StepEvent) -> None:
        record = self.record
        now, computed = record.seconds(), time.thread_time()
        self._steps.append((now, event.step, computed))
        while len(self._steps) > 2 and now - self._steps[0][0] > _RATE_OVER:
            self._steps.pop(0)
        (before, first, computed_before), tokens = self._steps[0], event.n_tokens / event.step
        with record.lock:
            record.step = event.step
            if now > before:
                record.rate = (event.step - first) * tokens / (now - before)
                record.processor_share = min(1.0, (computed - computed_before) / (now - before))
            record.curve.add(event)

    def _look(self, model: GPT | TaskClassifier) -> float:
        """Looks at the model, and returns when to look again."""
        record = self.record
        if record.observations and record.observations[-1].step == record.step:
            return record.seconds()
        began = time.perf_counter()
        self._use_threads()
        loss, accuracy = self._plan.evaluate(model, False)
        if record.observations and not math.isfinite(loss) and math.isfinite(record.observations[0].valid_loss):
            raise TrainingError(f"The held-out loss became {loss} at step {record.step:,}. Lower the learning rate.")
        if isinstance(model, TaskClassifier):
            self._keep_if_best(model, loss)
        copy = model.language_model() if isinstance(model, TaskClassifier) else snapshot(model)
        lm = LanguageModel(copy, self._plan.tokenizer, record.facts.title)
        now = {"step": record.step, "elapsed": record.seconds(), "valid_loss": loss, "accuracy": accuracy}
        seen = observe(lm, self._plan.watched, **now)
        record.add_look(seen, lm, most=_MOST_OBSERVATIONS)
        crowd = 1 << record.thinned
        wait = (time.perf_counter() - began) / _LOOKING_SHARE
        budget = record.facts.config.time_budget
        longest = _LONGEST_WAIT if budget is None else min(_LONGEST_WAIT, max(_SHORTEST_WAIT, budget / _LOOKS_AT_LEAST))
        return record.seconds() + crowd * min(longest, max(_SHORTEST_WAIT, wait))

    def _may_go_on(self, model: GPT | TaskClassifier) -> bool:
        """Waits while it may not; False once it is stopped."""
        record = self.record
        while True:
            with self._wake:
                if self._stopped:
                    return False
                if self._allowed >= 1:
                    self._allowed -= 1
                    record.state = "running"
                    record.seconds.on()
                    return True
            record.seconds.off()
            if record.step:
                self._look(model)
            with self._wake:
                if self._allowed < 1 and not self._stopped:
                    record.state = "paused" if record.step else "ready"
                    self._wake.wait_for(lambda: self._allowed >= 1 or self._stopped)

    def _use_threads(self) -> None:
        wanted = self._n_threads()
        if torch.get_num_threads() != wanted:
            torch.set_num_threads(wanted)
