"""How many visitors a machine serves: a model of the queue, fitted to visitors who write in an app of its own.

    python tests/benchmarks/capacity.py [--seconds 20]

What the model is, how well it agrees with visitors, and what follows from it: capacity.md.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [
    str(TESTS.parent),
    str(TESTS),
    str(TESTS / "benchmarks"),
    str(TESTS / "tools" / "load"),
]  # from anywhere

import numpy as np
from page import Served, served
from trial import N_TOKENS, Trial, writer
from wire import visit

REST = 1.5  # seconds for which a visitor of the trial reads what was written
MOST_ROWS = 32  # texts in one step, as in the app
FITTED, PREDICTED = (1, 5, 20), (10,)  # visitors who write at the same time
CORES = 2  # that a process of the app makes use of


@dataclass(frozen=True)
class Seen:
    """What some visitors saw: mean seconds for a text, and texts a second of all of them."""

    n_visitors: int
    seconds: float
    rate: float

    @property
    def n_written(self) -> float:
        """Texts in progress, on average (Little 1961)."""
        return self.rate * self.seconds


def fitted(seen: Sequence[Seen]) -> tuple[float, float]:
    """(a, b): a token of each of n texts takes a + b n seconds, by least relative squares."""
    texts = np.array([max(1.0, one.n_written) for one in seen])
    tokens = np.array([one.seconds / N_TOKENS for one in seen])
    b, a = np.polyfit(texts, tokens, 1, w=1 / tokens)
    return max(0.0, float(a)), float(b)


def waiting(n_visitors: int, step: Callable[[int], float], *, share: float = 1.0, rest: float = REST) -> Seen:
    """What visitors see who ask, wait, read and ask again.

    A birth and death process in the number of texts being written: each of the others asks after `rest` seconds on
    average, and the texts are written together, with `share` of the time.

    Args:
        n_visitors: at least 1.
        step: seconds of a token for each of so many texts.
        share: of the computing time, for writing.
        rest: seconds between a text and the next question; above 0.
    """
    odds = [0.0]  # logarithms, since they grow beyond what a float holds
    for n in range(1, n_visitors + 1):
        rows = min(n, MOST_ROWS)
        finished = share * rows / step(rows) / N_TOKENS  # texts a second
        odds.append(odds[-1] + math.log((n_visitors - n + 1) / rest / finished))
    chances = np.exp(np.array(odds) - max(odds))
    chances /= chances.sum()
    n_written = float(chances @ np.arange(n_visitors + 1))
    rate = (n_visitors - n_written) / rest
    return Seen(n_visitors, n_written / rate, rate)


def most_visitors(step: Callable[[int], float], *, share: float, seconds: float) -> int:
    """The most visitors for whom a text takes so many seconds on average; 0 if one alone waits longer."""
    most = 0
    while waiting(most + 1, step, share=share).seconds <= seconds:
        most += 1
    return most


async def watched(server: Served, n_visitors: int, seconds: float) -> Seen:
    """Lets so many visitors write for a while."""
    trial = Trial(server.address, server.process, seconds)
    async with trial.client() as client:
        page = (await visit(client)).page
    trial.until += 1.0
    await asyncio.gather(*(writer(trial, page, seed) for seed in range(n_visitors)))
    took = statistics.fmean(trial.took["a text of 102 tokens, done"])
    return Seen(n_visitors, took, n_visitors / (took + REST))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each number of visitors")
    options = parser.parse_args()
    with served("app.py", "--profile", "space") as server:
        seen = {
            n: asyncio.run(watched(server, n, options.seconds)) for n in (PREDICTED[0], *sorted(FITTED + PREDICTED))
        }
    a, b = fitted([seen[n] for n in FITTED])

    def step(n_texts: int) -> float:
        return a + b * n_texts

    print(f"a token of each of n texts takes {1e3 * a:.1f} + {1e3 * b:.1f} n ms as served")
    for n in sorted(seen):
        what = "fitted" if n in FITTED else "not fitted"
        by_model = waiting(n, step).seconds
        print(f"  {n:>3} who write: {seen[n].seconds:5.2f} s a text, by the model {by_model:5.2f}   {what}")
    print("  cores  processes   texts within 2 s   within 8 s   within 8 s beside runs")
    for cores in (2, 16, 64):
        each = cores // CORES
        found = [
            each * most_visitors(step, share=share, seconds=limit) for share, limit in ((1, 2.0), (1, 8.0), (0.5, 8.0))
        ]
        print(f"  {cores:>5} {each:>10} {found[0]:>18,} {found[1]:>12,} {found[2]:>24,}")


if __name__ == "__main__":
    main()
