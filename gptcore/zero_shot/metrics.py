"""Answer metrics, and confidence intervals for their mean."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gptcore.zero_shot.templates import normalised

_Z = 1.959964  # of a 95% interval
_FEW = 50  # items


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95% confidence interval."""

    mean: float
    low: float
    high: float


def percent(share: float) -> str:
    """Formats a share from 0 to 1 for display: "67%", or "99.5%" where rounding would make it all or nothing."""
    for digits in (0, 1, 2):
        shown = f"{100 * share:.{digits}f}"
        if float(shown) not in (0.0, 100.0) or share in (0.0, 1.0):
            return f"{shown}%"
    return "<0.01%" if share < 0.5 else ">99.99%"


def reached(score: float, n_items: int) -> str:
    """Formats a mean score for display: a percentage, or "6 of 9" for so few items that a percentage misleads."""
    right = round(score * n_items)
    few = n_items < _FEW and math.isclose(right, score * n_items, abs_tol=0.01)
    return f"{right} of {n_items}" if few else percent(score)


def estimate(scores: Sequence[float]) -> Estimate:
    """The mean of scores from 0 to 1.

    The interval is Wilson's where every score is right or wrong, which stays within 0 and 1 and holds for few items;
    else the normal one. Raises ValueError for no scores.
    """
    n, mean = len(scores), statistics.fmean(scores)
    if all(score in (0.0, 1.0) for score in scores):
        centre = (mean + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z * math.sqrt(mean * (1 - mean) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
        return Estimate(mean, max(0.0, centre - half), min(1.0, centre + half))
    half = _Z * (statistics.stdev(scores) if n > 1 else 1.0) / math.sqrt(n)
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half))


def difference(before: Sequence[float], after: Sequence[float]) -> Estimate:
    """How much better the second scores are on the same items, from -1 to 1, with the interval of paired scores."""
    changes = [b - a for a, b in zip(before, after, strict=True)]
    mean = statistics.fmean(changes)
    half = _Z * statistics.stdev(changes) / math.sqrt(len(changes)) if len(changes) > 1 else 1.0
    return Estimate(mean, max(-1.0, mean - half), min(1.0, mean + half))


def exact_match(expected: str, answer: str) -> float:
    """1 where the answer is the expected one, case, articles and outer punctuation aside."""
    return float(normalised(answer) == normalised(expected))


def tells(people: Sequence[str], event: Sequence[str], answer: str) -> float:
    """1 where an answer names all of these people and has at least one of the words of the event."""
    said = f" {_plain(answer)} "
    named = all(f" {_plain(name)} " in said for name in people)
    return float(named and any(_plain(word) in said for word in event))


def _plain(text: str) -> str:
    """The words alone, in lower case."""
    return " ".join(re.findall(r"\w+", text.lower()))


def rouge(expected: str, answer: str, *, longest: bool = True) -> float:
    """F1 of what two texts share, 0 to 1: ROUGE-L, their longest common subsequence of words, or ROUGE-1, their words.

    As Lin 2004 defines them, on lower-cased words without stemming.
    """
    a, b = normalised(expected).split(), normalised(answer).split()
    shared = _common_subsequence(a, b) if longest else sum((Counter(a) & Counter(b)).values())
    return 2 * shared / (len(a) + len(b)) if shared else 0.0


def _common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    row = [0] * (len(b) + 1)
    for word in a:
        diagonal = 0
        for place, other in enumerate(b, start=1):
            diagonal, row[place] = row[place], diagonal + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]
