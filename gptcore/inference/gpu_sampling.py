"""Samples on the GPU, so that the next step launches before the token reaches the CPU.

The distribution is that of `sampling.candidates`, with the random numbers of `sampling.sample`; of
exactly equally likely tokens another one may come first. Repetition penalty, banned n-grams and
minimum length need the text; they and the rarer cut-offs are left to the CPU.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.token import Alternative, GeneratedToken

MOST_LIKELY = (
    64  # tokens that top-k sampling reads at most; also the largest number of alternatives
)


class Controls(NamedTuple):
    """One row's random number in [0, 1), and its sampling settings as numbers; a top_k of 0 keeps
    all tokens.
    """

    uniform: float
    temperature: float
    top_k: float
    top_p: float
    min_p: float


def controls_of(settings: SamplingSettings, uniform: float) -> Controls:
    """Returns the controls of one row for `sample_on_gpu`."""
    top_k = 1 if settings.temperature == 0 else settings.top_k or 0
    top_p = 1.0 if settings.top_p is None else settings.top_p
    return Controls(uniform, max(settings.temperature, 1e-30), top_k, top_p, settings.min_p or 0.0)


def fits(settings: SamplingSettings, n_alternatives: int) -> bool:
    """Tells whether the GPU can sample with these settings."""
    plain = (
        settings.repetition_penalty == 1
        and not settings.no_repeat_ngram_size
        and not settings.min_new_tokens
    )
    return plain and max(n_alternatives, settings.top_k or 0) <= MOST_LIKELY


class Chosen:
    """Sampled tokens of a step, while they are copied to the CPU.

    Args:
        ids, about: as `sample_on_gpu` returns them.

    Attributes:
        ids: int64 [B] on the GPU, for the step after it.
    """

    def __init__(self, ids: Tensor, about: Tensor) -> None:
        self.ids = ids
        self._about = torch.empty(about.shape, dtype=torch.float64, pin_memory=about.is_cuda)
        self._about.copy_(about, non_blocking=True)
        self._arrived = None
        if about.is_cuda:
            self._arrived = torch.cuda.Event()
            self._arrived.record()

    def tokens(self, n_alternatives: Sequence[int]) -> list[GeneratedToken]:
        """Each row's token without its text, with so many alternatives; waits until it is there.

        Its log-probability is NaN where the logits are.
        """
        if self._arrived is not None:
            self._arrived.synchronize()
        return [_token(row, n) for row, n in zip(self._about.tolist(), n_alternatives, strict=True)]


def _token(row: Sequence[float], n: int) -> GeneratedToken:
    shown = (len(row) - 5) // 2
    ids = row[5 : 5 + shown]
    logprobs = row[5 + shown :]
    alternatives = tuple(
        Alternative(int(item), logprob) for item, logprob in zip(ids[:n], logprobs[:n], strict=True)
    )
    return GeneratedToken(int(row[0]), "", row[1], int(row[2]), row[3], int(row[4]), alternatives)


def sample_on_gpu(logits: Tensor, controls: Tensor, whole: bool) -> tuple[Tensor, Tensor]:
    """Samples the next token of every row; the CPU is not waited for.

    Args:
        logits: float32 [B, V].
        controls: float64 [B, 5], `Controls` of each row.
        whole: sorts all tokens; False reads the most likely alone, which is enough where every row
            has a top-k.

    Returns:
        the tokens, int64 [B]; and float64 [B, 5 + 2N]: token, its log-probability, rank, sampling
        probability, number of candidates; then the N most likely tokens and their
        log-probabilities.
    """
    uniform, temperature, top_k, top_p, min_p = (
        column[:, None] for column in controls.unbind(dim=1)
    )
    V = logits.shape[1]
    # [B, N], best first
    values, ids = logits.sort(descending=True) if whole else logits.topk(min(MOST_LIKELY, V))
    logprobs = values.double() - logits.logsumexp(dim=-1, keepdim=True)
    rank = torch.arange(values.shape[1], device=logits.device)
    weights = (
        (values - values[:, :1]) / temperature
    ).exp()  # float64: a cumulative sum of 50,000 numbers
    within = (top_k == 0) | (rank < top_k)
    weights = torch.where(within, weights, 0.0)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    before = weights.cumsum(dim=-1) - weights
    kept = within & (
        (rank == 0) | ((top_p >= 1) | (before < top_p)) & (weights >= min_p * weights[:, :1])
    )
    weights = torch.where(kept, weights, 0.0)
    reached = weights.cumsum(dim=-1)
    index = (reached <= uniform * reached[:, -1:]).sum(dim=-1, keepdim=True)
    n_kept = kept.sum(dim=-1, keepdim=True)
    index = torch.minimum(index, n_kept - 1).clamp_(min=0)
    chosen = ids.gather(1, index)
    probability = weights.gather(1, index) / reached[:, -1:]
    above = (values > values.gather(1, index)).sum(dim=-1, keepdim=True)
    shown = min(MOST_LIKELY, V)
    about = [
        chosen,
        logprobs.gather(1, index),
        above + 1,
        probability,
        n_kept,
        ids[:, :shown],
        logprobs[:, :shown],
    ]
    return chosen[:, 0], torch.cat([part.double() for part in about], dim=1)
