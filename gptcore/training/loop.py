"""The training loop: a generator of events, independent of any user interface."""

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

from gptcore.errors import CheckpointError, TrainingError
from gptcore.model import GPT, IGNORED_TARGET
from gptcore.threads import adapted
from gptcore.training.config import TrainingConfig
from gptcore.training.cuda_graphs import CapturedUpdates, Gradients
from gptcore.training.data import Batches, Rows, generator_for
from gptcore.training.distributed import Workers
from gptcore.training.optimizer import Muon, learning_rate, make_optimizers, set_rate
from gptcore.weights.checkpoint import read_metadata, read_tensors, write_tensors


@dataclass(frozen=True)
class StepEvent:
    """One update."""

    step: int  # updates made, this one included
    loss: float  # nats per token, of the batch before the update
    learning_rate: float  # used for this update
    grad_norm: float  # 2-norm before clipping
    n_tokens: int  # tokens trained on since the run began
    elapsed: float  # seconds of training, including earlier sessions
    terms: tuple[float, ...] = ()  # of a loss that is a sum


@dataclass(frozen=True)
class EvalEvent:
    """The model on held-out data, after `step` updates; the score is what the trainer's `evaluate`
    returned.
    """

    step: int
    score: Any


@dataclass(frozen=True)
class EndEvent:
    """The run is over: "steps" or "time"."""

    step: int
    reason: str


TrainingEvent = StepEvent | EvalEvent | EndEvent


@dataclass(frozen=True)
class Sum:
    """A loss that is a sum, in nats, with its terms as curves show them."""

    loss: Tensor
    terms: tuple[Tensor, ...]


Objective = Callable[[nn.Module, Tensor, Tensor], Tensor | Sum]


class Trainer:
    """A model in training.

    Args:
        model: trained in place; called with a batch, it returns something with a `.loss`.
        config: of the run; see `retune`.
        data: where batches come from.
        evaluate: scores the model on held-out data; called every eval_every updates and at both
            ends of the run.
        objective: (model, inputs, targets) -> the loss to minimise; None for the model's own. If
            the loss is not a mean over the tokens with a target, the objective (or the model)
            defines `loss_count(inputs, targets)`, the denominator of its mean.
        workers: the processes that share every batch; None for this one alone.
        compiled: run the model through torch.compile, which pays on a GPU. It takes a minute before
            the first update, off the clock.
        clock: seconds, for the time budget; one that can be stopped pauses a run fairly.

    Raises:
        TrainingError: a compiled model that several processes share.

    Attributes:
        step: updates made.
        elapsed: seconds of training, including earlier sessions.
    """

    def __init__(
        self,
        model: nn.Module,
        config: TrainingConfig,
        data: Batches,
        *,
        evaluate: Callable[[], Any] | None = None,
        objective: Objective | None = None,
        workers: Workers | None = None,
        compiled: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if compiled and workers is not None:
            raise TrainingError(
                "A compiled model trains in one process; leave out --compile or torchrun."
            )
        self.model = model
        self.config: TrainingConfig = config
        self.data = data
        self.evaluate = evaluate
        self.workers = workers
        self.step: int = 0
        self.elapsed: float = 0.0
        self._objective = objective
        self._clock = clock
        self._terms: tuple[float, ...] = ()  # of the last update's loss
        # A micro-batch drawn while the device computed: its index, its inputs and targets.
        self._ahead: tuple[int, tuple[Tensor, Tensor]] | None = None

        # This process's rows of every batch, and the model as it is called: wrapped or compiled.
        self._mine = data
        self._network = model
        if workers is not None:
            self._mine = Rows(data, rank=workers.rank, n_workers=workers.size)
            self._network = workers.wrap(model)
        self._compiled = compiled
        self.optimizers: list[torch.optim.Optimizer] = make_optimizers(model, config)

        # On a GPU a plain GPT's updates are CUDA graphs. An objective is not captured: it may read
        # tensor values on the CPU, which a CUDA graph would freeze.
        self._captured: CapturedUpdates | None = None
        device = next(model.parameters()).device
        plain = isinstance(model, GPT) and objective is None and config.accumulation_steps == 1
        if device.type == "cuda" and plain and workers is None and not compiled:
            self._captured = CapturedUpdates(self._gradients, self._step_optimizers, device)

        # Dropout's random state, uint8 [N], is this run's own: others may draw between two updates.
        seed = config.seed if workers is None else config.seed + workers.rank
        self._dropout = torch.Generator(device).manual_seed(seed).get_state()

    @property
    def tokens_per_update(self) -> int:
        """Of all processes together."""
        return self.config.accumulation_steps * self.data.batch_size * self.data.window

    def events(self) -> Iterator[TrainingEvent]:
        """Trains until the steps or the time are used up; stop early by not asking for the next
        event.

        Raises:
            TrainingError: the loss or the gradient is no longer a finite number.
        """
        if self._compiled:
            self._compile()
        resumed_at = self.elapsed
        began = self._clock()
        while True:
            out_of_time = (
                self.config.time_budget is not None and self.elapsed >= self.config.time_budget
            )
            reason = (
                "steps" if self.step >= self.config.max_steps else "time" if out_of_time else None
            )
            if self.evaluate is not None and (reason or self.step % self.config.eval_every == 0):
                yield EvalEvent(self.step, self.evaluate())
            if reason:
                yield EndEvent(self.step, reason)
                return
            with adapted(), self._own_dropout():
                loss, rate, norm = self._update()
            self.step += 1
            self.elapsed = resumed_at + self._clock() - began
            if self.workers is not None:
                loss, self.elapsed = self.workers.mean([loss, self.elapsed])
            n_tokens = self.step * self.tokens_per_update
            yield StepEvent(self.step, loss, rate, norm, n_tokens, self.elapsed, self._terms)

    def retune(self, learning_rate: float) -> None:
        """Changes the peak learning rate from the next update on, and Muon's in proportion.

        Raises:
            TrainingError: not a positive number.
        """
        ratio = self.config.muon_learning_rate / self.config.learning_rate
        self.config = replace(
            self.config, learning_rate=learning_rate, muon_learning_rate=learning_rate * ratio
        )

    def save(self, file: Path) -> None:
        """Atomically writes a checkpoint for bit-exact resumption into one file.

        In a distributed run all processes must call this; process 0 writes.
        """
        dropout = [self._dropout] if self.workers is None else self.workers.gather(self._dropout)
        if self.workers is not None and self.workers.rank != 0:
            return
        tensors = {
            f"model.{name}": parameter.detach() for name, parameter in self.model.named_parameters()
        }
        for number, optimizer in enumerate(self.optimizers):
            for index, entry in optimizer.state_dict()["state"].items():
                tensors |= {
                    f"optimizer.{number}.{index}.{name}": value for name, value in entry.items()
                }
        tensors |= {f"dropout.{rank}": state for rank, state in enumerate(dropout)}
        progress = {"step": self.step, "elapsed": self.elapsed, "config": asdict(self.config)}
        file.parent.mkdir(parents=True, exist_ok=True)
        write_tensors(tensors, file, {"progress": json.dumps(progress)})

    def resume(self, file: Path) -> None:
        """Resumes where `save` left off; bit-exact with the same number of processes.

        Raises:
            CheckpointError: the file is of another model or optimiser.
        """
        tensors = read_tensors(file)
        about = read_metadata(file)
        try:
            progress = json.loads(about["progress"])
            with torch.no_grad():
                for name, parameter in self.model.named_parameters():
                    parameter.copy_(tensors[f"model.{name}"])
            states: list[dict[int, dict[str, Tensor]]] = [{} for _ in self.optimizers]
            for key, value in tensors.items():
                if key.startswith("optimizer."):
                    _, number, index, name = key.split(".", 3)
                    states[int(number)].setdefault(int(index), {})[name] = value
            for optimizer, state in zip(self.optimizers, states, strict=True):
                optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
            self.step = int(progress["step"])
            self.elapsed = float(progress["elapsed"])
            n_states = sum(key.startswith("dropout.") for key in tensors)
            self._set_dropout_state([tensors[f"dropout.{rank}"] for rank in range(n_states)])
        except (ValueError, KeyError, IndexError, RuntimeError) as error:
            raise CheckpointError(f"{file} holds no checkpoint of this run ({error}).") from None

    @contextmanager
    def _own_dropout(self) -> Iterator[None]:
        """Gives torch's default generator, which dropout uses, this run's state; restores the
        previous state on exit.
        """
        device = next(self.model.parameters()).device
        if device.type == "cuda":
            get = partial(torch.cuda.get_rng_state, device)
            put = partial(torch.cuda.set_rng_state, device=device)
        else:
            get = torch.get_rng_state
            put = torch.set_rng_state
        before = get()
        put(self._dropout)
        try:
            yield
        finally:
            self._dropout = get()
            put(before)

    def _set_dropout_state(self, states: list[Tensor]) -> None:
        """Restores this process's generator; with another number of processes, reseeds it from seed
        and step.
        """
        rank, size = (0, 1) if self.workers is None else (self.workers.rank, self.workers.size)
        seed = generator_for(self.config.seed, "dropout", self.step, rank).initial_seed()
        fresh = torch.Generator(next(self.model.parameters()).device).manual_seed(seed).get_state()
        self._dropout = states[rank] if len(states) == size else fresh

    def _compile(self) -> None:
        """Compiles the model by one pass forward and back, whose gradients are thrown away."""
        self._network = cast(nn.Module, torch.compile(self.model))
        self._network.train()
        before = self._dropout
        with self._own_dropout(), self._autocast():
            loss, _ = self._loss(*self._drawn(0))
        loss.backward()
        self.model.zero_grad()
        self._dropout = before

    def _drawn(self, part: int) -> tuple[Tensor, Tensor]:
        """The next update's micro-batch: inputs and targets, on the model's device."""
        micro_batch = self.step * self.config.accumulation_steps + part
        device = next(self.model.parameters()).device
        if self._ahead is not None and self._ahead[0] == micro_batch:
            inputs, targets = self._ahead[1]
        else:
            inputs, targets = self._mine.draw(micro_batch, self.config.seed)
        return inputs.to(device), targets.to(device)

    def _update(self) -> tuple[float, float, float]:
        """Runs one optimiser step; returns the loss in nats per token, the learning rate, and the
        gradient's norm before clipping.
        """
        self._network.train()
        with nullcontext() if self._captured is None else self._captured.lane():
            # 1) Forward and backward: a CUDA graph where one has been captured, else `_gradients`.
            batches = [self._drawn(part) for part in range(self.config.accumulation_steps)]
            gradients = None if self._captured is None else self._captured.gradients(*batches[0])
            replayed = gradients is not None
            gradients = gradients or self._gradients(*batches[0], *batches[1:])

            # 2) Draw the next batch while the device computes.
            if replayed:
                following = self.step + 1
                self._ahead = following, self._mine.draw(following, self.config.seed)

            # 3) Check loss and gradient before the weights change. `tolist` waits for the device.
            results = [gradients.loss, gradients.norm, *gradients.terms]
            loss, norm, *terms = torch.stack(results).tolist()
            if not (math.isfinite(loss) and math.isfinite(norm)):
                what, value = (
                    ("loss", loss) if not math.isfinite(loss) else ("gradient's norm", norm)
                )
                raise TrainingError(
                    f"The {what} became {value} at step {self.step + 1}. Lower the learning rate."
                )
            self._terms = tuple(terms)

            # 4) Set the learning rates and step the optimisers.
            rate = learning_rate(self.config, self.step, self.elapsed)
            muon_rate = rate * self.config.muon_learning_rate / self.config.learning_rate
            for optimizer in self.optimizers:
                set_rate(optimizer, muon_rate if isinstance(optimizer, Muon) else rate)
            if replayed and self._captured is not None:
                self._captured.optimize()
            else:
                self._step_optimizers()
                for optimizer in self.optimizers:
                    optimizer.zero_grad()
        return loss, rate, norm

    def _gradients(
        self, inputs: Tensor, targets: Tensor, *more: tuple[Tensor, Tensor]
    ) -> Gradients:
        """Computes the gradients of an update from its micro-batches, and clips them.

        One micro-batch in one process can be captured as a CUDA graph: no value is read on the CPU.
        """
        batches = [(inputs, targets), *more]
        shares = self._shares(batches)
        weighted = list[Tensor]()  # loss and terms of each micro-batch, times its share
        for part, (batch, share) in enumerate(zip(batches, shares, strict=True)):
            with ExitStack() as stack:
                # Processes average their gradients once, after the last micro-batch.
                if self.workers is not None and part < len(batches) - 1:
                    stack.enter_context(self._network.no_sync())  # type: ignore[operator]
                with self._autocast():
                    loss, terms = self._loss(*batch)
                (loss * share).backward()
            weighted.append(torch.stack([loss.detach().float(), *terms]) * share)
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.max_grad_norm)
        total, *terms = torch.stack(weighted).sum(dim=0)
        return Gradients(total, norm.float(), tuple(terms))

    def _shares(self, batches: Sequence[tuple[Tensor, Tensor]]) -> list[Tensor | float]:
        """Computes the weight of each micro-batch's loss, so that the weighted losses sum to the
        mean over the whole update.

        Rows differ in how many tokens have a target, so a mean of means would weigh some tokens
        more than others. Processes average their gradients, so with several of them each count is
        divided by the mean of their totals, not by the sum.
        """
        if len(batches) == 1 and self.workers is None:
            return [1.0]
        counts = [self._count(*batch) for batch in batches]
        total = torch.stack(counts).sum()
        if self.workers is not None:
            total = self.workers.mean([float(total)])[0]
        return [count / max(1.0, float(total)) for count in counts]

    def _count(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Returns the denominator of a batch's mean loss, float []: the `loss_count` of the
        objective or model if it has one, else the number of tokens with a target.
        """
        maker = self.model if self._objective is None else self._objective
        own = getattr(maker, "loss_count", None)
        count = (targets != IGNORED_TARGET).sum() if own is None else own(inputs, targets)
        return torch.as_tensor(count, dtype=torch.float32)

    def _step_optimizers(self) -> None:
        """Updates the parameters from their gradients."""
        for optimizer in self.optimizers:
            optimizer.step()

    def _loss(self, inputs: Tensor, targets: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The training loss of one micro-batch and its terms."""
        by = self._objective
        output = (
            self._network(inputs, targets) if by is None else by(self._network, inputs, targets)
        )
        if isinstance(output, Tensor):
            return output, ()
        return output.loss, tuple(term.detach().float() for term in getattr(output, "terms", ()))

    def _autocast(self):  # noqa: ANN202 - a context manager
        kind = next(self.model.parameters()).device.type
        enabled = self.config.precision == "bf16"
        return torch.autocast(kind, torch.bfloat16, enabled=enabled)
