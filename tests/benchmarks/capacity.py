"""How many visitors a machine serves: a model of the queue, fitted to steps that are measured here.

    python tests/benchmarks/capacity.py [--rounds 5]

What the model is, how well it agrees with visitors, and what follows from it: capacity.md.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a script, from anywhere

import numpy as np
import torch

import gptcore
from gptcore.inference.generation import continue_together
from gptcore.inference.sampling import SamplingSettings
from gptcore.inference.sequence import TokenSequence

TOKENS, REST = 102, 1.5  # of a text; seconds for which a visitor reads before the next one
MOST_ROWS = 32  # texts in one step, as in the app
BATCHES = (1, 2, 4, 8, 16)
SERVED = 0.87  # what a client gets of bare `generate`, from page.py
SHAPE = "GPT-2 small's shape"


@dataclass(frozen=True)
class Step:
    """Seconds of one token for each of B texts: begin + text * B of the model, all cores together; choice * B by one.

    Attributes:
        begin: of the model, however many texts.
        text: of the model for each text.
        choice: of choosing a token, in Python.
        cores: with which the model's part was measured.
    """

    begin: float
    text: float
    choice: float
    cores: int

    def seconds(self, n_texts: int, cores: int) -> float:
        """Of one step, if the model's part were shared by so many cores without loss."""
        return (self.begin + self.text * n_texts) * self.cores / cores + self.choice * n_texts


def waiting(n_visitors: int, step: Callable[[int], float], *, share: float, rest: float = REST) -> tuple[float, float]:
    """(mean seconds for a text, texts a second) where visitors ask, wait, read and ask again.

    A birth and death process in the number of texts being written: each of the others asks after `rest` seconds on
    average, and the texts are written together, with `share` of the time.

    Args:
        n_visitors: at least 1.
        step: seconds of a step for so many texts.
        share: of the computing time, for writing.
        rest: seconds between a text and the next question; above 0.
    """
    odds = [0.0]  # logarithms, since they grow beyond what a float holds
    for n in range(1, n_visitors + 1):
        rows = min(n, MOST_ROWS)
        finished = share * rows / step(rows) / TOKENS  # texts a second
        odds.append(odds[-1] + math.log((n_visitors - n + 1) / rest / finished))
    chances = np.exp(np.array(odds) - max(odds))
    chances /= chances.sum()
    n_written = float(chances @ np.arange(n_visitors + 1))
    rate = (n_visitors - n_written) / rest
    return n_written / rate, rate


def most_visitors(step: Callable[[int], float], *, share: float, seconds: float) -> int:
    """The most visitors for whom a text takes so many seconds on average; 0 if one alone waits longer."""
    most = 0
    while waiting(most + 1, step, share=share)[0] <= seconds:
        most += 1
    return most


def measured(model: gptcore.GPT, rounds: int, n_tokens: int) -> Step:
    """A step of this machine, from texts in batches: their time, and that of choosing alone."""
    settings = SamplingSettings(temperature=0.8, top_k=50, top_p=0.95)
    spent = {"choosing": 0.0}

    class Timed(TokenSequence):
        def choose(self, logits, *, is_last):
            began = time.perf_counter()
            chosen = super().choose(logits, is_last=is_last)
            spent["choosing"] += time.perf_counter() - began
            return chosen

    steps, choices = [], []
    for n_texts in BATCHES:
        once, of_choice = [], []
        for _ in range(rounds + 1):
            texts = [Timed([1, 2, 3, 4], settings, seed=seed) for seed in range(n_texts)]
            tokens = continue_together(model, texts, max_new_tokens=n_tokens)
            for _ in range(n_texts):  # the first of each, after reading
                next(tokens)
            spent["choosing"], began = 0.0, time.perf_counter()
            n_made = sum(1 for _ in tokens)
            once.append((time.perf_counter() - began) * n_texts / n_made)
            of_choice.append(spent["choosing"] / n_made)
        steps.append(statistics.median(once[1:]))
        choices.append(statistics.median(of_choice[1:]))
    choice = statistics.median(choices)
    rest = np.array(steps) - np.array(BATCHES) * np.array(choices)
    text, begin = np.polyfit(BATCHES, rest, 1, w=1 / rest)
    return Step(max(0.0, float(begin)), max(0.0, float(text)), choice, torch.get_num_threads())


def told(name: str, step: Step) -> None:
    """Prints the fit, and what follows from it."""
    print(
        f"\n{name}: a step of B texts takes {1e3 * step.begin:.2f} + {1e3 * step.text:.2f} B ms of the model on "
        f"{step.cores} cores, and {1e3 * step.choice:.2f} B ms of choosing"
    )

    def served(cores: int) -> Callable[[int], float]:
        return lambda n: step.seconds(n, cores) / SERVED

    here = served(step.cores)
    for n in (10, 20, 50):
        alone, beside = (waiting(n, here, share=share) for share in (1.0, 0.5))
        print(f"  {n} who write: a text takes {alone[0]:.2f} s; beside a run {beside[0]:.2f} s", flush=True)
    print("     cores  processes   texts within 2 s   within 8 s   within 8 s, beside runs")
    for cores in (2, 16, 64):
        for processes in sorted({1, max(1, cores // 2)}):
            each = served(cores // processes)
            found = [
                processes * most_visitors(each, share=share, seconds=seconds)
                for share, seconds in ((1.0, 2.0), (1.0, 8.0), (0.5, 8.0))
            ]
            print(f"  {cores:>8} {processes:>10} {found[0]:>18,} {found[1]:>12,} {found[2]:>25,}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"texts of {TOKENS} tokens, {REST} s of reading between them")
    told("mini", measured(gptcore.load("mini").model, options.rounds, 60))
    told(SHAPE, measured(gptcore.GPT(gptcore.GPTConfig.from_preset("gpt2")).eval(), options.rounds, 12))


if __name__ == "__main__":
    main()
