"""The decode engine: one new token for the price of reading the weights once.

`CachedDecoder` keeps keys and values and computes single rows with plain functions over packed weights,
each product with whichever kernel was fastest when tried on the model's own matrices. `UncachedDecoder`
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
from gptcore.model import GPT, activation
from gptcore.threads import ThreadGovernor

Precision = Literal["auto", "exact", "fast"]
Product = Callable[[Tensor], Tensor]  # float32 [B, in] -> float32 [B, out]

# Below this many weights reading them is no longer what costs, and 16 bits would buy nothing.
FAST_FROM_PARAMETERS = 30_000_000


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
        return self.model.lm_head(self.model.hidden_states(token_ids)[:, -1])  # [B, V]

    def step(self, token_ids: Tensor) -> Tensor:
        return self.prefill(torch.cat([self._context, token_ids[:, None]], dim=1))


class CachedDecoder:
    """Keeps keys and values; a step costs one row of work in each layer.

    Args:
        model: in evaluation mode; may be shared, is not changed.
        batch_size: B, rows decoded together.
        precision: "exact" multiplies in fp32; "fast" may keep 16-bit copies of the weights for the products
            of single steps, with everything else in fp32; "auto" is "fast" from 30M parameters.
    """

    def __init__(self, model: GPT, *, batch_size: int = 1, precision: Precision = "auto") -> None:
        self.model = model
        self.cache = KVCache(model.config, batch_size=batch_size, device=model.wte.weight.device)
        self.weights = packed_weights(model, batch_size, precision)
        self._threads = ThreadGovernor(self.weights.n_threads)

    @property
    def length(self) -> int:
        return self.cache.length

    @torch.inference_mode()
    def prefill(self, token_ids: Tensor) -> Tensor:
        self.cache.clear()
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

    `kernels` names what each product runs on; `n_threads` remembers the thread count that was found best.
    """

    config: GPTConfig
    wte: Tensor
    wpe: Tensor | None
    layers: list[PackedLayer]
    final_norm: tuple[Tensor, Tensor, float] | None
    lm_head: Product
    kernels: dict[str, str]
    n_threads: list[int]


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
    version = (sum(p._version for p in model.parameters()), model.wte.weight.data_ptr())
    packings = _PACKED.setdefault(model, {})
    found = packings.get((batch_size, precision))
    if found is None or found[0] != version:
        packings[batch_size, precision] = found = (version, _pack(model, batch_size, precision == "fast"))
    return found[1]


@torch.inference_mode()
def _pack(model: GPT, batch_size: int, allow_half: bool) -> PackedWeights:
    groups = {
        "c_attn": [block.attn.c_attn for block in model.blocks],
        "attn_proj": [block.attn.c_proj for block in model.blocks],
        "lm_head": [model.lm_head],
    }
    if model.config.use_mlp:
        groups["c_fc"] = [block.mlp.c_fc for block in model.blocks]
        groups["mlp_proj"] = [block.mlp.c_proj for block in model.blocks]
    products: dict[str, list[Product]] = {}
    kernels: dict[str, str] = {}
    for name, linears in groups.items():
        kernels[name], products[name] = _fastest(linears, batch_size, allow_half)
    layers = [
        PackedLayer(
            norm_1=_norm_of(block.ln_1),
            norm_2=_norm_of(block.ln_2) if block.use_mlp else None,
            c_attn=products["c_attn"][i],
            attn_proj=products["attn_proj"][i],
            c_fc=products["c_fc"][i] if block.use_mlp else None,
            mlp_proj=products["mlp_proj"][i] if block.use_mlp else None,
        )
        for i, block in enumerate(model.blocks)
    ]
    return PackedWeights(
        config=model.config,
        wte=model.wte.weight.detach(),
        wpe=model.wpe.weight.detach() if model.config.use_positions else None,
        layers=layers,
        final_norm=_norm_of(model.ln_f) if isinstance(model.ln_f, torch.nn.LayerNorm) else None,
        lm_head=products["lm_head"][0],
        kernels=kernels,
        n_threads=[],
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


def _bias(linear: torch.nn.Linear) -> Tensor | None:
    return None if linear.bias is None else linear.bias.detach()


def _fastest(linears: Sequence[torch.nn.Linear], batch_size: int, allow_half: bool) -> tuple[str, list[Product]]:
    """Tries each kernel on the real matrices and packs all of them with the winner: (its name, the products).

    Up to four layers take part, so that a large model's weights do not stay in the processor's cache
    between rounds as they could not in use.
    """
    on_cpu = linears[0].weight.device.type == "cpu"
    kernels = {"fp32": _plain}
    if on_cpu:
        kernels["fp32-onednn"] = _onednn
    if allow_half and all(float(linear.weight.abs().max()) < 6e4 for linear in linears):
        kernels["fp16"] = _half
        if on_cpu:
            kernels["fp16-fbgemm"] = _half_fbgemm
    x = torch.randn(batch_size, linears[0].in_features, device=linears[0].weight.device)
    times: dict[str, float] = {}
    for name, kernel in kernels.items():
        try:
            trial = [kernel(linear) for linear in linears[:4]]
            times[name] = min(_seconds(trial, x) for _ in range(6))
        except (RuntimeError, AttributeError):  # this build or processor has no such kernel
            continue
    best = min(times, key=times.__getitem__)
    return best, [kernels[best](linear) for linear in linears]


def _seconds(products: list[Product], x: Tensor) -> float:
    begin = time.perf_counter()
    for product in products:
        product(x)
    if x.device.type == "cuda":
        torch.cuda.synchronize(x.device)
    return time.perf_counter() - begin
