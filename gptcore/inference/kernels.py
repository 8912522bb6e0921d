"""Matrix-vector kernels for decoding, and a trial that picks the fastest on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from gptcore.model import GPT

WeightFormat = Literal["auto", "exact", "fast", "int8"]
Product = Callable[[Tensor], Tensor]  # float32 [B, in] -> float32 [B, out]

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


def _half(linear: torch.nn.Linear) -> Product:
    """fp16 weights, half the bytes to read; sums and everything outside the product stay fp32."""
    weight = linear.weight.detach().half().contiguous()
    bias = _bias(linear)
    bias = None if bias is None else bias.half()
    return lambda x: F.linear(x.half(), weight, bias).float()


def _half_fbgemm(linear: torch.nn.Linear) -> Product:
    """FBGEMM's fp16 weights with fp32 activations and sums: the error is the rounding of the weights alone."""
    packed = torch.ops.quantized.linear_prepack_fp16(linear.weight.detach().contiguous(), _bias(linear))
    multiply = torch.ops.quantized.linear_dynamic_fp16
    return lambda x: multiply(x, packed)


def _int8_fbgemm(linear: torch.nn.Linear) -> Product:
    """FBGEMM's int8 weights, one scale a row, and 8-bit activations: a quarter of the bytes, errors of about 1 %."""
    weight = linear.weight.detach()
    scales = weight.abs().amax(dim=1).clamp(min=1e-8) / 127
    zeros = torch.zeros(len(scales), dtype=torch.long)
    quantized = torch.quantize_per_channel(weight.contiguous(), scales, zeros, 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(quantized, _bias(linear))
    multiply = torch.ops.quantized.linear_dynamic
    return lambda x: multiply(x, packed)


def _bias(linear: torch.nn.Linear) -> Tensor | None:
    return None if linear.bias is None else linear.bias.detach()


KERNELS: dict[str, Callable[[torch.nn.Linear], Product]] = {
    "fp32": _plain,
    "fp32-onednn": _onednn,
    "fp16": _half,
    "fp16-fbgemm": _half_fbgemm,
    "int8-fbgemm": _int8_fbgemm,
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
    on_cpu = linears[0].weight.device.type == "cpu"
    exact = ["fp32", "fp32-onednn"] if on_cpu else ["fp32"]
    if precision == "int8" and on_cpu:
        return ["int8-fbgemm", "fp16-fbgemm", "fp32"]
    weights = [linear.weight.detach() for linear in linears]
    fits = all(float(weight.abs().max()) < _LARGEST_HALF for weight in weights)
    if precision == "fast" and fits:
        return [*exact, "fp16", *(["fp16-fbgemm"] if on_cpu else [])]
    # Weights from a 16-bit file are exact in 16 bits, and FBGEMM accumulates in fp32.
    return [*exact, "fp16-fbgemm"] if on_cpu and fits and lossless_in_half(weights) else exact


def lossless_in_half(weights: Sequence[Tensor]) -> bool:
    """Whether all weights are exact in 16 bits, as those from a 16-bit file are."""
    return all(torch.equal(weight, weight.half().float()) for weight in weights)


def _seconds(products: Sequence[Product], inputs: Sequence[Tensor]) -> float:
    begin = time.perf_counter()
    for product, x in zip(products, inputs, strict=True):
        product(x)
    if inputs[0].device.type == "cuda":
        torch.cuda.synchronize(inputs[0].device)
    return time.perf_counter() - begin
