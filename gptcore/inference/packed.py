"""A model packed for decoding: its tensors without the module tree, and one step over them.

On a CPU a step is computed in C (`native`) where that can be compiled, else by torch in fp32.
On a GPU torch computes it, in 16 bits where the precision allows it: half the bytes to read.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal
from weakref import WeakKeyDictionary

import torch
import torch.nn.functional as F
from torch import Tensor

from gptcore.config import GPTConfig
from gptcore.inference.graphs import CapturedSteps
from gptcore.inference.native import LARGEST_HALF, Format, NativeWeights, native_weights
from gptcore.kv_cache import RaggedKVCache
from gptcore.linear import onednn_is_faster, onednn_product
from gptcore.model import GPT, activation
from gptcore.threads import adapted

WeightFormat = Literal["auto", "exact", "fast"]
Product = Callable[[Tensor], Tensor]  # float32 [B, in] -> float32 [B, out], or both float16

# Below this many weights, reading them is not the bottleneck, and 16 bits would gain nothing.
FAST_FROM_PARAMETERS = 30_000_000


@dataclass(frozen=True)
class PackedLayer:
    """One block's tensors as plain functions; `mlp` is its norm, c_fc and c_proj."""

    norm_1: Product
    c_attn: Product
    attn_proj: Product
    mlp: tuple[Product, Product, Product] | None


@dataclass(frozen=True)
class PackedWeights:
    """A model flattened for decoding, without the module tree.

    `kernel` names the format of its products; `threads_found` remembers the best thread count, of
    one row and of several; with `native`, whole steps are computed in C; `idle` holds captured
    steps that no generation uses.
    """

    config: GPTConfig
    wte: Tensor
    wpe: Tensor | None
    layers: list[PackedLayer]
    final_norm: Product | None
    lm_head: Product
    kernel: str
    native: NativeWeights | None = None
    threads_found: tuple[dict[str, float], dict[str, float]] = field(
        default_factory=lambda: ({}, {})
    )
    idle: list[CapturedSteps] = field(default_factory=list)

    @property
    def dtype(self) -> torch.dtype:
        """Returns the dtype of the matrix products' outputs, including queries, keys and values."""
        return torch.float16 if self.kernel == "fp16" else torch.float32


def decode_one(packed: PackedWeights, token_ids: Tensor, cache: RaggedKVCache) -> Tensor:
    """Logits after one more token in every row of the cache, float32 [B, V]; token_ids is int64
    [B].
    """
    if packed.native is not None:
        return packed.native.step(token_ids, cache, torch.get_num_threads())
    positions = torch.tensor(cache.lengths, device=token_ids.device)
    longest = max(cache.lengths) + 1
    ragged = min(cache.lengths) + 1 < longest
    logits = decode_step(packed, token_ids, positions, cache.data, longest, ragged=ragged)
    cache.lengths[:] = [length + 1 for length in cache.lengths]
    return logits


def decode_step(
    packed: PackedWeights,
    token_ids: Tensor,
    positions: Tensor,
    data: Tensor,
    longest: int,
    *,
    ragged: bool = True,
) -> Tensor:
    """Decodes one token per row with torch, on the cache's device alone: logits float32 [B, V].

    Args:
        packed: weights.
        token_ids: int64 [B].
        positions: int64 [B], the number of earlier tokens of each row.
        data: the cache's memory, [L, 2, at least B, H, N, D].
        longest: positions to attend to; where rows are ragged, those after a row's last are masked.
        ragged: False: `positions` are all longest - 1, which needs no mask and writes one slice.
    """
    config = packed.config
    B = len(token_ids)
    mask = _mask(positions, longest, packed.dtype) if ragged else None
    rows = torch.arange(B, device=positions.device)
    heads = (B, 3, config.n_head, 1, config.head_dim)
    x = packed.wte[token_ids]  # [B, C]
    if packed.wpe is not None:
        x = x + packed.wpe[positions]
    pre_norm = config.norm_position == "pre"
    name = config.activation_function
    for layer, memory in zip(packed.layers, data, strict=True):
        read = layer.norm_1(x) if pre_norm else x
        qkv = layer.c_attn(read).view(heads)
        if ragged and B == 1:  # one kernel on a GPU, where indexing takes several
            memory[:, :1].index_copy_(3, positions, qkv[:, 1:].transpose(0, 1))  # [2, 1, H, 1, D]
        elif ragged:
            memory[:, rows, :, positions] = qkv[:, 1:, :, 0]  # [B, 2, H, D]
        else:
            memory[:, :B, :, longest - 1 : longest] = qkv[:, 1:].transpose(0, 1)  # [2, B, H, 1, D]
        keys, values = memory[:, :B, :, :longest]
        mixed = _attend(qkv[:, 0], keys, values, mask)  # [B, H, 1, D]
        x = x + layer.attn_proj(mixed.reshape(B, -1))
        if not pre_norm:
            x = layer.norm_1(x)
        if layer.mlp is None:
            continue
        norm_2, c_fc, mlp_proj = layer.mlp
        read = norm_2(x) if pre_norm else x
        x = x + mlp_proj(activation(name, c_fc(read)))
        if not pre_norm:
            x = norm_2(x)
    return packed.lm_head(x if packed.final_norm is None else packed.final_norm(x)).float()


def _mask(positions: Tensor, longest: int, dtype: torch.dtype) -> Tensor:
    """Added to the scores: 0 up to a row's position and -inf after it, [B, 1, 1, longest]."""
    behind = torch.arange(longest, device=positions.device) > positions[:, None]
    return torch.zeros(behind.shape, dtype=dtype, device=positions.device).masked_fill_(
        behind, -math.inf
    )[:, None, None]


def _attend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
    """Attention of one query per row: [B, H, 1, D], keys and values [B, H, S, D] -> [B, H, 1,
    D].
    """
    # torch's fused kernel walks fp32 keys in a line (2.11, H200)
    if query.is_cuda and query.dtype == torch.float32:
        scores = query @ keys.mT * query.shape[-1] ** -0.5
        return (scores if mask is None else scores + mask).softmax(dim=-1) @ values
    return F.scaled_dot_product_attention(query, keys, values, attn_mask=mask)


def precision_of(model: GPT) -> WeightFormat:
    """Returns the weight format that "auto" means for a model: "fast" from FAST_FROM_PARAMETERS
    parameters on, else "exact".
    """
    n_parameters = sum(parameter.numel() for parameter in model.parameters())
    return "fast" if n_parameters >= FAST_FROM_PARAMETERS else "exact"


# Packed weights by model and precision, valid while the model lives and its weights are unchanged.
_PACKED: WeakKeyDictionary[GPT, dict[str, tuple[tuple[int, int], PackedWeights]]] = (
    WeakKeyDictionary()
)


@adapted()
def packed_weights(model: GPT, precision: WeightFormat) -> PackedWeights:
    """The model's packed weights, cached, and rebuilt when the weights have been changed in
    place.
    """
    if precision == "auto":
        precision = precision_of(model)
    version = (
        sum(0 if p.is_inference() else p._version for p in model.parameters()),
        model.wte.weight.data_ptr(),
    )
    packings = _PACKED.setdefault(model, {})
    if precision not in packings or packings[precision][0] != version:
        weight_format = native_format(model, precision)
        native = native_weights(model, weight_format)
        packed = _pack(model, "fp16" if precision == "fast" and _halved(model) else "fp32")
        offered = (
            packed
            if native is None
            else replace(packed, kernel=f"native-{weight_format}", native=native)
        )
        packings[precision] = version, offered
    return packings[precision][1]


def _halved(model: GPT) -> bool:
    """Whether 16-bit copies are read: on a GPU, if the weights fit."""
    matrices = [parameter.detach() for parameter in model.parameters() if parameter.ndim == 2]
    return matrices[0].is_cuda and all(
        float(matrix.abs().max()) < LARGEST_HALF for matrix in matrices
    )


def native_format(model: GPT, precision: WeightFormat) -> Format:
    """The format in which a step in C reads the weights: fp16 wherever that loses nothing."""
    matrices = (parameter.detach() for parameter in model.parameters() if parameter.ndim == 2)
    # as those from a 16-bit file are
    if all(torch.equal(matrix, matrix.half().float()) for matrix in matrices):
        return "fp16"
    return "int16" if precision == "fast" else "fp32"


@torch.inference_mode()
def _pack(model: GPT, kernel: str) -> PackedWeights:
    make = _half if kernel == "fp16" else _exact
    layers = list[PackedLayer]()
    for block in model.blocks:
        mlp = (
            (_norm(block.ln_2), make(block.mlp.c_fc), make(block.mlp.c_proj))
            if block.use_mlp
            else None
        )
        layers.append(
            PackedLayer(_norm(block.ln_1), make(block.attn.c_attn), make(block.attn.c_proj), mlp)
        )
    wpe = model.wpe.weight.detach() if model.config.use_positions else None
    final_norm = _norm(model.ln_f) if isinstance(model.ln_f, torch.nn.LayerNorm) else None
    head = make(model.lm_head)
    return PackedWeights(
        model.config, model.wte.weight.detach(), wpe, layers, final_norm, head, kernel
    )


def _norm(norm: torch.nn.LayerNorm) -> Product:
    weight = norm.weight.detach()
    bias = norm.bias.detach()
    return partial(
        F.layer_norm, normalized_shape=weight.shape, weight=weight, bias=bias, eps=norm.eps
    )


def _exact(linear: torch.nn.Linear) -> Product:
    weight = linear.weight.detach()
    bias = None if linear.bias is None else linear.bias.detach()
    onednn = weight.is_cpu and weight.dtype == torch.float32 and onednn_is_faster()
    return partial(onednn_product if onednn else F.linear, weight=weight, bias=bias)


def _half(linear: torch.nn.Linear) -> Product:
    """fp16 weights, half the bytes to read; sums stay fp32."""
    weight = linear.weight.detach().half().contiguous()
    bias = None if linear.bias is None else linear.bias.half()
    return lambda x: F.linear(x.half(), weight, bias)
