"""The decode engine: one new token for the price of reading the weights once.

`CachedDecoder` keeps keys and values and computes single rows with plain functions over packed weights,
its products with whichever kernel was fastest when tried on the model's own matrices. `UncachedDecoder`
reads the whole context again for every token. Both follow the same window rule, so in fp32 they agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from weakref import WeakKeyDictionary

import torch
import torch.nn.functional as F
from torch import Tensor

from gptcore.config import GPTConfig
from gptcore.kernels import KERNELS, Precision, Product, fastest_kernel
from gptcore.kv_cache import KVCache
from gptcore.model import GPT, activation, evaluating
from gptcore.threads import ThreadGovernor

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
    make = KERNELS[kernel]
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
