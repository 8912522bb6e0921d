"""Causal self-attention: a fast path, and an explicit one that shows its scores and weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.config import GPTConfig
from gptcore.kv_cache import KVCache


@dataclass(frozen=True)
class AttentionTrace:
    """What one layer's attention computed.

    Attributes:
        layer: which block, from 0.
        scores: float [B, H, T, L], q.k / sqrt(D) before the mask.
        weights: float [B, H, T, L], after mask and softmax; rows sum to 1, masked cells are exactly 0.
    """

    layer: int
    scores: Tensor
    weights: Tensor


AttentionObserver = Callable[[AttentionTrace], None]


class Linear(nn.Linear):
    """nn.Linear without torch's default initialisation: GPT.initialise sets every weight itself."""

    def reset_parameters(self) -> None:
        pass


def attention_mask(
    n_query: int, n_key: int, *, causal: bool, padding: Tensor | None, device: torch.device
) -> Tensor | None:
    """The additive mask for queries that stand at the end of the keys.

    Args:
        n_query: T, number of new tokens.
        n_key: L, number of all tokens, the new ones last.
        causal: hide the future.
        padding: [B, L], true or 1 where a token is real.

    Returns:
        float [1 or B, 1, T, L] with 0 for visible and -inf for hidden, or None when nothing is hidden.
        A token always sees itself, so a padding row never becomes NaN.
    """
    hidden = torch.zeros(1, 1, n_query, n_key, dtype=torch.bool, device=device)
    if causal:
        hidden |= torch.ones(n_query, n_key, dtype=torch.bool, device=device).triu(n_key - n_query + 1)
    if padding is not None:
        itself = torch.eye(n_query, n_key, dtype=torch.bool, device=device).roll(n_key - n_query, dims=1)
        hidden = hidden | (~padding.bool()[:, None, None, :] & ~itself)
    if not hidden.any():
        return None
    return torch.zeros(hidden.shape, device=device).masked_fill(hidden, -math.inf)


class CausalSelfAttention(nn.Module):
    """Multi-head self-attention with one combined query/key/value projection."""

    def __init__(self, config: GPTConfig, layer: int) -> None:
        super().__init__()
        self.n_head, self.head_dim, self.layer, self.dropout = config.n_head, config.head_dim, layer, config.attn_pdrop
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=config.attention_bias)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=config.attention_bias)
        self.resid_dropout = nn.Dropout(config.resid_pdrop)

    def forward(
        self,
        x: Tensor,
        *,
        mask: Tensor | None = None,
        is_causal: bool = False,
        cache: KVCache | None = None,
        observer: AttentionObserver | None = None,
    ) -> Tensor:
        """Mixes every token with those it may see.

        Args:
            x: float [B, T, C].
            mask: additive float mask [1 or B, 1, T, L]; None with is_causal for the plain triangle.
            is_causal: hide the future, when there is no mask and no cached token.
            cache: keys and values of earlier tokens; the new ones are written to it.
            observer: called with the scores and weights; asking for them takes the explicit path.

        Returns:
            float [B, T, C].
        """
        B, T, C = x.shape
        q, k, v = self.c_attn(x).view(B, T, 3, self.n_head, self.head_dim).permute(2, 0, 3, 1, 4)  # each [B, H, T, D]
        if cache is not None:
            k, v = cache.write(self.layer, k, v)  # [B, H, L, D]
        # Under 16-bit autocast on a CPU the backward of the fused kernel is the slower of the two.
        explicit = observer is not None or (self.training and q.dtype != torch.float32 and q.device.type == "cpu")
        attend = self._attend_explicitly if explicit else self._attend_fast
        y = attend(q, k, v, mask, is_causal, observer)  # [B, H, T, D]
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))

    def _attend_fast(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, is_causal: bool, _: AttentionObserver | None
    ) -> Tensor:
        dropout = self.dropout if self.training else 0.0
        bias = mask if mask is None else mask.to(q.dtype)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=dropout, is_causal=is_causal)

    def _attend_explicitly(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, is_causal: bool, observer: AttentionObserver | None
    ) -> Tensor:
        scores = (q * self.head_dim**-0.5) @ k.transpose(-2, -1)  # [B, H, T, L]
        if is_causal:
            future = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).triu(1)
            masked = scores.masked_fill(future, -math.inf)
        else:
            masked = scores if mask is None else scores + mask
        weights = masked.softmax(dim=-1)
        if observer is not None:
            observer(AttentionTrace(self.layer, scores, weights))
        return F.dropout(weights, self.dropout, self.training).to(v.dtype) @ v
