"""How many threads a computation uses: chosen by measuring while it runs, and given back when it is done."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import torch

# On a busy machine the threads of one product wait for the slowest of them; fewer are then faster. What counts is the
# mean over a while: beside a page that draws each update, most steps are fast, and some wait long.
_SPELL_STEPS, _SPELL_SECONDS = 3, 0.1  # at least, between two looks
_FIRST_WAIT, _LONGEST_WAIT = 8, 128  # spells
_SLOWED_DOWN = 1.15
_CLEARLY_FASTER = 0.95


class ThreadGovernor:
    """Chooses the thread count of each step: tries another one now and then, and stays if it is faster.

    A trial lasts a tenth of a second, three steps at least. What was in use is measured before it and, where the trial
    was faster, once more after it: else one moment at which the machine was busy would decide for a second. After a
    trial that lost, the next waits twice as long, unless steps become clearly slower than they were, which is what
    another process on the same cores looks like.

    One governor serves one sequence of steps; `found` is shared by those of one model, so that the next starts with
    what the last one knew.

    Args:
        found: what was found so far, if anything: the best count, the seconds that a step then took, and when to try
            again.
    """

    def __init__(self, found: dict[str, float]) -> None:
        most = torch.get_num_threads()
        self._found = found
        self._counts = sorted({1, most} | {2**power for power in range(1, 8) if 2**power < most})
        start = int(found.get("threads", most))
        self._current = self._using = self._counts.index(start if start in self._counts else most)
        self._direction = -1
        self._wait = found.get("wait", 1)  # spells from one trial to the next
        self._spells = found.get("spells", 0)  # since the last trial
        self._steps, self._seconds = 0, 0.0  # of this spell
        self._usual = found.get("seconds", 0.0)  # what a step took before the last trial
        self._challenge: tuple[int, float] | None = None  # a trial that seemed faster: its place and a step's seconds

    @property
    def n_threads(self) -> int:
        """The count in use now."""
        return self._counts[self._using]

    @contextmanager
    def step(self) -> Iterator[None]:
        """One step of the sequence, with the threads that are best as far as known, and timed."""
        with sharing(self.n_threads):
            begin = time.perf_counter()
            yield
            self.record(time.perf_counter() - begin)

    def record(self, seconds: float) -> None:
        """Takes the duration of one step, and starts or settles a trial."""
        self._steps, self._seconds = self._steps + 1, self._seconds + seconds
        if len(self._counts) == 1 or self._steps < _SPELL_STEPS or self._seconds < _SPELL_SECONDS:
            return
        mean = self._seconds / self._steps
        self._spells, self._steps, self._seconds = self._spells + 1, 0, 0.0
        self._found["spells"] = self._spells
        if self._using != self._current:
            self._after_trial(mean)
        elif self._challenge is not None:
            self._settle(min(mean, self._usual), self._challenge)
        elif self._spells >= self._wait or (self._usual and mean > _SLOWED_DOWN * self._usual):
            self._try_another(mean)

    def _try_another(self, mean: float) -> None:
        self._usual = mean
        neighbour = self._current + self._direction
        if not 0 <= neighbour < len(self._counts):
            self._direction = -self._direction
            neighbour = self._current + self._direction
        self._using = neighbour

    def _after_trial(self, mean: float) -> None:
        self._challenge, self._using = (self._using, mean), self._current
        if mean >= _CLEARLY_FASTER * self._usual:
            self._settle(self._usual, self._challenge)

    def _settle(self, usual: float, challenge: tuple[int, float]) -> None:
        place, mean = challenge
        if mean < _CLEARLY_FASTER * usual:
            self._current, self._usual, self._wait = place, mean, _FIRST_WAIT
        else:
            self._direction, self._usual = -self._direction, usual
            self._wait = min(_LONGEST_WAIT, max(_FIRST_WAIT, 2 * self._wait))
        self._using, self._spells, self._challenge = self._current, 0, None
        self._found.update(threads=self._counts[self._current], seconds=self._usual, wait=self._wait, spells=0)


@contextmanager
def sharing(n_threads: int) -> Iterator[None]:
    """Shares what the calling thread computes among so many threads, and no other thread's.

    Not with torch's own setter where it can be helped: every thread that begins meanwhile would keep that number.

    Args:
        n_threads: 1 for small operations in a row, each of which torch would share for less than waiting for the
            other threads costs: its exponential does so from 2,048 numbers.
    """
    before, openmp, mkl = torch.get_num_threads(), _openmp(), _mkl()
    if n_threads == before:
        yield
        return
    use = torch.set_num_threads if openmp is None else openmp.omp_set_num_threads
    use(n_threads)
    of_mkl = mkl.MKL_Set_Num_Threads_Local(n_threads) if mkl else 0
    try:
        yield
    finally:
        use(before)
        if mkl:
            mkl.MKL_Set_Num_Threads_Local(of_mkl)


def release_threads() -> None:
    """Ends the OpenMP workers that wait for the calling thread's next computation; that one begins new ones.

    Every thread that has computed keeps its workers. Once there are more of them than processors, GNU's OpenMP lets no
    worker of the process wait busily any more, and small products everywhere take up to twice as long (measured: 27k
    against 45k tokens/s of training beside one idle thread). Call it in a thread that is done for now.
    """
    openmp = _openmp()
    if openmp is not None:
        openmp.omp_pause_resource_all(1)


@cache
def _openmp() -> ctypes.CDLL | None:
    """GNU's OpenMP library that torch has loaded, or None."""
    return _library("libgomp*", "omp_pause_resource_all")


@cache
def _mkl() -> ctypes.CDLL | None:
    """Intel's library for products and exponentials, which counts its threads itself, within torch; or None."""
    return _library("libtorch_cpu.so", "MKL_Set_Num_Threads_Local")


def _library(pattern: str, function: str) -> ctypes.CDLL | None:
    """A library of torch's that has a function. Calls keep Python's lock, for which a busy server makes one wait."""
    for file in sorted((Path(torch.__file__).parent / "lib").glob(pattern)):
        try:
            library = ctypes.PyDLL(str(file))
            if hasattr(library, function):
                return library
        except OSError:
            continue
    return None
