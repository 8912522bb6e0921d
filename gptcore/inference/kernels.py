"""Matrix-vector kernels for decoding, and a trial that picks the fastest on this machine."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from gptcore.model import GPT

WeightFormat = Literal["auto", "exact", "fast"]
Product = Callable[[Tensor], Tensor]  # float32 [B, in] -> float32 [B, out], or both float16

# Enough weights to overflow the CPU cache between two rounds of a trial.
_TRIAL_WEIGHTS = 80_000_000
# The kernels alternate, for at least this many rounds and about this long each, so that a slowdown hits them all.
_TRIAL_ROUNDS, _TRIAL_SECONDS = 5, 0.005
_CLEARLY_FASTER = 0.9
_LARGEST_HALF = 6e4


def _plain(linear: torch.nn.Linear) -> Product:
    weight, bias = linear.weight.detach(), _bias(linear)
    return lambda x: F.linear(x, weight, bias)


def _onednn(linear: torch.nn.Linear) -> Product:
    """oneDNN's fp32 product; on some processors its single-row form is twice as fast as the default one."""
    multiply = torch.ops.mkldnn._linear_pointwise  # private: tried before use, see `_fastest`
    weight, bias = linear.weight.detach().contiguous(), _bias(linear)
    return lambda x: multiply(x, weight, bias, "none", [], "")


def _half(linear: torch.nn.Linear, output: torch.dtype = torch.float32) -> Product:
    """fp16 weights, half the bytes to read; sums stay fp32, and so does the output where nothing else is said."""
    weight, bias = linear.weight.detach().half().contiguous(), _bias(linear)
    bias = None if bias is None else bias.half()
    return lambda x: F.linear(x.half(), weight, bias).to(output)


def _bias(linear: torch.nn.Linear) -> Tensor | None:
    return None if linear.bias is None else linear.bias.detach()


HALF = "fp16-throughout"
KERNELS: dict[str, Callable[[torch.nn.Linear], Product]] = {
    "fp32": _plain,
    "fp32-onednn": _onednn,
    "fp16": _half,
    HALF: partial(_half, output=torch.float16),  # for steps that hand 16 bits from product to product
}


@torch.inference_mode()
def fastest_kernel(model: GPT, batch_size: int, precision: WeightFormat) -> str:
    """Times the allowed kernels on the model's own matrices, in the order of a step, and names the fastest.

    The order matters because memory bandwidth is the bottleneck: a matrix that is multiplied again at once is still
    in the CPU cache, which would make the largest format look good. The first allowed kernel is replaced only by one
    that is clearly faster.
    """
    linears: list[torch.nn.Linear] = []
    for block in model.blocks:
        mlp = [block.mlp.c_fc, block.mlp.c_proj] if block.use_mlp else []
        linears += [block.attn.c_attn, block.attn.c_proj, *mlp]
        if sum(linear.weight.numel() for linear in linears) > _TRIAL_WEIGHTS:
            break
    linears.append(model.lm_head)
    drawn = torch.Generator().manual_seed(0)  # the process-wide one is not touched
    inputs = [
        torch.randn(batch_size, linear.in_features, generator=drawn).to(linear.weight.device) for linear in linears
    ]
    tried: dict[str, list[Product]] = {}
    for name in _allowed(linears, precision):
        try:
            products = [KERNELS[name](linear) for linear in linears]
            _seconds(products, inputs)  # warm-up; raises if the kernel is unsupported
            tried[name] = products
        except (RuntimeError, AttributeError):  # this build or processor has no such kernel
            continue
    rounds: list[dict[str, float]] = []
    while len(rounds) < _TRIAL_ROUNDS or sum(sum(times.values()) for times in rounds) < _TRIAL_SECONDS * len(tried):
        rounds.append({name: _seconds(products, inputs) for name, products in tried.items()})
    best = {name: min(times[name] for times in rounds) for name in tried}
    first, fastest = next(iter(best)), min(best, key=best.__getitem__)
    return fastest if best[fastest] < _CLEARLY_FASTER * best[first] else first


def _allowed(linears: Sequence[torch.nn.Linear], precision: WeightFormat) -> list[str]:
    """The kernels that a precision allows for these weights."""
    fits = precision == "fast" and all(float(linear.weight.detach().abs().max()) < _LARGEST_HALF for linear in linears)
    if linears[0].weight.device.type == "cpu":
        return ["fp32", "fp32-onednn", *(["fp16"] if fits else [])]
    return [HALF if fits else "fp32"]  # a card reads half the bytes in less time, whatever the shape


def _seconds(products: Sequence[Product], inputs: Sequence[Tensor]) -> float:
    begin = time.perf_counter()
    for product, x in zip(products, inputs, strict=True):
        product(x)
    if inputs[0].device.type == "cuda":
        torch.cuda.synchronize(inputs[0].device)
    return time.perf_counter() - begin
