"""AdamW as GPTs use it, and the learning rate over a run."""

from __future__ import annotations

import math

from torch import nn
from torch.optim import AdamW, Optimizer

from gptcore.training.config import TrainingConfig


def make_optimizer(model: nn.Module, config: TrainingConfig, *, shard: bool = False) -> Optimizer:
    """AdamW that decays matrices and leaves biases and LayerNorm parameters alone.

    Args:
        model: with gradients.
        config: rates and decay.
        shard: divide its states among the processes of the group (ZeRO, stage 1: Rajbhandari et al. 2020).
    """
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": config.weight_decay}, {"params": others, "weight_decay": 0.0}]
    options = {"lr": config.learning_rate, "betas": (config.beta1, config.beta2), "fused": True}
    if not shard:
        return AdamW(groups, **options)
    from torch.distributed.optim import ZeroRedundancyOptimizer  # slow to import

    return ZeroRedundancyOptimizer(groups, AdamW, **options)


def learning_rate(config: TrainingConfig, step: int, elapsed: float = 0.0) -> float:
    """The rate of update number `step`, counted from 0.

    Linear from 0 over warmup_steps, then the schedule down to 0 at max_steps, or at the end of the
    time budget when there is one.

    Args:
        config: of the run.
        step: updates already made.
        elapsed: seconds already used; counts only with a time budget.
    """
    warmup = min(1.0, (step + 1) / (config.warmup_steps + 1))
    used = max(0, step - config.warmup_steps) / max(1, config.max_steps - config.warmup_steps)
    if config.time_budget is not None:
        used = max(used, elapsed / config.time_budget)
    used = min(1.0, used)
    shape = {"cosine": 0.5 * (1 + math.cos(math.pi * used)), "linear": 1 - used, "constant": 1.0}[config.schedule]
    return config.learning_rate * warmup * shape
