"""The decode engine: one new token for the price of reading the weights once.

`CachedDecoder` keeps keys and values and computes single rows with plain functions over packed weights,
its products with whichever kernel was fastest when tried on the model's own matrices. `UncachedDecoder`
reads the whole context again for every token. Both follow the same window rule, so in fp32 they agree.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from weakref import WeakKeyDictionary

import torch
import torch.nn.functional as F
from torch import Tensor

from gptcore.config import GPTConfig
from gptcore.kv_cache import KVCache
from gptcore.model import GPT, activation, evaluating
from gptcore.threads import ThreadGovernor

Precision = Literal["auto", "exact", "fast", "int8"]
Product = Callable[[Tensor], Tensor]  # float32 [B, in] -> float32 [B, out]

# Below this many weights reading them is no longer what costs, and 16 bits would buy nothing.
FAST_FROM_PARAMETERS = 30_000_000
# Enough weights to leave the processor's cache between two rounds of a trial.
_TRIAL_WEIGHTS = 80_000_000
_LARGEST_HALF = 6e4


class Decoder(Protocol):
    """Something that reads tokens and predicts the next one.

    Attributes:
        length: tokens in its context.
    """

    @property
    def length(self) -> int:
        """Tokens read so far."""
        ...

    def prefill(self, token_ids: Tensor) -> Tensor:
        """Reads a fresh context, int64 [B, T]; returns the last position's logits, float32 [B, V]."""
        ...

    def step(self, token_ids: Tensor) -> Tensor:
        """Reads one more token a row, int64 [B]; returns the logits after it, float32 [B, V]."""
        ...


class UncachedDecoder:
    """Computes every position anew for each token: what generation costs without a KV cache."""

    def __init__(self, model: GPT) -> None:
        self.model = model
        self._context = torch.empty(1, 0, dtype=torch.long)

    @property
    def length(self) -> int:
        return self._context.shape[1]

    @torch.inference_mode()
    def prefill(self, token_ids: Tensor) -> Tensor:
        self._context = token_ids
        with evaluating(self.model):
            return self.model.lm_head(self.model.hidden_states(token_ids)[:, -1])  # [B, V]

    def step(self, token_ids: Tensor) -> Tensor:
        return self.prefill(torch.cat([self._context, token_ids[:, None]], dim=1))


class CachedDecoder:
    """Keeps keys and values; a step costs one row of work in each layer.

    Args:
        model: may be shared between visitors, is not changed.
        batch_size: B, rows decoded together.
        precision: "exact" multiplies the weights as they are, in fp32; "fast" may round copies of them to 16 bits
            for the products of single steps; "int8" to 8 bits, activations too; everything else stays fp32.
            "auto" is "fast" from 30M parameters, where reading the weights is what costs.
    """

    def __init__(self, model: GPT, *, batch_size: int = 1, precision: Precision = "auto") -> None:
        self.model = model
        self.cache = KVCache(model.config, batch_size=batch_size, device=model.wte.weight.device)
        self.weights = packed_weights(model, batch_size, precision)
        self._threads = ThreadGovernor(self.weights.threads_found)

    @property
    def length(self) -> int:
        return self.cache.length

    @torch.inference_mode()
    def prefill(self, token_ids: Tensor) -> Tensor:
        self.cache.clear()
        with evaluating(self.model):
            return self.model.lm_head(self.model.hidden_states(token_ids, cache=self.cache)[:, -1])  # [B, V]

    @torch.inference_mode()
    def step(self, token_ids: Tensor) -> Tensor:
        with self._threads:
            return decode_one(self.weights, token_ids, self.cache)


@dataclass(frozen=True)
class PackedLayer:
    """One block's tensors as plain functions and (weight, bias, epsilon) triples."""

    norm_1: tuple[Tensor, Tensor, float]
    norm_2: tuple[Tensor, Tensor, float] | None
    c_attn: Product
    attn_proj: Product
    c_fc: Product | None
    mlp_proj: Product | None


@dataclass(frozen=True)
class PackedWeights:
    """A model flattened for decoding: no module tree on the way.

    `kernel` names what its products run on; `threads_found` remembers which thread count was best.
    """

    config: GPTConfig
    wte: Tensor
    wpe: Tensor | None
    layers: list[PackedLayer]
    final_norm: tuple[Tensor, Tensor, float] | None
    lm_head: Product
    kernel: str
    threads_found: dict[str, float]


def decode_one(packed: PackedWeights, token_ids: Tensor, cache: KVCache) -> Tensor:
    """Logits after one more token a row, float32 [B, V]; token_ids is int64 [B]. The cache grows by one."""
    config, B, place = packed.config, len(token_ids), cache.length
    heads = (B, 3, config.n_head, 1, config.head_dim)
    x = packed.wte[token_ids]  # [B, C]
    if packed.wpe is not None:
        x = x + packed.wpe[place]
    pre_norm = config.norm_position == "pre"
    name = config.activation_function
    for layer, keys_values in zip(packed.layers, cache.data, strict=True):
        read = _norm(x, layer.norm_1) if pre_norm else x
        qkv = layer.c_attn(read).view(heads)
        keys_values[:, :, :, place : place + 1] = qkv[:, 1:].transpose(0, 1)  # [2, B, H, 1, D]
        keys, values = keys_values[:, :, :, : place + 1]
        mixed = F.scaled_dot_product_attention(qkv[:, 0], keys, values)  # [B, H, 1, D]
        x = x + layer.attn_proj(mixed.reshape(B, -1))
        if not pre_norm:
            x = _norm(x, layer.norm_1)
        if layer.c_fc is None or layer.mlp_proj is None or layer.norm_2 is None:
            continue
        read = _norm(x, layer.norm_2) if pre_norm else x
        x = x + layer.mlp_proj(activation(name, layer.c_fc(read)))
        if not pre_norm:
            x = _norm(x, layer.norm_2)
    cache.advance(1)
    return packed.lm_head(x if packed.final_norm is None else _norm(x, packed.final_norm))


def _norm(x: Tensor, norm: tuple[Tensor, Tensor, float]) -> Tensor:
    weight, bias, epsilon = norm
    return F.layer_norm(x, weight.shape, weight, bias, epsilon)


# One packing for each model, batch size and precision, as long as the model lives and its weights stay the same.
_PACKED: WeakKeyDictionary[GPT, dict[tuple[int, str], tuple[tuple[int, int], PackedWeights]]] = WeakKeyDictionary()


def packed_weights(model: GPT, batch_size: int, precision: Precision) -> PackedWeights:
    """The model's packing, made at first use and again when its weights have been changed in place."""
    if precision == "auto":
        precision = "fast" if sum(p.numel() for p in model.parameters()) >= FAST_FROM_PARAMETERS else "exact"
    version = (sum(0 if p.is_inference() else p._version for p in model.parameters()), model.wte.weight.data_ptr())
    packings = _PACKED.setdefault(model, {})
    found = packings.get((batch_size, precision))
    if found is None or found[0] != version:
        packings[batch_size, precision] = found = (version, _pack(model, batch_size, precision))
    return found[1]


@torch.inference_mode()
def _pack(model: GPT, batch_size: int, precision: Precision) -> PackedWeights:
    kernel = fastest_kernel(model, batch_size, precision)
    make = _KERNELS[kernel]
    layers = [
        PackedLayer(
            norm_1=_norm_of(block.ln_1),
            norm_2=_norm_of(block.ln_2) if block.use_mlp else None,
            c_attn=make(block.attn.c_attn),
            attn_proj=make(block.attn.c_proj),
            c_fc=make(block.mlp.c_fc) if block.use_mlp else None,
            mlp_proj=make(block.mlp.c_proj) if block.use_mlp else None,
        )
        for block in model.blocks
    ]
    return PackedWeights(
        config=model.config,
        wte=model.wte.weight.detach(),
        wpe=model.wpe.weight.detach() if model.config.use_positions else None,
        layers=layers,
        final_norm=_norm_of(model.ln_f) if isinstance(model.ln_f, torch.nn.LayerNorm) else None,
        lm_head=make(model.lm_head),
        kernel=kernel,
        threads_found={},
    )


def _norm_of(norm: torch.nn.LayerNorm) -> tuple[Tensor, Tensor, float]:
    return norm.weight.detach(), norm.bias.detach(), norm.eps


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


_KERNELS: dict[str, Callable[[torch.nn.Linear], Product]] = {
    "fp32": _plain,
    "fp32-onednn": _onednn,
    "fp16": _half,
    "fp16-fbgemm": _half_fbgemm,
    "int8-fbgemm": _int8_fbgemm,
}


@torch.inference_mode()
def fastest_kernel(model: GPT, batch_size: int, precision: Precision) -> str:
    """Tries the allowed kernels on the model's own matrices, in the order of a step, and names the fastest.

    In that order, because what counts is how fast weights come from memory: a matrix that is multiplied again at
    once is still in the processor's cache, and would make the largest format look good.
    """
    linears: list[torch.nn.Linear] = []
    for block in model.blocks:
        mlp = [block.mlp.c_fc, block.mlp.c_proj] if block.use_mlp else []
        linears += [block.attn.c_attn, block.attn.c_proj, *mlp]
        if sum(linear.weight.numel() for linear in linears) > _TRIAL_WEIGHTS:
            break
    linears.append(model.lm_head)
    inputs = [torch.randn(batch_size, linear.in_features, device=linear.weight.device) for linear in linears]
    times: dict[str, float] = {}
    for name in _allowed(linears, precision):
        try:
            products = [_KERNELS[name](linear) for linear in linears]
            times[name] = min(_seconds(products, inputs) for _ in range(5))
        except (RuntimeError, AttributeError):  # this build or processor has no such kernel
            continue
    return min(times, key=times.__getitem__)


def _allowed(linears: Sequence[torch.nn.Linear], precision: Precision) -> list[str]:
    """Kernels that keep the promise of a precision for these weights."""
    on_cpu = linears[0].weight.device.type == "cpu"
    exact = ["fp32", "fp32-onednn"] if on_cpu else ["fp32"]
    if precision == "int8" and on_cpu:
        return ["int8-fbgemm", "fp16-fbgemm", "fp32"]
    fits = all(float(linear.weight.detach().abs().max()) < _LARGEST_HALF for linear in linears)
    if precision == "fast" and fits:
        return [*exact, "fp16", *(["fp16-fbgemm"] if on_cpu else [])]
    # Weights that came from a 16-bit file are the same numbers in 16 bits, and FBGEMM sums in fp32.
    lossless = on_cpu and fits and all(torch.equal(w, w.half().float()) for w in (linear.weight for linear in linears))
    return [*exact, "fp16-fbgemm"] if lossless else exact


def _seconds(products: Sequence[Product], inputs: Sequence[Tensor]) -> float:
    begin = time.perf_counter()
    for product, x in zip(products, inputs, strict=True):
        product(x)
    if inputs[0].device.type == "cuda":
        torch.cuda.synchronize(inputs[0].device)
    return time.perf_counter() - begin
