"""Causal self-attention: a fast path, and an explicit one that shows its weights."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.config import GPTConfig
from gptcore.kv_cache import KVCache
from gptcore.linear import Linear
from gptcore.probe import NO_PROBE, Probe


@dataclass(frozen=True)
class ForwardContext:
    """Settings of one forward pass, shared by all blocks."""

    # additive float mask [1 or B, 1, T, S]; None where nothing is hidden but the future
    mask: Tensor | None = None
    # hide the future, where there is no mask and no cached token
    is_causal: bool = True
    # keys and values of earlier tokens, to which the new ones are written
    cache: KVCache | None = None
    # observes the pass's activations, and may change them
    probe: Probe = NO_PROBE


def additive_mask(
    n_query: int, n_key: int, *, causal: bool, attention_mask: Tensor | None, device: torch.device
) -> Tensor | None:
    """Additive attention mask for queries at the end of the keys.

    Args:
        n_query: T, number of new tokens.
        n_key: S, number of all tokens, the new ones last.
        causal: hide the future.
        attention_mask: [B, S], true or 1 where a token is real.

    Returns:
        float [1 or B, 1, T, S] with 0 for visible and -inf for hidden, or None when nothing is
        hidden. A token always sees itself, so a row of padding never becomes NaN.
    """
    hidden = torch.zeros(1, 1, n_query, n_key, dtype=torch.bool, device=device)
    if causal:
        hidden |= torch.ones(n_query, n_key, dtype=torch.bool, device=device).triu(
            n_key - n_query + 1
        )
    if attention_mask is not None:
        itself = torch.eye(n_query, n_key, dtype=torch.bool, device=device).roll(
            n_key - n_query, dims=1
        )
        hidden = hidden | (~attention_mask.bool()[:, None, None, :] & ~itself)
    if not hidden.any():
        return None
    return torch.zeros(hidden.shape, device=device).masked_fill(hidden, -math.inf)


def attention_scores(query: Tensor, key: Tensor) -> Tensor:
    """q.k / sqrt(D) of every pair, before the mask. query: float [..., T, D]; key: float [..., S,
    D] -> [..., T, S].
    """
    return (query * query.shape[-1] ** -0.5) @ key.transpose(-2, -1)


def attention_weights(
    query: Tensor, key: Tensor, *, mask: Tensor | None = None, is_causal: bool = False
) -> Tensor:
    """softmax(q.k / sqrt(D) + mask): rows sum to 1 and what is hidden is exactly 0.

    Args:
        query: float [..., T, D].
        key: float [..., S, D].
        mask: additive float mask, broadcast to [..., T, S].
        is_causal: hide the future; T equals S and there is no mask.
    """
    *batch, T, D = query.shape
    S = key.shape[-2]
    if is_causal:
        future = torch.ones(T, S, dtype=torch.bool, device=query.device).triu(1)
        mask = torch.zeros(T, S, device=query.device).masked_fill_(future, -math.inf)
    if mask is None:
        mask = torch.zeros(1, 1, device=query.device)
    bias = mask.to(query.dtype).expand(*batch, T, S).reshape(-1, T, S)
    keys = key.reshape(-1, S, D).transpose(1, 2)
    # One fused product scales and masks too, since every pass over [..., T, S] costs as much as the
    # product.
    scores = torch.baddbmm(bias, query.reshape(-1, T, D), keys, alpha=D**-0.5)
    return scores.softmax(-1).view(*batch, T, S)


class CausalSelfAttention(nn.Module):
    """Multi-head self-attention with one combined query/key/value projection."""

    def __init__(self, config: GPTConfig, layer: int) -> None:
        super().__init__()
        self.n_head: int = config.n_head
        self.head_dim: int = config.head_dim
        self.layer: int = layer
        self.dropout: float = config.attn_pdrop
        self.c_attn: Linear = Linear(config.n_embd, 3 * config.n_embd, bias=config.attention_bias)
        self.c_proj: Linear = Linear(config.n_embd, config.n_embd, bias=config.attention_bias)
        self.resid_dropout: nn.Dropout = nn.Dropout(config.resid_pdrop)

    def forward(self, x: Tensor, context: ForwardContext) -> Tensor:
        """Mixes every token with those it may see: float [B, T, C] -> float [B, T, C]."""
        B, T, C = x.shape
        qkv = self.c_attn(x).view(B, T, 3, self.n_head, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # each [B, H, T, D]
        if context.cache is not None:
            k, v = context.cache.write(self.layer, k, v)  # each [B, H, S, D]
        context.probe.queries_and_keys(self.layer, q, k)

        # The fused kernel does not show its weights. Under 16-bit autocast on a CPU, its backward
        # pass is also slower than the explicit path's.
        slow_backward = self.training and q.dtype != torch.float32 and q.device.type == "cpu"
        explicit = slow_backward or context.probe.needs_weights
        y = (
            self._attend_explicitly(q, k, v, context)
            if explicit
            else self._attend_fast(q, k, v, context)
        )
        y = context.probe.heads(self.layer, y)  # [B, H, T, D]

        # Put the heads side by side and project into the residual stream.
        y = y.transpose(1, 2).reshape(B, T, C)
        return self.resid_dropout(self.c_proj(y))

    def _attend_fast(self, q: Tensor, k: Tensor, v: Tensor, context: ForwardContext) -> Tensor:
        dropout = self.dropout if self.training else 0.0
        mask = None if context.mask is None else context.mask.to(q.dtype)
        return F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=dropout, is_causal=context.is_causal
        )

    def _attend_explicitly(
        self, q: Tensor, k: Tensor, v: Tensor, context: ForwardContext
    ) -> Tensor:
        # [B, H, T, S]
        weights = attention_weights(q, k, mask=context.mask, is_causal=context.is_causal)
        context.probe.weights(self.layer, weights)
        return F.dropout(weights, self.dropout, self.training).to(v.dtype) @ v
