"""The optimisers of a run (AdamW, optionally with Muon) and the learning-rate schedule."""

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn, optim, tensor

from gptcore.machine import multiplies_bf16
from gptcore.training.config import TrainingConfig

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5


def make_optimizers(model: nn.Module, config: TrainingConfig) -> list[optim.Optimizer]:
    """AdamW for everything, or Muon for the matrices inside the blocks and AdamW for the rest.

    Both decay matrices only, never biases or LayerNorm parameters. Embeddings and heads always use
    AdamW.

    Args:
        model: with gradients.
        config: optimiser, rates and decay.

    Returns:
        AdamW first, then Muon if there is one.
    """
    inside = {
        name: p
        for name, p in model.named_parameters()
        if config.optimizer == "muon" and _is_hidden(name, p)
    }
    outside = [p for name, p in model.named_parameters() if name not in inside]
    adamw = [
        {"params": [p for p in outside if p.dim() >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in outside if p.dim() < 2], "weight_decay": 0.0},
    ]
    betas = config.beta1, config.beta2
    device = next(model.parameters()).device
    recordable = device.type == "cuda"

    def rate(value: float) -> float | Tensor:
        """On a GPU a tensor, which a captured update reads anew."""
        return tensor(value, device=device) if recordable else value

    first = optim.AdamW(
        adamw, lr=rate(config.learning_rate), betas=betas, fused=True, capturable=recordable
    )
    if not inside:
        return [first]
    # queries, keys and values in one
    joined = [p for name, p in inside.items() if name.endswith("c_attn.weight")]
    single = [p for name, p in inside.items() if not name.endswith("c_attn.weight")]
    muon = [{"params": joined, "parts": 3}, {"params": single, "parts": 1}]
    return [first, Muon(muon, lr=rate(config.muon_learning_rate), weight_decay=config.weight_decay)]


def set_rate(optimizer: optim.Optimizer, rate: float) -> None:
    """Sets the learning rate of every group."""
    for group in optimizer.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate


def _is_hidden(name: str, parameter: nn.Parameter) -> bool:
    """Whether a parameter is a matrix inside a block."""
    return parameter.dim() == 2 and ".h." in f".{name}"


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
    shape = {"cosine": 0.5 * (1 + math.cos(math.pi * used)), "linear": 1 - used, "constant": 1.0}[
        config.schedule
    ]
    return config.learning_rate * warmup * shape


def orthogonalise(matrices: Tensor) -> Tensor:
    """Each matrix with its singular values brought near 1 (about 0.7 to 1.2) and its singular
    vectors kept.

    Args:
        matrices: float [N, rows, columns]. Computed in bf16 where the CPU multiplies that,
            else in fp32.

    Returns:
        float32 [N, rows, columns].
    """
    a, b, c = _COEFFICIENTS
    x = matrices.to(torch.bfloat16 if multiplies_bf16(matrices.device) else torch.float32)
    tall = x.shape[-2] > x.shape[-1]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)  # all singular values at most 1
    for _ in range(_ITERATIONS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return (x.mT if tall else x).float()


class Muon(optim.Optimizer):
    """Moves every matrix by the orthogonalised momentum of its gradient, so that all directions are
    learned alike.

    Source: Keller Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks";
    the coefficients of the Newton-Schulz iteration are theirs. Unlike torch.optim.Muon it computes
    in fp32 on CPUs without bf16, takes all matrices of one shape together, and treats
    queries, keys and values, which share one matrix, as three.

    Args:
        params: matrices [rows, columns], or groups of them. A group's "parts" is the number of
            matrices stacked in each of its parameters, such as 3 for queries, keys and values.
        lr: size of a step; the update of a square matrix has singular values of about this size.
        weight_decay: decoupled, as AdamW's: the share lr * weight_decay is taken off in every step.
        momentum: decay rate of the gradients' running mean, with Nesterov momentum.
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        *,
        lr: float | Tensor = 0.02,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
    ) -> None:
        super().__init__(
            params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "parts": 1}
        )

    @torch.no_grad()
    def step(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - takes no closure
        """One update of every parameter that has a gradient."""
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = {}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    by_shape.setdefault(parameter.shape, []).append(parameter)
            for parameters in by_shape.values():
                self._update(parameters, group)

    def _update(self, parameters: list[Tensor], group: dict[str, Any]) -> None:
        """One update of parameters that share a shape."""
        past = group["momentum"]
        for parameter in parameters:
            if "momentum" not in self.state[parameter]:
                self.state[parameter]["momentum"] = torch.zeros_like(parameter)
        gradients = torch.stack(
            [parameter.grad for parameter in parameters if parameter.grad is not None]
        )
        means = [self.state[parameter]["momentum"] for parameter in parameters]
        for mean, gradient in zip(means, gradients, strict=True):
            mean.lerp_(gradient, 1 - past)
        ahead = gradients.lerp(torch.stack(means), past)  # [N, rows, columns]
        rows = ahead.shape[1] // group["parts"]
        columns = ahead.shape[2]
        direction = orthogonalise(ahead.view(-1, rows, columns)).view_as(ahead)
        # A tall matrix has more rows than directions; the factor keeps the size of an output's
        # change the same.
        scale = max(1.0, rows / columns) ** 0.5
        for parameter, step in zip(parameters, direction, strict=True):
            parameter.mul_(1 - group["lr"] * group["weight_decay"]).sub_(
                step * (group["lr"] * scale)
            )
