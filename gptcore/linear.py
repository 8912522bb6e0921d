"""Linear layers: fp32 products by whichever of torch's two CPU libraries is faster on this machine.

torch multiplies fp32 matrices with MKL, which keeps to 256-bit instructions on processors that are not Intel's. oneDNN,
which torch ships as well, has no such rule: on an AMD EPYC with AVX-512 it is twice as fast.
"""

import time
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_WORTH_IT = 4_000_000  # multiply-adds; below, oneDNN's larger cost of a call outweighs its speed
_TRIAL_SHAPE, _TRIAL_ROUNDS, _CLEARLY_FASTER = (96, 256, 768), 7, 0.85


class Linear(nn.Linear):
    """nn.Linear with the faster fp32 product, and without a default initialisation: GPT.initialise sets the weights."""

    def reset_parameters(self) -> None:
        pass

    def forward(self, input: Tensor) -> Tensor:
        """float [..., in] -> float [..., out]."""
        if not _takes_onednn(input, self.weight):
            return F.linear(input, self.weight, self.bias)
        if torch.is_grad_enabled() and (input.requires_grad or self.weight.requires_grad):
            return _OnednnLinear.apply(input, self.weight, self.bias)
        return onednn_product(input, self.weight, self.bias)


def _takes_onednn(x: Tensor, weight: Tensor) -> bool:
    """Whether this product is large enough, fp32, on the CPU, and oneDNN's is the faster one here."""
    return (
        x.numel() * weight.shape[0] >= _WORTH_IT
        and x.dtype == weight.dtype == torch.float32
        and x.device.type == "cpu"
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()
        and onednn_is_faster()
    )


@cache
def onednn_is_faster() -> bool:
    """Whether oneDNN's fp32 product clearly beats the default one: timed once per process, a few milliseconds."""
    rows, n_in, n_out = _TRIAL_SHAPE
    x, weight = (torch.ones(n, n_in, dtype=torch.float32, device="cpu") for n in (rows, n_out))
    best = {F.linear: float("inf"), onednn_product: float("inf")}
    try:
        with torch.inference_mode():
            for _ in range(_TRIAL_ROUNDS):  # in turn, so that a busy moment hits both
                for multiply in best:
                    began = time.perf_counter()
                    multiply(x, weight, None)
                    best[multiply] = min(best[multiply], time.perf_counter() - began)
    except (RuntimeError, AttributeError):  # this build of torch has no oneDNN
        return False
    return best[onednn_product] < _CLEARLY_FASTER * best[F.linear]


def onednn_product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x @ weight.T + bias by oneDNN; x: float32 [..., in], weight: [out, in]."""
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")  # private: tried before use


class _OnednnLinear(torch.autograd.Function):
    """The product with its gradients, all three by oneDNN."""

    @staticmethod
    def forward(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        return onednn_product(x, weight, bias)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor | None], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        (slope,), (x, weight) = grad_outputs, ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        rows, slopes = x.flatten(0, -2), slope.flatten(0, -2)  # [N, in], [N, out]
        return (
            onednn_product(slope, weight.t(), None) if of_x else None,
            _outer(slopes, rows) if of_weight else None,
            slopes.sum(0) if of_bias else None,
        )


def _outer(slopes: Tensor, rows: Tensor) -> Tensor:
    """slopes.T @ rows, float32 [out, in]; oneDNN is faster with the wider one as its weight."""
    if slopes.shape[1] < rows.shape[1]:
        return onednn_product(slopes.t(), rows.t(), None)
    return onednn_product(rows.t(), slopes.t(), None).t()
