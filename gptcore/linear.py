"""Linear layers: where nothing is learned, fp32 products by whichever of torch's two CPU libraries
is faster here.

torch multiplies fp32 matrices with MKL, which keeps to 256-bit instructions on CPUs that are
not Intel's. oneDNN, which torch ships as well, has no such rule: on an AMD EPYC with AVX-512 it is
twice as fast. Training has other means there: bfloat16.
"""

import time
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_WORTH_IT = 4_000_000  # multiply-adds; below, oneDNN's larger cost of a call outweighs its speed
_TRIAL_SHAPE = (96, 256, 768)
_TRIAL_ROUNDS = 7
_CLEARLY_FASTER = 0.85


class Linear(nn.Linear):
    """nn.Linear with the faster fp32 product, and without a default initialisation: GPT.initialise
    sets the weights.
    """

    def reset_parameters(self) -> None:
        pass

    def forward(self, input: Tensor) -> Tensor:
        """float [..., in] -> float [..., out]."""
        multiply = onednn_product if _takes_onednn(input, self.weight) else F.linear
        return multiply(input, self.weight, self.bias)


def _takes_onednn(x: Tensor, weight: Tensor) -> bool:
    """Whether this product is large, fp32, on the CPU, without gradients, and oneDNN's is the
    faster one here.
    """
    return (
        x.numel() * weight.shape[0] >= _WORTH_IT
        and x.dtype == weight.dtype == torch.float32
        and x.device.type == "cpu"
        and not (torch.is_grad_enabled() and (x.requires_grad or weight.requires_grad))
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()
        and onednn_is_faster()
    )


@cache
def onednn_is_faster() -> bool:
    """Whether oneDNN's fp32 product clearly beats the default one: timed once per process, a few
    milliseconds.
    """
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
    # private: tried before use
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
