"""Answer metrics, and confidence intervals for their mean."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from gptcore.formatting import percent
from gptcore.zero_shot.templates import alike, normalised

_Z = 1.959964  # of a 95% interval
_FEW = 50  # items


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95% confidence interval."""

    mean: float
    low: float
    high: float


def reached(score: float, n_items: int) -> str:
    """Formats a mean score for display: a percentage, or "6 of 9" for so few items that a
    percentage misleads.
    """
    right = round(score * n_items)
    few = n_items < _FEW and math.isclose(right, score * n_items, abs_tol=0.01)
    return f"{right} of {n_items}" if few else percent(score)


def estimate(scores: Sequence[float]) -> Estimate:
    """The mean of scores from 0 to 1.

    The interval is Wilson's where every score is right or wrong, which stays within 0 and 1 and
    holds for few items; else the normal one. Raises ValueError for no scores.
    """
    n = len(scores)
    mean = statistics.fmean(scores)
    if all(score in (0.0, 1.0) for score in scores):
        centre = (mean + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z * math.sqrt(mean * (1 - mean) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
        return Estimate(mean, max(0.0, centre - half), min(1.0, centre + half))
    half = _Z * (statistics.stdev(scores) if n > 1 else 1.0) / math.sqrt(n)
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half))


@dataclass(frozen=True)
class Change(Estimate):
    """A mean difference of paired scores with its 95% interval, and whether it is significant at
    the 5% level.
    """

    is_clear: bool


def difference(before: Sequence[float], after: Sequence[float]) -> Change:
    """Estimates how much better the second scores are on the same items, from -1 to 1.

    Where every score is right or wrong, the interval is Newcombe's for paired proportions (1998,
    method 10), and the difference is clear if McNemar's exact test gives p < 0.05; else both are
    Student's.
    """
    changes = [b - a for a, b in zip(before, after, strict=True)]
    mean = statistics.fmean(changes)
    n = len(changes)
    if all(score in (0.0, 1.0) for score in (*before, *after)):
        gained = changes.count(1)
        lost = changes.count(-1)
        p = (
            2
            * sum(math.comb(gained + lost, k) for k in range(min(gained, lost) + 1))
            / 2 ** (gained + lost)
        )
        return Change(mean, *_paired_interval(before, after), p < 0.05)
    half = _student(n - 1) * statistics.stdev(changes) / math.sqrt(n) if n > 1 else 1.0
    low = max(-1.0, mean - half)
    high = min(1.0, mean + half)
    return Change(mean, low, high, n > 1 and not low <= 0 <= high)


def _paired_interval(before: Sequence[float], after: Sequence[float]) -> tuple[float, float]:
    """Newcombe's interval of a difference of paired proportions, from Wilson's of both and their
    correlation.
    """
    n = len(before)
    a = estimate(before)
    b = estimate(after)
    both = sum(item and other for item, other in zip(before, after, strict=True)) / n
    spread = math.sqrt(a.mean * (1 - a.mean) * b.mean * (1 - b.mean))
    correlation = (both - a.mean * b.mean) / spread if spread else 0.0

    def reach(down: float, up: float) -> float:
        return math.sqrt(max(0.0, down**2 - 2 * correlation * down * up + up**2))

    mean = b.mean - a.mean
    low = mean - reach(b.mean - b.low, a.high - a.mean)
    high = mean + reach(b.high - b.mean, a.mean - a.low)
    return max(-1.0, low), min(1.0, high)


def _student(freedom: int) -> float:
    """The 97.5% quantile of Student's distribution, to 1% from 3 degrees of freedom on, larger ones
    for 1 and 2.

    Source: Abramowitz and Stegun 1964, 26.7.5.
    """
    if freedom < 3:
        return (12.71, 4.31)[freedom - 1]
    z = _Z
    v = freedom
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / v**power for power, term in enumerate(terms, start=1))


def exact_match(expected: str, answer: str, *, articles: bool = False) -> float:
    """1 where the answer is the expected one, case and outer punctuation aside, and English
    articles unless they count.

    In another language they do: French "a" is a verb.
    """
    return float(normalised(answer, articles=articles) == normalised(expected, articles=articles))


def tells(people: Sequence[str], event: Sequence[str], answer: str) -> float:
    """1 where an answer names all of these people, and has a word that begins with one of those of
    the event.
    """
    padded = f" {_plain(answer)} "
    named = all(f" {_plain(name)} " in padded for name in people)
    return float(named and any(f" {_plain(word)}" in padded for word in event if _plain(word)))


# Scripts without spaces between words: there every sign counts as one.
_SIGNS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
# Elsewhere a word is letters and digits, with the marks and joiners between them.
_WORD = regex.compile(
    rf"[{_SIGNS}]\p{{M}}*|[[\p{{L}}\p{{N}}\p{{M}}_\u200c\u200d]--[{_SIGNS}]]+", regex.V1
)


def _plain(text: str) -> str:
    """The words alone, as `alike` writes them."""
    return " ".join(_WORD.findall(alike(text)))


def rouge(expected: str, answer: str) -> float:
    """ROUGE-L, 0 to 1: the F1 of two texts' longest common subsequence of words. As Lin 2004
    defines it, on lower-cased words without stemming.
    """
    a = _plain(expected).split()
    b = _plain(answer).split()
    # how long the longest common subsequence of what was read and each beginning of b is
    row = [0] * (len(b) + 1)
    for word in a:
        diagonal = 0
        for index, other in enumerate(b, start=1):
            diagonal, row[index] = (
                row[index],
                diagonal + 1 if word == other else max(row[index], row[index - 1]),
            )
    return 2 * row[-1] / (len(a) + len(b)) if row[-1] else 0.0
