"""Sampling from logits: pure functions, one explicit random generator, and every stage inspectable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from gptcore.errors import SamplingError

# Without a cut, only tokens above this probability are sorted; there are at most 1,000 of them.
_SORTED_ABOVE = 1e-3
_LAST_ID = np.uint64(0xFFFFFFFF)
_ROUNDING = 1e-6  # of a sum of probabilities


@dataclass(frozen=True)
class Control:
    """User-interface metadata of a sampling option.

    Attributes:
        title: what it is called.
        hint: what it does, in a few words.
        help: the same as a sentence, for programs.
        low, high, step: the slider's range and step; a step of 1 means whole numbers.
        neutral: the value that changes nothing.
        allowed: minimum and maximum accepted values; None means the size of the vocabulary.
    """

    title: str
    hint: str
    help: str
    low: float
    high: float
    step: float
    neutral: float
    allowed: tuple[float, float | None]

    @property
    def is_whole(self) -> bool:
        """Whether it takes whole numbers only."""
        return self.step == 1


# By their names in SamplingSettings; sliders, links, strategies and endpoints are made from these.
CONTROLS: dict[str, Control] = {
    "temperature": Control(
        "Temperature", "0: greedy", "0 always takes the most likely token.", 0, 2, 0.05, 1.0, (0, 100)
    ),
    "top_k": Control(
        "Top-k", "k likeliest; 0: off", "keep the k most likely tokens; 0 is off.", 0, 200, 1, 0, (0, None)
    ),
    "top_p": Control(
        "Top-p",
        "smallest set reaching p; 1: off",
        "keep the smallest set of most likely tokens that reaches this probability; 1 is off.",
        0.01, 1, 0.01, 1.0, (0, 1),
    ),
    "min_p": Control(
        "Min-p",
        "share of the top probability; 0: off",
        "drop tokens below this share of the most likely one; 0 is off.",
        0, 1, 0.01, 0.0, (0, 1),
    ),
    "repetition_penalty": Control("Repetition penalty", "penalty; 1: off", "1 is off.", 1, 2, 0.01, 1.0, (0.1, 10)),
    "no_repeat_ngram_size": Control(
        "No-repeat n-grams", "0 is off", "no n tokens in a row twice; 0 is off.", 0, 6, 1, 0, (0, 20)
    ),
    "min_new_tokens": Control(
        "Minimum length",
        "minimum new tokens",
        "minimum new tokens before the text may end.",
        0, 200, 1, 0, (0, 100_000),
    ),
}  # fmt: skip

# Further cut-offs, for programs: three more sliders would explain less than they cost. By name, as above.
CUT_OFFS: dict[str, Control] = {
    "typical_p": Control(
        "Typical-p", "mass of typical tokens; 1: off",
        "keep the tokens whose surprise is nearest to the expected one until they reach this probability; 1 is off.",
        0.01, 1, 0.01, 1.0, (0, 1),
    ),
    "epsilon_cutoff": Control(
        "Epsilon cut-off", "least probability; 0: off", "drop tokens below this probability; 0 is off.",
        0, 0.1, 0.0001, 0.0, (0, 0.999),
    ),
    "eta_cutoff": Control(
        "Eta cut-off", "least probability, less where unsure; 0: off",
        "drop tokens below this probability, or below a smaller one where the model is unsure; 0 is off.",
        0, 0.1, 0.0001, 0.0, (0, 0.999),
    ),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """The controls of one strategy, applied in this order. Raises SamplingError outside the stated ranges.

    Args:
        repetition_penalty: > 0; logits of tokens already present are divided by it when positive, multiplied
            when negative. 1 is off. Source: CTRL paper (Keskar et al., 2019), section 4.1, as transformers does it.
        no_repeat_ngram_size: no n tokens in a row occur twice; 0 is off.
        min_new_tokens: the end-of-text token is impossible before this many new tokens.
        temperature: >= 0; logits are divided by it. 0 takes the most likely token.
        top_k: keep exactly this many of the most likely tokens; None or 0 is off.
        top_p: in (0, 1]; keep the smallest set of most likely tokens whose probabilities, renormalised after
            top_k, reach it; the token that crosses it stays. None or 1 is off.
        min_p: in [0, 1]; drop tokens less likely than this share of the most likely one. None or 0 is off.
        typical_p: in (0, 1]; keep the tokens whose surprise is nearest to the entropy until their probabilities
            reach it. None or 1 is off. Source: Meister et al. 2022, "Locally Typical Sampling".
        epsilon_cutoff: in [0, 1); drop tokens less likely than this. None or 0 is off. Source: Hewitt et al. 2022,
            "Truncation Sampling as Language Model Desmoothing", as the next.
        eta_cutoff: in [0, 1); as epsilon_cutoff, but min(eta, sqrt(eta) * exp(-entropy)).
        bad_words_ids: sequences of ids that may not occur; the last of one is impossible after the others.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float = 1.0
    no_repeat_ngram_size: int = 0
    min_new_tokens: int = 0
    typical_p: float | None = None
    epsilon_cutoff: float | None = None
    eta_cutoff: float | None = None
    bad_words_ids: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        _check_number("temperature", self.temperature, "0 or more", lambda v: v >= 0)
        _check_number("repetition_penalty", self.repetition_penalty, "more than 0", lambda v: v > 0)
        if self.top_p is not None:
            _check_number("top_p", self.top_p, "more than 0 and at most 1", lambda v: 0 < v <= 1)
        if self.min_p is not None:
            _check_number("min_p", self.min_p, "between 0 and 1", lambda v: 0 <= v <= 1)
        if self.typical_p is not None:
            _check_number("typical_p", self.typical_p, "more than 0 and at most 1", lambda v: 0 < v <= 1)
        for name in ("epsilon_cutoff", "eta_cutoff"):
            if getattr(self, name) is not None:
                _check_number(name, getattr(self, name), "0 or more, and less than 1", lambda v: 0 <= v < 1)
        for name in ("top_k", "no_repeat_ngram_size", "min_new_tokens"):
            value = getattr(self, name)
            if value is None and name == "top_k":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise SamplingError(f"{name} is {value!r}; it must be a whole number, 0 (off) or more.")

    @property
    def cuts_further(self) -> bool:
        """Whether a cut-off of CUT_OFFS is on."""
        return self.typical_p not in (None, 1) or bool(self.epsilon_cutoff) or bool(self.eta_cutoff)

    def on_controls(self) -> dict[str, float]:
        """The values keyed by the names in CONTROLS, with disabled options at their neutral value."""
        given = {name: getattr(self, name) for name in CONTROLS}
        return {name: CONTROLS[name].neutral if value is None else value for name, value in given.items()}

    def within(self, vocab_size: int) -> SamplingSettings:
        """The same settings for a smaller vocabulary: top-k is clamped to its size."""
        return self if self.top_k is None or self.top_k <= vocab_size else replace(self, top_k=vocab_size)

    def check_vocabulary(self, vocab_size: int) -> None:
        """Raises SamplingError when top_k exceeds the vocabulary."""
        if self.top_k is not None and self.top_k > vocab_size:
            least = f"Choose 1 to {vocab_size:,}, or 0 for all."
            raise SamplingError(f"Top-k is {self.top_k}; this model has {vocab_size:,} tokens. {least}")


def _check_number(name: str, value: object, allowed: str, holds) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300 or not holds(value):
        raise SamplingError(f"{name} is {value!r}; it must be a number, {allowed}.")


@dataclass(frozen=True)
class Candidates:
    """The tokens that may come next.

    Attributes:
        ids: int64 [N], the most likely first (an uncut distribution is sorted only in its upper part).
        probabilities: float32 [N], renormalised to sum to 1.
    """

    ids: Tensor
    probabilities: Tensor


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
        logits = logits.index_put((seen,), torch.where(values > 0, values / penalty, values * penalty))
    banned = struck_out(settings, token_ids, n_new=n_new, end_id=end_id, without_token=without_token)
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
    found = dict.fromkeys(without_token, "no token")
    found |= dict.fromkeys(
        _completions_of_repeated_ngrams(token_ids, settings.no_repeat_ngram_size), "no_repeat_ngram_size"
    )
    found |= {one[-1]: "bad_words_ids" for one in settings.bad_words_ids if one and ends_with(token_ids, one[:-1])}
    if end_id is not None and n_new < settings.min_new_tokens:
        found[end_id] = "min_new_tokens"
    return found


def ends_with(ids: Sequence[int], last: Sequence[int]) -> bool:
    """Whether these are the last ids; no ids are the last of any."""
    return len(last) <= len(ids) and list(ids[len(ids) - len(last) :]) == list(last)


def _completions_of_repeated_ngrams(token_ids: Sequence[int], size: int) -> set[int]:
    """Tokens that would complete an n-gram which has occurred before."""
    if size == 0 or len(token_ids) < size:
        return set()
    ids = list(token_ids)
    prefix = ids[len(ids) - size + 1 :]
    return {ids[i + size - 1] for i in range(len(ids) - size + 1) if ids[i : i + size - 1] == prefix}


def candidates(
    logits: Tensor, settings: SamplingSettings, *, largest: tuple[Tensor, Tensor] | None = None
) -> Candidates:
    """The tokens left after temperature, top-k, top-p, min-p and the further cut-offs, exact over the vocabulary.

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
            ids, probabilities = ids[:n_kept], probabilities[:n_kept]
    else:
        everything = _cooled(logits, settings.temperature).softmax(dim=0).numpy()
        if top_p < 1:
            ids = _nucleus(everything, top_p)
        else:
            likely = everything > _SORTED_ABOVE
            upper = likely.nonzero()[0]
            ids = np.concatenate([upper[np.argsort(-everything[upper], kind="stable")], (~likely).nonzero()[0]])
        probabilities = everything[ids]
    if settings.min_p:
        kept = probabilities >= settings.min_p * probabilities.max()
        ids, probabilities = ids[kept], probabilities[kept]
    if settings.cuts_further:
        ids, probabilities = _cut_further(ids, probabilities, settings)
    return Candidates(torch.from_numpy(ids), torch.from_numpy((probabilities / probabilities.sum()).astype(np.float32)))


def _cut_further(
    ids: np.ndarray, probabilities: np.ndarray, settings: SamplingSettings
) -> tuple[np.ndarray, np.ndarray]:
    """The ids and probabilities that CUT_OFFS leave, in their order; after each the rest is renormalised."""
    p = probabilities.astype(np.float64)
    p = p / p.sum()
    if settings.typical_p not in (None, 1):
        distance = np.abs(_surprise(p) - _entropy(p))
        typical = np.argsort(distance, kind="stable")
        last = distance[typical[_count_to_reach(p[typical], settings.typical_p) - 1]]
        ids, p = _kept(ids, p, distance <= last)
    if settings.epsilon_cutoff:
        ids, p = _kept(ids, p, p >= settings.epsilon_cutoff)
    if settings.eta_cutoff:
        ids, p = _kept(ids, p, p >= min(settings.eta_cutoff, math.sqrt(settings.eta_cutoff) * math.exp(-_entropy(p))))
    return ids, p


def _kept(ids: np.ndarray, p: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those that are kept, or else the most likely one."""
    kept = kept if kept.any() else p == p.max()
    return ids[kept], p[kept] / p[kept].sum()


def _surprise(p: np.ndarray) -> np.ndarray:
    return -np.log(np.maximum(p, 1e-300))  # nats


def _entropy(p: np.ndarray) -> float:
    return float((p * _surprise(p)).sum())  # nats


def _cooled(logits: Tensor, temperature: float) -> Tensor:
    """Logits divided by temperature, shifted to a maximum of 0, so that a tiny temperature gives -inf, never NaN."""
    return (logits.float() - logits.max()) / max(temperature, 1e-30)


def _top(logits: Tensor, k: int, largest: tuple[Tensor, Tensor] | None) -> tuple[np.ndarray, np.ndarray]:
    """(the ids of exactly k tokens, best first, ties by the lower id; their logits, float64)."""
    if largest is None or largest[0].shape[0] <= k:
        largest = logits.topk(min(k + 1, logits.shape[0]))
    values, ids = (tensor.numpy() for tensor in largest)  # numpy: these are few, and torch takes longer to call
    if len(values) > k and values[k - 1] == values[k]:  # a tie at the cut
        whole, lowest = logits.numpy(), values[k - 1]
        above = np.flatnonzero(whole > lowest)
        ids = np.concatenate([above, np.flatnonzero(whole == lowest)[: k - len(above)]])
        values = whole[ids]
    ids, values = ids[:k], values[:k]
    order = np.lexsort((ids, -values))
    return ids[order], values[order].astype(np.float64)


def _nucleus(p: np.ndarray, top_p: float) -> np.ndarray:
    """Ids of the smallest set of most likely tokens that reaches top_p, best first; ties go to the lower ids."""
    # All tokens below (1 - P) / V have a total mass of at most 1 - P, so none is in the nucleus; halved for rounding.
    least, floor = (1 - top_p) / (2 * len(p)), _SORTED_ABOVE
    while True:
        found = np.flatnonzero(p > floor)
        if floor <= least or p[found].sum(dtype=np.float64) > top_p + _ROUNDING:
            break
        floor = max(least, floor / 4)
    # The bit patterns of positive floats sort like the floats: one integer sort orders by probability, then id.
    worst_first = (p[found].view(np.uint32).astype(np.uint64) << np.uint64(32)) | (_LAST_ID - found.astype(np.uint64))
    worst_first.sort()
    ids = (_LAST_ID - (worst_first[::-1] & _LAST_ID)).astype(np.int64)
    return ids[: _count_to_reach(p[ids], top_p)]  # ties at the cut-off drop the higher ids


def _count_to_reach(probabilities: np.ndarray, top_p: float) -> int:
    """How many of these, best first, it takes to reach top_p; the one that crosses it counts."""
    before = np.cumsum(probabilities, dtype=np.float64) - probabilities
    return max(1, int(np.count_nonzero(before < top_p)))


def uniform_number(generator: torch.Generator) -> float:
    """The random number of one token, in [0, 1)."""
    return torch.rand((), generator=generator, dtype=torch.float64).item()


def sample(choices: Candidates, uniform: float) -> int:
    """Samples one candidate by inverse transform sampling from a single uniform number in [0, 1); returns its index.

    Exactly one number is used for a token whatever the settings, so that strategies can be compared "with the same
    random numbers" and a text can be continued later.
    """
    if choices.ids.shape[0] == 1:
        return 0
    cumulative = np.cumsum(choices.probabilities.numpy(), dtype=np.float64)
    place = int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
    return min(place, len(cumulative) - 1)


@dataclass(frozen=True)
class Stage:
    """The distribution after one step of the pipeline.

    Attributes:
        name: "softmax", "penalties", "temperature", "top-k", "top-p", "min-p", "typical-p", "epsilon" or "eta".
        probabilities: float32 [V]; 0 where a token has been cut.
        n_candidates: tokens left.
        entropy: bits.
        mass_removed: probability mass of the previous stage that was cut here.
    """

    name: str
    probabilities: Tensor
    n_candidates: int
    entropy: float
    mass_removed: float


def stages(logits: Tensor, settings: SamplingSettings, penalised: Tensor | None = None) -> list[Stage]:
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
    result.append(_stage("temperature", _cooled(adjusted, settings.temperature).softmax(dim=0), 0.0))
    limits = [
        ("top-k", {"top_k": settings.top_k}, bool(settings.top_k)),
        ("top-p", {"top_p": settings.top_p}, settings.top_p is not None and settings.top_p < 1),
        ("min-p", {"min_p": settings.min_p}, bool(settings.min_p)),
        ("typical-p", {"typical_p": settings.typical_p}, settings.typical_p not in (None, 1)),
        ("epsilon", {"epsilon_cutoff": settings.epsilon_cutoff}, bool(settings.epsilon_cutoff)),
        ("eta", {"eta_cutoff": settings.eta_cutoff}, bool(settings.eta_cutoff)),
    ]
    limit: dict[str, float | int | None] = {}
    for name, more, active in limits:
        if not active:
            continue
        limit |= more
        left = candidates(adjusted, SamplingSettings(temperature=settings.temperature, **limit))  # type: ignore[arg-type]
        before = result[-1].probabilities
        after = torch.zeros_like(before).index_put((left.ids,), left.probabilities)
        result.append(_stage(name, after, max(0.0, 1.0 - float(before[left.ids].double().sum()))))
    return result


def _stage(name: str, probabilities: Tensor, mass_removed: float) -> Stage:
    positive = probabilities[probabilities > 0].double()
    entropy = max(0.0, -float((positive * positive.log2()).sum()))
    return Stage(name, probabilities, len(positive), entropy, mass_removed)
