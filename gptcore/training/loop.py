"""The training loop: a generator of events that knows neither a terminal nor a page."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import torch

from gptcore.checkpoint import read_tensors, write_tensors
from gptcore.errors import CheckpointError, TrainingError
from gptcore.model import GPT
from gptcore.scoring import TextScore, score_documents
from gptcore.training.config import TrainingConfig
from gptcore.training.data import Batches
from gptcore.training.optimizer import learning_rate, make_optimizer


@dataclass(frozen=True)
class StepEvent:
    """One update.

    Attributes:
        step: updates made, this one included.
        loss: nats per token, of the batch before the update.
        learning_rate: used for this update.
        grad_norm: 2-norm before clipping.
        n_tokens: tokens trained on since the run began.
        elapsed: seconds of training, earlier sittings included.
    """

    step: int
    loss: float
    learning_rate: float
    grad_norm: float
    n_tokens: int
    elapsed: float


@dataclass(frozen=True)
class EvalEvent:
    """The model on held-out text, after `step` updates."""

    step: int
    score: TextScore


@dataclass(frozen=True)
class EndEvent:
    """The run is over: "steps" or "time"."""

    step: int
    reason: str


TrainingEvent = StepEvent | EvalEvent | EndEvent
_STATE_FILE, _MODEL_FILE, _OPTIMIZER_FILE = "state.json", "weights.safetensors", "optimizer.safetensors"


class Trainer:
    """A model in training.

    Args:
        model: trained in place.
        config: of the run.
        data: where batches come from.
        validation: held-out documents as (ids, bytes), scored every eval_every updates.
        start_id: the token that stands before each held-out document.
    """

    def __init__(
        self,
        model: GPT,
        config: TrainingConfig,
        data: Batches,
        *,
        validation: Sequence[tuple[Sequence[int], int]] = (),
        start_id: int = 0,
    ) -> None:
        self.model, self.config, self.data = model, config, data
        self.validation, self.start_id = validation, start_id
        self.optimizer = make_optimizer(model, config)
        self.step, self.elapsed = 0, 0.0
        self._batches = torch.Generator().manual_seed(config.seed)
        torch.manual_seed(config.seed)  # dropout draws from the global generator

    def events(self) -> Iterator[TrainingEvent]:
        """Trains until the steps or the time are used up; stop early by not asking for the next event.

        Raises:
            TrainingError: the loss is no longer a finite number.
        """
        resumed_at, began = self.elapsed, time.perf_counter()
        while True:
            reason = self._over()
            if self.validation and (reason or self.step % self.config.eval_every == 0):
                yield EvalEvent(self.step, self.evaluate())
            if reason:
                yield EndEvent(self.step, reason)
                return
            loss, rate, norm = self._update()
            self.step += 1
            self.elapsed = resumed_at + time.perf_counter() - began
            n_tokens = self.step * self.config.accumulation_steps * self.data.batch_size * self.data.window
            yield StepEvent(self.step, loss, rate, norm, n_tokens, self.elapsed)

    def evaluate(self) -> TextScore:
        """The score on the held-out documents."""
        return score_documents(self.model, self.validation, start_id=self.start_id)

    def save(self, folder: Path) -> None:
        """Writes everything that a bit-exact continuation needs."""
        folder.mkdir(parents=True, exist_ok=True)
        write_tensors(dict(self.model.named_parameters()), folder / _MODEL_FILE)
        state = self.optimizer.state_dict()["state"]
        flat = {f"{index}.{name}": value for index, entry in state.items() for name, value in entry.items()}
        flat["batches"], flat["dropout"] = self._batches.get_state(), torch.get_rng_state()
        write_tensors(flat, folder / _OPTIMIZER_FILE, {"step": str(self.step)})
        progress = {"step": self.step, "elapsed": self.elapsed, "config": self.config.to_dict()}
        (folder / _STATE_FILE).write_text(json.dumps(progress, indent=2) + "\n", encoding="utf-8")

    def resume(self, folder: Path) -> None:
        """Continues where `save` left off. Raises CheckpointError when the folder is of another model."""
        try:
            progress = json.loads((folder / _STATE_FILE).read_text(encoding="utf-8"))
            self.step, self.elapsed = int(progress["step"]), float(progress["elapsed"])
            weights, flat = read_tensors(folder / _MODEL_FILE), read_tensors(folder / _OPTIMIZER_FILE)
            with torch.no_grad():
                for name, parameter in self.model.named_parameters():
                    parameter.copy_(weights[name])
            self._batches.set_state(flat.pop("batches"))
            torch.set_rng_state(flat.pop("dropout"))
            state: dict[int, dict[str, torch.Tensor]] = {}
            for key, value in flat.items():
                index, name = key.split(".", 1)
                state.setdefault(int(index), {})[name] = value
            self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state})
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise CheckpointError(f"{folder} holds no checkpoint of this run ({error}).") from None

    def _over(self) -> str | None:
        if self.step >= self.config.max_steps:
            return "steps"
        if self.config.time_budget is not None and self.elapsed >= self.config.time_budget:
            return "time"
        return None

    def _update(self) -> tuple[float, float, float]:
        """One optimiser step: (loss in nats per token, learning rate, gradient norm)."""
        self.model.train()
        total, device = 0.0, self.model.wte.weight.device
        for _ in range(self.config.accumulation_steps):
            inputs, targets = (tensor.to(device) for tensor in self.data.draw(self._batches))
            with self._autocast():
                loss = self.model(inputs, targets).loss
            (loss / self.config.accumulation_steps).backward()
            total += float(loss.detach()) / self.config.accumulation_steps
        if not math.isfinite(total):
            raise TrainingError(f"The loss became {total} at step {self.step + 1}. Lower the learning rate.")
        norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.max_grad_norm))
        rate = learning_rate(self.config, self.step, self.elapsed)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return total, rate, norm

    def _autocast(self):  # noqa: ANN202 - a context manager
        if self.config.precision == "fp32":
            return nullcontext()
        return torch.autocast(self.model.wte.weight.device.type, torch.bfloat16)
