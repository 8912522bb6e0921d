"""GELU and cross-entropy of a training pass, in C where that is faster than torch's.

torch's tanh GELU takes five times as long as its exact one on processors with AVX-512 (1 ns a number), and its
cross-entropy passes over the logits, the largest tensor of a small model, eight times in fp32. Both are one pass here.
"""

from __future__ import annotations

import ctypes
import time
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from gptcore.native.compiling import Call, library

_TYPES = {torch.float32: 0, torch.bfloat16: 1}
_TRIAL_SIZE, _TRIAL_ROUNDS, _CLEARLY_FASTER = 262_144, 7, 0.85


def computes(x: Tensor) -> bool:
    """Whether the functions below are the faster way for a tensor of this type, here."""
    return (
        x.dtype in _TYPES
        and x.device.type == "cpu"
        and not torch.compiler.is_compiling()
        and library() is not None
        and c_is_faster()
    )


@cache
def c_is_faster() -> bool:
    """Whether C clearly beats torch's tanh GELU: timed once per process, a few milliseconds."""
    x = torch.linspace(-3, 3, _TRIAL_SIZE, dtype=torch.float32, device="cpu")
    ways = (lambda: F.gelu(x, approximate="tanh"), lambda: gelu(x))
    best = [float("inf"), float("inf")]
    with torch.inference_mode():
        for _ in range(_TRIAL_ROUNDS):  # in turn, so that a busy moment hits both
            for which, way in enumerate(ways):
                began = time.perf_counter()
                way()
                best[which] = min(best[which], time.perf_counter() - began)
    return best[1] < _CLEARLY_FASTER * best[0]


def gelu(x: Tensor) -> Tensor:
    """The tanh approximation of GELU, float32 or bfloat16, with its gradient."""
    return _Gelu.apply(x)  # type: ignore[no-any-return]


def cross_entropy(logits: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
    """Mean cross-entropy in nats over the targets that are not negative, float32 scalar, with its gradient.

    Args:
        logits: float32 or bfloat16 [N, V].
        targets: int64 [N]; below 0: not counted. NaN if none counts, as torch has it.
        weights: float32 [N], of the targets in the mean; None for the same for all.
    """
    return _CrossEntropy.apply(logits, targets, weights)  # type: ignore[no-any-return]


class _Gelu(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        x, to = x.contiguous(), torch.empty_like(x, memory_format=torch.contiguous_format)
        _run("gelu", x, to, n=x.numel())
        return to

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grad_outputs: Tensor) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        x, slopes = ctx.saved_tensors[0].contiguous(), grad_outputs[0].contiguous()
        to = torch.empty_like(x)
        _run("gelu_slopes", x, to, n=x.numel(), slopes=slopes.data_ptr())
        return to


class _CrossEntropy(torch.autograd.Function):
    """Computes the slopes together with the loss: both need the same sums."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor, weights: Tensor | None) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        logits, targets = logits.contiguous(), targets.contiguous()
        if int(targets.max()) >= logits.shape[1]:
            raise IndexError(f"Target {int(targets.max())} is out of bounds.")  # as torch has it
        slopes, counted = torch.empty_like(logits), targets >= 0
        losses = torch.empty(len(logits), dtype=torch.float32, device="cpu")
        weights = None if weights is None else weights.float().contiguous()
        total = float(counted.sum() if weights is None else weights[counted].sum())
        _run(
            "cross_entropy", logits, slopes, n=len(logits), columns=logits.shape[1], targets=targets.data_ptr(),
            weights=None if weights is None else weights.data_ptr(), losses=losses.data_ptr(), scale=1 / (total or 1.0),
        )  # fmt: skip
        ctx.save_for_backward(slopes)
        return losses.sum() / total

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, None, None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        (slopes,), factor = ctx.saved_tensors, float(grad_outputs[0])
        return (slopes if factor == 1 else slopes * factor), None, None


def _run(function: str, x: Tensor, to: Tensor, **arguments: Any) -> None:
    """Calls a function of `elementwise.c` on torch's threads."""
    lib = library()
    assert lib is not None
    team = _torch_threads()
    call = Call(
        type=_TYPES[x.dtype], x=x.data_ptr(), to=to.data_ptr(), threads=torch.get_num_threads(), **arguments, **team
    )
    getattr(lib, f"gptcore_{function}")(ctypes.byref(call))


@cache
def _torch_threads() -> dict[str, int | None]:
    """How to run on the threads of the OpenMP that torch brings; empty where it brings no GNU one: then one thread."""
    for file in sorted((Path(torch.__file__).parent / "lib").glob("libgomp*")):
        try:
            openmp = ctypes.CDLL(str(file))
            functions = (openmp.GOMP_parallel, openmp.omp_get_thread_num, openmp.omp_get_num_threads)
        except (OSError, AttributeError):
            continue
        addresses = (ctypes.cast(one, ctypes.c_void_p).value for one in functions)
        return dict(zip(("parallel", "thread", "n_threads"), addresses, strict=True))
    return {}
