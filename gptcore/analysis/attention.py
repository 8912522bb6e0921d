"""Attention maps of a text, from the model's explicit attention path."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from gptcore.attention import AttentionTrace
from gptcore.errors import TokenIdError
from gptcore.model import GPT, evaluating


@torch.inference_mode()
def attention_patterns(model: GPT, token_ids: Sequence[int] | Tensor) -> Tensor:
    """Where every head looks while it reads a text.

    Args:
        model: of any kind; dropout is off while it reads.
        token_ids: int [T] or [1, T], at most the model's window.

    Returns:
        float32 [n_layer, n_head, T, T] on the CPU: the weight with which a reading token (row, query) looks at
        another (column, key). Rows sum to 1; the future is exactly 0.

    Raises:
        TokenIdError, ContextLengthError: as the model does, and for more than one text.
    """
    ids = torch.as_tensor(token_ids, dtype=torch.long, device=model.wte.weight.device)
    ids = ids[None] if ids.dim() == 1 else ids
    if ids.dim() != 2 or len(ids) != 1:
        raise TokenIdError(
            f"token_ids has the shape {list(ids.shape)}; attention is shown for one text, [T] or [1, T]."
        )
    config, T = model.config, ids.shape[1]
    patterns = torch.empty(config.n_layer, config.n_head, T, T)

    def keep(trace: AttentionTrace) -> None:
        patterns[trace.layer] = trace.weights[0].float()

    with evaluating(model):
        model.hidden_states(ids, observer=keep)
    return patterns
