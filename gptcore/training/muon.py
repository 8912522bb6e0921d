"""Muon: orthogonalised momentum, for the matrices inside the blocks.

Source: Keller Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"; the coefficients of the
Newton-Schulz iteration are theirs. Unlike torch.optim.Muon it computes in fp32 on processors without bf16, takes all
matrices of one shape together, and treats queries, keys and values, which share one matrix, as three.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, optim

from gptcore.machine import multiplies_bf16

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5


def orthogonalise(matrices: Tensor) -> Tensor:
    """Each matrix with its singular values brought near 1 (about 0.7 to 1.2) and its singular vectors kept.

    Args:
        matrices: float [N, rows, columns]. Computed in bf16 where the processor multiplies that, else in fp32.

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
    """Moves every matrix by the orthogonalised momentum of its gradient, so that all directions are learned alike.

    Args:
        params: matrices [rows, columns], or groups of them. A group's "parts" is the number of matrices stacked in
            each of its parameters, such as 3 for queries, keys and values.
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
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "parts": 1})

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
        gradients = torch.stack([parameter.grad for parameter in parameters if parameter.grad is not None])
        means = [self.state[parameter]["momentum"] for parameter in parameters]
        for mean, gradient in zip(means, gradients, strict=True):
            mean.lerp_(gradient, 1 - past)
        ahead = gradients.lerp(torch.stack(means), past)  # [N, rows, columns]
        rows, columns = ahead.shape[1] // group["parts"], ahead.shape[2]
        direction = orthogonalise(ahead.view(-1, rows, columns)).view_as(ahead)
        # A tall matrix has more rows than directions; the factor keeps the size of an output's change the same.
        scale = max(1.0, rows / columns) ** 0.5
        for parameter, step in zip(parameters, direction, strict=True):
            parameter.mul_(1 - group["lr"] * group["weight_decay"]).sub_(step * (group["lr"] * scale))
