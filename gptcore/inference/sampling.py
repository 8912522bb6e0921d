"""Sampling from logits: pure functions and one explicit random generator; the distribution after
every step.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from gptcore.inference.sampling_settings import CONTROLS, SamplingSettings

# Without a cut, only tokens above this probability are sorted; there are at most 1,000 of them.
_SORTED_ABOVE = 1e-3
_LAST_ID = np.uint64(0xFFFFFFFF)
_ROUNDING = 1e-6  # of a sum of probabilities


@dataclass(frozen=True)
class Candidates:
    """The tokens that may come next."""

    # int64 [N], the most likely first (an uncut distribution is sorted only in its upper part)
    ids: Tensor
    probabilities: Tensor  # float32 [N], renormalised to sum to 1


def penalise(
    logits: Tensor,
    settings: SamplingSettings,
    token_ids: Sequence[int],
    *,
    n_new: int = 0,
    end_id: int | None = None,
    without_token: frozenset[int] = frozenset(),
) -> Tensor:
    """The logits after repetition penalty, n-gram ban and minimum length; the input is not changed.

    Args:
        logits: float [V].
        settings: of the strategy.
        token_ids: everything so far, prompt included.
        n_new: how many of them were generated.
        end_id: the end-of-text token.
        without_token: ids that stand for nothing.
    """
    if settings.repetition_penalty != 1.0 and token_ids:
        seen = torch.tensor(sorted(set(token_ids)), device=logits.device)
        values = logits[seen]
        penalty = settings.repetition_penalty
        logits = logits.index_put(
            (seen,), torch.where(values > 0, values / penalty, values * penalty)
        )
    banned = struck_out(
        settings, token_ids, n_new=n_new, end_id=end_id, without_token=without_token
    )
    if banned and len(banned) < len(logits):
        logits = logits.index_fill(0, torch.tensor(sorted(banned), device=logits.device), -math.inf)
    return logits


def struck_out(
    settings: SamplingSettings,
    token_ids: Sequence[int],
    *,
    n_new: int = 0,
    end_id: int | None = None,
    without_token: frozenset[int] = frozenset(),
) -> dict[int, str]:
    """Banned next tokens, each with the option that bans it; arguments as in `penalise`."""
    reasons = dict.fromkeys(without_token, "no token")
    reasons |= dict.fromkeys(
        _completions_of_repeated_ngrams(token_ids, settings.no_repeat_ngram_size),
        "no_repeat_ngram_size",
    )
    if end_id is not None and n_new < settings.min_new_tokens:
        reasons[end_id] = "min_new_tokens"
    return reasons


def _completions_of_repeated_ngrams(token_ids: Sequence[int], size: int) -> set[int]:
    """Tokens that would complete an n-gram which has occurred before."""
    if size == 0 or len(token_ids) < size:
        return set()
    ids = list(token_ids)
    prefix = ids[len(ids) - size + 1 :]
    return {
        ids[i + size - 1] for i in range(len(ids) - size + 1) if ids[i : i + size - 1] == prefix
    }


def candidates(
    logits: Tensor, settings: SamplingSettings, *, largest: tuple[Tensor, Tensor] | None = None
) -> Candidates:
    """The tokens left after temperature, top-k, top-p and min-p, exact over the vocabulary.

    Only possible survivors are sorted: top_k tokens, or those likely enough to be in the nucleus.

    Args:
        logits: float [V] on the CPU, finite or -inf, after `penalise`.
        settings: of the strategy.
        largest: the values and ids of `logits.topk(n)`, where they are at hand.
    """
    logits = logits.detach().float()
    if settings.temperature == 0:
        return Candidates(torch.from_numpy(_top(logits, 1, largest)[0]), torch.ones(1))
    top_p = 1.0 if settings.top_p is None else settings.top_p
    if settings.top_k and settings.top_k < logits.shape[0]:
        ids, values = _top(logits, settings.top_k, largest)
        weights = np.exp((values - values[0]) / max(settings.temperature, 1e-30))
        probabilities = weights / weights.sum()
        if top_p < 1:
            n_kept = _count_to_reach(probabilities, top_p)
            ids = ids[:n_kept]
            probabilities = probabilities[:n_kept]
    else:
        everything = cooled(logits, settings.temperature).softmax(dim=0).numpy()
        if top_p < 1:
            ids = _nucleus(everything, top_p)
        else:
            likely = everything > _SORTED_ABOVE
            upper = likely.nonzero()[0]
            ids = np.concatenate(
                [upper[np.argsort(-everything[upper], kind="stable")], (~likely).nonzero()[0]]
            )
        probabilities = everything[ids]
    if settings.min_p:
        kept = probabilities >= settings.min_p * probabilities.max()
        ids = ids[kept]
        probabilities = probabilities[kept]
    return Candidates(
        torch.from_numpy(ids),
        torch.from_numpy((probabilities / probabilities.sum()).astype(np.float32)),
    )


def cooled(logits: Tensor, temperature: float) -> Tensor:
    """Logits divided by temperature, shifted to a maximum of 0, so that a tiny temperature gives
    -inf, never NaN.
    """
    return (logits.float() - logits.max()) / max(temperature, 1e-30)


def _top(
    logits: Tensor, k: int, largest: tuple[Tensor, Tensor] | None
) -> tuple[np.ndarray, np.ndarray]:
    """(the ids of exactly k tokens, best first, ties by the lower id; their logits, float64)."""
    if largest is None or largest[0].shape[0] <= k:
        largest = logits.topk(min(k + 1, logits.shape[0]))
    # numpy: these are few, and torch takes longer to call
    values, ids = (tensor.numpy() for tensor in largest)
    if len(values) > k and values[k - 1] == values[k]:  # a tie at the cut
        whole = logits.numpy()
        lowest = values[k - 1]
        above = np.flatnonzero(whole > lowest)
        ids = np.concatenate([above, np.flatnonzero(whole == lowest)[: k - len(above)]])
        values = whole[ids]
    ids = ids[:k]
    values = values[:k]
    order = np.lexsort((ids, -values))
    return ids[order], values[order].astype(np.float64)


def _nucleus(p: np.ndarray, top_p: float) -> np.ndarray:
    """Ids of the smallest set of most likely tokens that reaches top_p, best first; ties go to the
    lower ids.
    """
    # All tokens below (1 - P) / V have a total mass of at most 1 - P, so none is in the nucleus;
    # halved for rounding.
    least = (1 - top_p) / (2 * len(p))
    floor = _SORTED_ABOVE
    while True:
        above = np.flatnonzero(p > floor)
        if floor <= least or p[above].sum(dtype=np.float64) > top_p + _ROUNDING:
            break
        floor = max(least, floor / 4)
    # The bit patterns of positive floats sort like the floats: one integer sort orders by
    # probability, then id.
    worst_first = (p[above].view(np.uint32).astype(np.uint64) << np.uint64(32)) | (
        _LAST_ID - above.astype(np.uint64)
    )
    worst_first.sort()
    ids = (_LAST_ID - (worst_first[::-1] & _LAST_ID)).astype(np.int64)
    return ids[: _count_to_reach(p[ids], top_p)]  # ties at the cut-off drop the higher ids


def _count_to_reach(probabilities: np.ndarray, top_p: float) -> int:
    """Counts how many of these probabilities, best first, it takes to reach top_p; the one that
    crosses it counts.
    """
    before = np.cumsum(probabilities, dtype=np.float64) - probabilities
    return max(1, int(np.count_nonzero(before < top_p)))


def uniform_number(generator: torch.Generator) -> float:
    """The random number of one token, in [0, 1)."""
    return torch.rand((), generator=generator, dtype=torch.float64).item()


def sample(choices: Candidates, uniform: float) -> int:
    """Samples one candidate by inverse transform sampling from a single uniform number in [0, 1);
    returns its index.

    Exactly one number is used for a token whatever the settings, so that strategies can be compared
    "with the same random numbers" and a text can be continued later.
    """
    if choices.ids.shape[0] == 1:
        return 0
    cumulative = np.cumsum(choices.probabilities.numpy(), dtype=np.float64)
    index = int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
    return min(index, len(cumulative) - 1)


@dataclass(frozen=True)
class Stage:
    """The distribution after one step of the pipeline."""

    name: str  # "softmax", "penalties", "temperature", "top-k", "top-p" or "min-p"
    probabilities: Tensor  # float32 [V]; 0 where a token has been cut
    n_candidates: int  # tokens left
    entropy: float  # bits
    mass_removed: float  # probability mass of the previous stage that was cut here


def stages(
    logits: Tensor, settings: SamplingSettings, penalised: Tensor | None = None
) -> list[Stage]:
    """Every stage of the pipeline that `candidates` computes, over the full vocabulary.

    Args:
        logits: float [V], the model's own.
        settings: of the strategy.
        penalised: the logits after `penalise`; adds a stage when they differ.
    """
    result = [_stage("softmax", logits.float().softmax(dim=0), 0.0)]
    if penalised is not None and not torch.equal(penalised, logits):
        result.append(_stage("penalties", penalised.float().softmax(dim=0), 0.0))
    adjusted = logits if penalised is None else penalised
    if settings.temperature == 0:
        greedy = torch.zeros_like(result[0].probabilities)
        greedy[adjusted.argmax()] = 1.0
        removed = 1.0 - float(result[-1].probabilities[adjusted.argmax()])
        return [*result, _stage("temperature", greedy, removed)]
    result.append(_stage("temperature", cooled(adjusted, settings.temperature).softmax(dim=0), 0.0))
    limits = SamplingSettings(temperature=settings.temperature)
    for name in ("top_k", "top_p", "min_p"):
        value = getattr(settings, name)
        if value in (None, CONTROLS[name].neutral):
            continue
        limits = replace(limits, **{name: value})
        left = candidates(adjusted, limits)
        before = result[-1].probabilities
        after = torch.zeros_like(before).index_put((left.ids,), left.probabilities)
        removed = max(0.0, 1.0 - float(before[left.ids].double().sum()))
        result.append(_stage(name.replace("_", "-"), after, removed))
    return result


def _stage(name: str, probabilities: Tensor, mass_removed: float) -> Stage:
    positive = probabilities[probabilities > 0].double()
    entropy = max(0.0, -float((positive * positive.log2()).sum()))
    return Stage(name, probabilities, len(positive), entropy, mass_removed)
