"""How well a model predicts a text: log-probability of each token, perplexity, bits per byte."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gptcore.errors import TokenIdError
from gptcore.model import GPT


@torch.inference_mode()
def token_logprobs(model: GPT, token_ids: Sequence[int] | Tensor, *, batch_size: int = 16) -> Tensor:
    """The log-probability of every token but the first, given those before it.

    A text longer than the window is read in windows that overlap by half, and each token is scored where it
    has the most before it, so every token after the first window sees at least half a window.

    Args:
        model: in evaluation mode.
        token_ids: int [N], N >= 2.
        batch_size: windows computed together.

    Returns:
        float32 [N - 1], natural logarithms.

    Raises:
        TokenIdError: fewer than two tokens, or an id outside the vocabulary.
    """
    ids = torch.as_tensor(token_ids, dtype=torch.long).cpu()
    if ids.dim() != 1 or len(ids) < 2:
        raise TokenIdError(f"The text has {ids.numel()} token(s); a prediction needs at least two.")
    n_inputs, window = len(ids) - 1, model.config.n_positions
    stride = max(1, window // 2)
    starts = [0] if n_inputs <= window else [*range(0, n_inputs - window, stride), n_inputs - window]
    width = min(window, n_inputs)
    scored = 0
    out = torch.empty(n_inputs)
    device = model.wte.weight.device
    for begin in range(0, len(starts), batch_size):
        group = starts[begin : begin + batch_size]
        x = torch.stack([ids[s : s + width] for s in group]).to(device)  # [B, T]
        y = torch.stack([ids[s + 1 : s + 1 + width] for s in group]).to(device)  # [B, T]
        logits = model(x).logits.float()  # [B, T, V]
        picked = logits.gather(2, y[..., None])[..., 0] - logits.logsumexp(dim=-1)  # [B, T]
        for start, row in zip(group, picked.cpu(), strict=True):
            out[scored : start + width] = row[scored - start :]
            scored = start + width
    return out


@dataclass(frozen=True)
class TextScore:
    """How surprising a text is to a model.

    Attributes:
        n_tokens: tokens scored.
        n_bytes: UTF-8 bytes of the text.
        nats: summed negative log-probability.
    """

    n_tokens: int
    n_bytes: int
    nats: float

    @property
    def perplexity(self) -> float:
        """exp of the mean loss: the number of equally likely tokens it amounts to."""
        return math.exp(min(700.0, self.nats / self.n_tokens))

    @property
    def bits_per_byte(self) -> float:
        """Comparable between tokenizers, unlike perplexity."""
        return self.nats / math.log(2) / self.n_bytes


def score_documents(model: GPT, documents: Sequence[tuple[Sequence[int], int]], *, start_id: int) -> TextScore:
    """Scores whole documents, each on its own behind a start token, as the model met them in training.

    Args:
        model: in evaluation mode.
        documents: (token ids, UTF-8 bytes of the text) each.
        start_id: the token that stands before a document, usually end-of-text; it is not scored.
    """
    nats, n_tokens, n_bytes = 0.0, 0, 0
    for ids, size in documents:
        nats -= float(token_logprobs(model, [start_id, *ids]).double().sum())
        n_tokens += len(ids)
        n_bytes += size
    return TextScore(n_tokens, n_bytes, nats)
