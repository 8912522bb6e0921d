"""Training and writing beside 0, 1, 2 and 4 busy processes: threads as they are chosen against each fixed number.

python tests/benchmarks/contended.py [--seconds 6]

Rounds take turns, so that a busy moment of the machine is nobody's. A share is that of the best fixed number.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

import gptcore
from gptcore import threads
from gptcore.config import GPTConfig
from gptcore.model import random_model
from gptcore.training import RepeatedSequences, StepEvent, Trainer, TrainingConfig

_BUSY = (0, 1, 2, 4)
_ROUNDS = 2


def _spin() -> None:
    while True:
        pass


@contextmanager
def beside(n: int) -> Iterator[None]:
    """n processes that compute all the time."""
    others = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(n)]
    for other in others:
        other.start()
    try:
        time.sleep(0.5)
        yield
    finally:
        for other in others:
            other.kill()
            other.join()


def training(seconds: float) -> float:
    """Tokens a second of the first preset's shape."""
    shape = GPTConfig(vocab_size=74, n_positions=64, n_embd=128, n_layer=4, n_head=4)
    data = RepeatedSequences(64, window=64, batch_size=32)
    config = TrainingConfig(max_steps=10**6, time_budget=seconds, batch_size=32)
    began, tokens = time.perf_counter(), 0
    for event in Trainer(random_model(shape, 1), config, data).events():
        if isinstance(event, StepEvent):
            tokens = event.n_tokens
    return tokens / (time.perf_counter() - began)


def writing(seconds: float) -> float:
    """Tokens a second of the mini, one text."""
    lm = gptcore.load()
    began, n = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        for _ in gptcore.generate(lm, "Once upon a time", max_new_tokens=50, seed=n):
            n += 1
    return n / (time.perf_counter() - began)


def measured(work: Callable[[float], float], seconds: float, n_threads: int | None) -> float:
    """The rate with a fixed number of threads, or as they are chosen."""
    most = torch.get_num_threads()
    if n_threads is None:
        return work(seconds)
    adapted = threads._capacity
    threads._capacity = threads.Capacity(idle=lambda: None)  # all that there are
    torch.set_num_threads(n_threads)
    try:
        return work(seconds)
    finally:
        torch.set_num_threads(most)
        threads._capacity = adapted


def main() -> None:
    """Prints one line for each kind of work and number of busy processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6.0, help="of each measurement")
    parser.add_argument("--only", choices=("training", "writing"), help="one kind of work")
    options = parser.parse_args()
    seconds = options.seconds
    most = torch.get_num_threads()
    print(f"{'':10}{'busy':>5}" + "".join(f"{n:>9} thr." for n in range(1, most + 1)) + f"{'chosen':>12}{'share':>8}")
    for work in (training, writing):
        if options.only not in (None, work.__name__):
            continue
        for n_busy in _BUSY:
            found: dict[int | None, list[float]] = {}
            with beside(n_busy):
                for _ in range(_ROUNDS):
                    for n_threads in (*range(1, most + 1), None):
                        found.setdefault(n_threads, []).append(measured(work, seconds, n_threads))
            rates = {n_threads: statistics.fmean(rate) for n_threads, rate in found.items()}
            fixed = [rates[n] for n in range(1, most + 1)]
            line = f"{work.__name__:10}{n_busy:>5}" + "".join(f"{rate:>14,.0f}" for rate in fixed)
            print(f"{line}{rates[None]:>12,.0f}{rates[None] / max(fixed):>8.2f}", flush=True)


if __name__ == "__main__":
    main()
