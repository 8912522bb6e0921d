"""The logit lens: the prediction read from the residual stream after each layer.

Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gptcore.analysis.reading import record_activations
from gptcore.errors import TokenIdError
from gptcore.model import GPT

_POSITIONS_AT_ONCE = 8  # at all depths


@dataclass(frozen=True)
class LogitLens:
    """The model's prediction at every position and depth: 0 is the embeddings, n_layer the whole
    model.
    """

    best: Tensor  # int64 [n_layer + 1, T], the most likely next token
    probability: Tensor  # float32 [n_layer + 1, T], of that token
    # int64 [n_layer + 1, T], the rank there of the token that the whole model chooses; 1 is first
    final_rank: Tensor
    final_probability: Tensor  # float32 [n_layer + 1, T], of the token that the whole model chooses


@torch.inference_mode()
def logit_lens(model: GPT, token_ids: Sequence[int], *, first: int = 0) -> LogitLens:
    """Reads the residual stream after every layer through the final norm and the output head.

    Args:
        model: of any kind. Post-norm models have no final norm; there the head alone is applied.
        token_ids: int [T], at most the window.
        first: first position to decode; earlier ones are still read but left out, to save time.

    Raises:
        TokenIdError, ContextLengthError: as the model does, and when `first` leaves nothing.
    """
    if not 0 <= first < max(1, len(token_ids)):
        raise TokenIdError(f"The first position is {first}; the text has {len(token_ids)} tokens.")
    # [n_layer + 1, T, C]
    streams = torch.cat(record_activations(model, token_ids, "residual")["residual"])[:, first:]
    parts: list[tuple[Tensor, ...]] = []
    for chunk in streams.split(_POSITIONS_AT_ONCE, dim=1):
        logits = model.lm_head(model.ln_f(chunk)).float()  # [n_layer + 1, t, V]
        total = logits.logsumexp(-1)
        top = logits.max(-1)
        # of the whole model
        chosen = logits.gather(-1, top.indices[-1:, :, None].expand(len(logits), -1, -1))
        shares = [(of - total).exp() for of in (top.values, chosen[..., 0])]
        parts.append((top.indices, shares[0], 1 + (logits > chosen).sum(-1), shares[1]))
    return LogitLens(*[torch.cat(pieces, dim=1).cpu() for pieces in zip(*parts, strict=True)])


def settled_depths(best: Tensor, written: Sequence[int]) -> list[int | None]:
    """The depth from which each actual next token stays the top prediction; None where it is not
    the final one.

    Args:
        best: int64 [n_layer + 1, T], the first guess after each depth, as in LogitLens.
        written: int [T], the token that came next at each position.
    """
    right = (best == torch.as_tensor(written)[None]).flip(0)  # the last depth first
    n_depths = right.long().cumprod(0).sum(0).tolist()  # number of depths, counted from the end
    return [len(best) - n if n else None for n in n_depths]
