"""Attention maps of every head for a text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gptcore.analysis.reading import read
from gptcore.attention import attention_scores, attention_weights
from gptcore.errors import NOT_NUMBERS, CheckpointError, MemoryLimitError, TokenIdError
from gptcore.model import GPT
from gptcore.probe import Probe
from gptcore.threads import adapted

DEFAULT_MAX_BYTES = 2 << 30


class _Weights(Probe):
    """Writes the attention maps of all layers into a tensor, [n_layer, H, T, T]."""

    needs_weights = True

    def __init__(self, patterns: Tensor) -> None:
        self.patterns = patterns

    def weights(self, layer: int, weights: Tensor) -> None:
        self.patterns[layer] = weights[0]


class _QueriesAndKeys(Probe):
    """Records the queries and keys of all layers."""

    def __init__(self) -> None:
        self.queries: list[Tensor] = []
        self.keys: list[Tensor] = []

    def queries_and_keys(self, layer: int, query: Tensor, key: Tensor) -> None:
        self.queries.append(query[0].float().cpu())
        self.keys.append(key[0].float().cpu())


@adapted()
@torch.inference_mode()
def attention_patterns(
    model: GPT, token_ids: Sequence[int] | Tensor, *, max_bytes: int = DEFAULT_MAX_BYTES
) -> Tensor:
    """Computes the attention maps of every head for a text.

    Args:
        model: of any kind; dropout is off while it reads.
        token_ids: int [T] or [1, T], at most the model's window.
        max_bytes: memory limit for the maps, which grow with the square of T.

    Returns:
        float32 [n_layer, n_head, T, T] on the model's device, so that only what is asked for is
        copied: the attention weight from a query token (row) to a key token (column). Rows sum to
        1; the future is exactly 0.

    Raises:
        TokenIdError, ContextLengthError: as the model does, and for more than one text.
        MemoryLimitError: the maps would take more than max_bytes; `read_attention` takes far less.
    """
    ids = _one_text(model, token_ids)
    config = model.config
    T = ids.shape[1]
    heads = config.n_layer * config.n_head
    if config.n_positions >= T and heads * T * T * 4 > max_bytes:
        raise MemoryLimitError(
            f"All {heads:,} maps of {T:,} tokens take {heads * T * T * 4 / 1e9:.1f} GB; "
            f"{max_bytes / 1e9:.1f} GB are allowed. Shorten the text to "
            f"{int((max_bytes / heads / 4) ** 0.5):,} tokens, raise max_bytes, or use "
            "read_attention, which draws one layer at a time."
        )
    patterns = torch.empty(config.n_layer, config.n_head, T, T, device=ids.device)
    if torch.isnan(read(model, ids[0], _Weights(patterns))).any():
        raise CheckpointError(NOT_NUMBERS)
    return patterns


@dataclass(frozen=True)
class QueriesAndKeys:
    """The queries and keys of one text, from which any head's attention map is computed on demand.

    Memory grows with the length of the text, not with its square.

    Attributes:
        token_ids: what was read, T tokens.
        queries, keys: for each layer float32 [n_head, T, D].
        causal: whether the future is hidden.
    """

    token_ids: tuple[int, ...]
    queries: tuple[Tensor, ...]
    keys: tuple[Tensor, ...]
    causal: bool

    @property
    def n_layer(self) -> int:
        """Number of layers."""
        return len(self.queries)

    @property
    def n_head(self) -> int:
        """Heads in a layer."""
        return self.queries[0].shape[0]

    @property
    def n_tokens(self) -> int:
        """T."""
        return len(self.token_ids)

    @property
    def n_bytes(self) -> int:
        """Memory that the queries and keys take."""
        return sum(tensor.nbytes for tensor in (*self.queries, *self.keys))

    @torch.inference_mode()
    def scores(self, layer: int, head: int) -> Tensor:
        """q.k / sqrt(D) before the mask, float32 [T, T]."""
        return attention_scores(self.queries[layer][head], self.keys[layer][head])

    @torch.inference_mode()
    def weights(self, layer: int) -> Tensor:
        """Attention weights of the layer's heads, float32 [n_head, T, T]: rows sum to 1, the future
        is exactly 0.
        """
        return attention_weights(self.queries[layer], self.keys[layer], is_causal=self.causal)

    @torch.inference_mode()
    def head_weights(self, layer: int, head: int) -> Tensor:
        """Attention weights of one head, float32 [T, T]."""
        return attention_weights(
            self.queries[layer][head], self.keys[layer][head], is_causal=self.causal
        )

    def layers(self) -> Iterator[Tensor]:
        """`weights` of one layer after the other."""
        return map(self.weights, range(self.n_layer))


@adapted()
@torch.inference_mode()
def read_attention(
    model: GPT, token_ids: Sequence[int] | Tensor, *, max_bytes: int = DEFAULT_MAX_BYTES
) -> QueriesAndKeys:
    """Runs one forward pass and keeps the queries and keys for attention maps.

    Args:
        model: of any kind; dropout is off while it reads.
        token_ids: int [T] or [1, T], at most the model's window.
        max_bytes: memory limit for the queries and keys: 8 * n_layer * n_embd * T.

    Raises:
        TokenIdError, ContextLengthError: as the model does, and for more than one text.
        MemoryLimitError: the queries and keys would take more than max_bytes.
    """
    ids = _one_text(model, token_ids)
    per_token = 8 * model.config.n_layer * model.config.n_embd
    if ids.shape[1] * per_token > max_bytes:
        raise MemoryLimitError(
            f"The queries and keys of {ids.shape[1]:,} tokens take "
            f"{ids.shape[1] * per_token / 1e6:,.0f} MB in this model; {max_bytes / 1e6:,.0f} "
            f"MB are allowed. Shorten the text to {max_bytes // per_token:,} tokens."
        )
    probe = _QueriesAndKeys()
    if torch.isnan(read(model, ids[0], probe)).any():
        raise CheckpointError(NOT_NUMBERS)
    return QueriesAndKeys(
        tuple(ids[0].tolist()), tuple(probe.queries), tuple(probe.keys), model.config.causal
    )


def without_first_key(weights: Tensor) -> Tensor:
    """Attention weights without the first token (the attention sink), renormalised so that rows sum
    to 1.

    Idle heads attend to the first token; this shows the rest of their pattern.

    Args:
        weights: float [..., T, T].

    Returns:
        float [..., T, T]: column 0 is 0. A row with nothing else to look at, such as the first, is
        NaN.
    """
    rest = weights.clone()
    rest[..., 0] = 0
    total = rest.sum(dim=-1, keepdim=True)
    return torch.where(total > 1e-6, rest / total, torch.nan)


def _one_text(model: GPT, token_ids: Sequence[int] | Tensor) -> Tensor:
    """int64 [1, T] on the model's device."""
    ids = torch.as_tensor(token_ids, dtype=torch.long, device=model.wte.weight.device)
    ids = ids[None] if ids.dim() == 1 else ids
    if ids.dim() != 2 or len(ids) != 1:
        raise TokenIdError(
            f"token_ids has the shape {list(ids.shape)}; attention is shown for one text, [T] "
            "or [1, T]."
        )
    return ids
