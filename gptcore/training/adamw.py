"""AdamW: Adam with decoupled weight decay.

Source: Kingma and Ba 2015; Loshchilov and Hutter 2019. The arithmetic is torch's fused kernel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim.adamw import adamw

from gptcore.training.grouped import GroupedOptimizer


class AdamW(GroupedOptimizer):
    """Equivalent to torch.optim.AdamW(fused=True); each can resume from the other's state.

    Args:
        params: parameters, or groups of them.
        lr: size of a step.
        betas: decay rates of the running means of gradients and squared gradients.
        weight_decay: every step shrinks the weights by the share lr * weight_decay.
        eps: added to the root of the mean square.
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        *,
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        weight_decay: float = 0.01,
        eps: float = 1e-8,
    ) -> None:
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        of_torch = {"amsgrad": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False}
        super().__init__(params, {**settings, **of_torch, "fused": True, "decoupled_weight_decay": True})

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        for group in self.param_groups:
            moved = [(p, p.grad, self._state(p)) for p in group["params"] if p.grad is not None]
            if not moved:
                continue
            parameters, gradients, states = (list(column) for column in zip(*moved, strict=True))
            means, squares, steps = ([state[name] for state in states] for name in ("exp_avg", "exp_avg_sq", "step"))
            beta1, beta2 = group["betas"]
            adamw(
                parameters, gradients, means, squares, [], steps,
                fused=True, amsgrad=False, maximize=False, beta1=beta1, beta2=beta2,
                lr=group["lr"], weight_decay=group["weight_decay"], eps=group["eps"],
            )  # fmt: skip

    def _state(self, parameter: Tensor) -> dict[str, Tensor]:
        """A parameter's first and second moments and step count; zeros before the first step."""
        state = self.state[parameter]
        if not state:
            state["step"] = torch.zeros((), dtype=torch.float32, device=parameter.device)
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
        return state
