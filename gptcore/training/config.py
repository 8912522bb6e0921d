"""Training configuration: batch, optimiser, schedule, length."""

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal, TypeVar, get_args

import torch

from gptcore.errors import TrainingError
from gptcore.machine import multiplies_bf16

Schedule = Literal["cosine", "linear", "constant"]
Precision = Literal["fp32", "bf16"]
OptimizerName = Literal["adamw", "muon"]

_T = TypeVar("_T")


def setting(default: _T, about: str) -> _T:
    """A field of a configuration with its default, and what it is, for the help of commands."""
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Settings of one run; each field says what it is. Raises TrainingError for values that cannot
    work.
    """

    max_steps: int = setting(10_000, "optimiser updates; with time_budget an upper limit")
    time_budget: float | None = setting(
        None,
        "seconds to train; the learning-rate schedule then follows the elapsed share of this time",
    )
    batch_size: int = setting(16, "sequences in one forward pass")
    accumulation_steps: int = setting(1, "forward passes in one update")
    optimizer: OptimizerName = setting(
        "adamw",
        '"adamw" for everything, or "muon" for the matrices inside the blocks with AdamW for '
        "the rest",
    )
    learning_rate: float = setting(2e-3, 'peak, per update; with "muon", of what AdamW trains')
    muon_learning_rate: float = setting(0.02, "peak of what Muon trains")
    warmup_steps: int = setting(200, "updates of linear warm-up from 0")
    schedule: Schedule = setting(
        "cosine", 'what follows the warm-up: "cosine" or "linear" to 0, or "constant"'
    )
    weight_decay: float = setting(0.1, "of both optimisers, on matrices only")
    beta1: float = setting(0.9, "AdamW's moment decay rates")
    beta2: float = setting(0.95, "AdamW's moment decay rates")
    max_grad_norm: float = setting(1.0, "the gradient's 2-norm is clipped to this")
    precision: Precision = setting(
        "fp32", '"bf16" computes the forward pass under autocast; weights stay fp32'
    )
    seed: int = setting(1, "of initial weights, batches and dropout")
    eval_every: int = setting(500, "updates between evaluations")
    checkpoint_every: float = setting(180.0, "seconds between resumable checkpoints")

    def __post_init__(self) -> None:
        for name in ("max_steps", "batch_size", "accumulation_steps", "eval_every"):
            value = getattr(self, name)
            self._require(name, _is_whole(value, least=1), "be a whole number of at least 1")
        is_seed = _is_whole(self.seed, least=0) and self.seed < 2**63
        self._require("seed", is_seed, "be a whole number from 0 to 2**63 - 1")
        for name in ("learning_rate", "muon_learning_rate", "max_grad_norm", "checkpoint_every"):
            self._require(name, _is_number(getattr(self, name), above=0), "be a positive number")
        budget = self.time_budget
        self._require(
            "time_budget",
            budget is None or _is_number(budget, above=0),
            "be a positive number, or None",
        )
        for name in ("weight_decay", "warmup_steps"):
            self._require(name, _is_number(getattr(self, name), least=0), "be 0 or more")
        for name in ("beta1", "beta2"):
            self._require(name, _is_number(getattr(self, name), least=0, below=1), "lie in [0, 1)")
        for name, kind in (
            ("schedule", Schedule),
            ("precision", Precision),
            ("optimizer", OptimizerName),
        ):
            self._require(
                name,
                getattr(self, name) in get_args(kind),
                f"be one of {', '.join(get_args(kind))}",
            )

    def _require(self, name: str, holds: bool, what: str) -> None:
        if not holds:
            raise TrainingError(f"{name} is {getattr(self, name)!r}; it must {what}.")


def _is_whole(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_number(
    value: object, *, least: float = -math.inf, above: float = -math.inf, below: float = math.inf
) -> bool:
    """Whether it is a finite number in these limits."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    number: Any = value  # a Real is compared with others
    return least <= number < below and number > above


# The recipes of papers, as options of `python -m gptcore.training`. Radford et al. 2018, section
# 4.1: 12 layers x 768, 64 sequences of 512 tokens, 100 epochs, dropout 0.1 on residuals, embeddings
# and attention, 40,000 merges. The moments are those of the released code.
PAPERS: dict[str, dict[str, str | float]] = {
    "gpt1": {
        "preset": "gpt1",
        "vocab_size": 40478,
        "dropout": 0.1,
        "attention_dropout": 0.1,
        "epochs": 100.0,
        "batch_size": 64,
        "learning_rate": 2.5e-4,
        "warmup_steps": 2000,
        "weight_decay": 0.01,
        "beta1": 0.9,
        "beta2": 0.999,
    }
}


def faster_precision(device: torch.device | str = "cpu") -> Precision:
    """The precision to train in: bf16 where a device has instructions for products of bfloat16
    matrices.
    """
    return "bf16" if multiplies_bf16(device) and torch.device(device).type != "mps" else "fp32"
