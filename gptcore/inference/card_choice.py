"""The choice of the next token on a GPU, so that the next step can start before the host has heard of it.

The same distribution as `sampling.candidates` and the same random numbers as `sampling.sample`; of tokens that are
exactly equally likely, another one may come first. Repetition penalty, bans and minimum length need the text; they and
the rarer cut-offs are left to the host.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gptcore.inference.sampling_settings import SamplingSettings

MOST_LIKELY = 64  # tokens that a choice looks at where nothing else can be chosen; also the most alternatives


@dataclass(frozen=True)
class Controls:
    """One row's controls, and its random number in [0, 1)."""

    settings: SamplingSettings
    uniform: float

    @property
    def needs_all(self) -> bool:
        """Whether any token of the vocabulary may be chosen."""
        return self.settings.temperature > 0 and not self.settings.top_k

    def numbers(self) -> tuple[float, ...]:
        """As `choose_on_card` takes them."""
        settings = self.settings
        top_k = 1 if settings.temperature == 0 else settings.top_k or 0
        top_p = 1.0 if settings.top_p is None else settings.top_p
        return self.uniform, max(settings.temperature, 1e-30), float(top_k), top_p, settings.min_p or 0.0


def fits(settings: SamplingSettings, n_alternatives: int) -> bool:
    """Whether a text with these settings can be chosen for on a GPU."""
    if settings.cuts_further or settings.bad_words_ids:
        return False
    plain = settings.repetition_penalty == 1 and not settings.no_repeat_ngram_size and not settings.min_new_tokens
    return plain and max(n_alternatives, settings.top_k or 0) <= MOST_LIKELY


def n_controls() -> int:
    """Numbers that a row's controls take."""
    return len(Controls(SamplingSettings(), 0.0).numbers())


def packed_controls(controls: Sequence[Controls]) -> Tensor:
    """float64 [B, n_controls()]."""
    return torch.tensor([one.numbers() for one in controls], dtype=torch.float64)


@dataclass(frozen=True)
class Choice:
    """What is chosen for B rows, on the GPU.

    Attributes:
        ids: int64 [B].
        about: float64 [B, 5 + 2N]: token, its log-probability, rank, sampling probability, number of candidates; then
            the N most likely tokens and their log-probabilities.
    """

    ids: Tensor
    about: Tensor


@dataclass(frozen=True)
class ChosenToken:
    """A token and what is said of it, as in `GeneratedToken`; its log-probability is NaN where the logits are."""

    id: int
    logprob: float
    rank: int
    sampling_probability: float
    n_candidates: int
    likeliest: tuple[tuple[int, float], ...]


class Chosen:
    """What a step chooses, on its way to the host.

    Attributes:
        ids: int64 [B] on the GPU, for the step after it.
    """

    def __init__(self, choice: Choice) -> None:
        self.ids = choice.ids
        self._about = torch.empty(choice.about.shape, dtype=torch.float64, pin_memory=choice.about.is_cuda)
        self._about.copy_(choice.about, non_blocking=True)
        self._arrived = None
        if choice.about.is_cuda:
            self._arrived = torch.cuda.Event()
            self._arrived.record()

    def tokens(self) -> list[ChosenToken]:
        """What was chosen for each row; waits until it is there."""
        if self._arrived is not None:
            self._arrived.synchronize()
        return [_token(row) for row in self._about.tolist()]


def _token(row: Sequence[float]) -> ChosenToken:
    first, n = 5, (len(row) - 5) // 2
    likeliest = tuple(zip(map(int, row[first : first + n]), row[first + n :], strict=True))
    return ChosenToken(int(row[0]), row[1], int(row[2]), row[3], int(row[4]), likeliest)


def choose_on_card(logits: Tensor, controls: Tensor, whole: bool) -> Choice:
    """Chooses the next token of every row; nothing waits for the host.

    Args:
        logits: float32 [B, V].
        controls: float64 [B, 5], `Controls.numbers` of each row.
        whole: over all tokens, sorted; else over the most likely alone, which is enough where every row has a top-k.
    """
    uniform, temperature, top_k, top_p, min_p = (column[:, None] for column in controls.unbind(dim=1))
    V = logits.shape[1]
    values, ids = logits.sort(descending=True) if whole else logits.topk(min(MOST_LIKELY, V))  # [B, N], best first
    logprobs = values.double() - logits.logsumexp(dim=-1, keepdim=True)
    rank = torch.arange(values.shape[1], device=logits.device)
    weights = ((values - values[:, :1]) / temperature).exp()  # float64: a cumulative sum of 50,000 numbers
    within = (top_k == 0) | (rank < top_k)
    weights = torch.where(within, weights, 0.0)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    before = weights.cumsum(dim=-1) - weights
    kept = within & ((rank == 0) | ((top_p >= 1) | (before < top_p)) & (weights >= min_p * weights[:, :1]))
    weights = torch.where(kept, weights, 0.0)
    reached = weights.cumsum(dim=-1)
    place = (reached <= uniform * reached[:, -1:]).sum(dim=-1, keepdim=True)
    n_kept = kept.sum(dim=-1, keepdim=True)
    place = torch.minimum(place, n_kept - 1).clamp_(min=0)
    chosen = ids.gather(1, place)
    probability = weights.gather(1, place) / reached[:, -1:]
    above = (values > values.gather(1, place)).sum(dim=-1, keepdim=True)
    shown = min(MOST_LIKELY, V)
    about = [chosen, logprobs.gather(1, place), above + 1, probability, n_kept, ids[:, :shown], logprobs[:, :shown]]
    return Choice(chosen[:, 0], torch.cat([part.double() for part in about], dim=1))
