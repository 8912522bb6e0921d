"""How many threads a computation uses: chosen by measuring while it runs, and given back when it is done."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import torch

# On a busy machine the threads of one product wait for the slowest of them; fewer are then faster.
_TRIAL_STEPS = 3
_FIRST_WAIT, _LONGEST_WAIT = 24, 768
_SLOWED_DOWN = 1.3
_CLEARLY_FASTER = 0.95


class ThreadGovernor:
    """A context manager around one step, which tries another thread count now and then and stays if it is faster.

    A trial lasts three steps. After one that lost, the next waits twice as long, unless steps become clearly
    slower than they were, which is what another process on the same cores looks like.

    The count is set for the calling thread only and put back at the end of the step. One governor serves one
    sequence of steps; `found` is shared by those of one model, so that the next starts with what the last one knew.

    Args:
        found: what was found so far, if anything: the best count, and the seconds that a step then took.
    """

    def __init__(self, found: dict[str, float]) -> None:
        most = torch.get_num_threads()
        self._found = found
        self._counts = sorted({1, most} | {2**power for power in range(1, 8) if 2**power < most})
        start = int(found.get("threads", most))
        self._current = self._using = self._counts.index(start if start in self._counts else most)
        self._direction = -1
        self._wait = _FIRST_WAIT if found else _TRIAL_STEPS
        self._times: list[float] = []  # of the count in use, since it came into use
        self._usual = found.get("seconds", 0.0)  # what a step took before the last trial
        self._begin, self._outside = 0.0, most

    @property
    def n_threads(self) -> int:
        """The count in use now."""
        return self._counts[self._using]

    def __enter__(self) -> None:
        self._outside = torch.get_num_threads()
        if self._outside != self.n_threads:
            torch.set_num_threads(self.n_threads)
        self._begin = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.record(time.perf_counter() - self._begin)
        if torch.get_num_threads() != self._outside:
            torch.set_num_threads(self._outside)

    def record(self, seconds: float) -> None:
        """Takes the duration of one step, and starts or settles a trial."""
        if len(self._counts) == 1:
            return
        self._times.append(seconds)
        if len(self._times) < _TRIAL_STEPS:
            return
        typical = sorted(self._times[-_TRIAL_STEPS:])[_TRIAL_STEPS // 2]
        if self._using != self._current:
            self._settle(typical)
        elif len(self._times) >= self._wait or (self._usual and typical > _SLOWED_DOWN * self._usual):
            self._try_another(typical)

    def _try_another(self, typical: float) -> None:
        self._usual = typical
        neighbour = self._current + self._direction
        if not 0 <= neighbour < len(self._counts):
            self._direction = -self._direction
            neighbour = self._current + self._direction
        self._using, self._times = neighbour, []

    def _settle(self, typical: float) -> None:
        if typical < _CLEARLY_FASTER * self._usual:
            self._current, self._usual, self._wait = self._using, typical, _FIRST_WAIT
        else:
            self._direction = -self._direction
            self._wait = min(_LONGEST_WAIT, max(_FIRST_WAIT, 2 * self._wait))
        self._found.update(threads=self._counts[self._current], seconds=self._usual)
        self._using, self._times = self._current, []


def release_threads() -> None:
    """Ends the OpenMP workers that wait for the calling thread's next computation; that one begins new ones.

    Every thread that has computed keeps its workers. Once there are more of them than processors, GNU's OpenMP lets no
    worker of the process wait busily any more, and small products everywhere take up to twice as long (measured: 27k
    against 45k tokens/s of training beside one idle thread). Call it in a thread that is done for now.
    """
    pause = _openmp_pause()
    if pause is not None:
        pause(1)


@cache
def _openmp_pause() -> Callable[[int], int] | None:
    """omp_pause_resource_all of the OpenMP library that torch has loaded, or None."""
    for file in sorted((Path(torch.__file__).parent / "lib").glob("libgomp*")):
        try:
            return ctypes.CDLL(str(file)).omp_pause_resource_all
        except (OSError, AttributeError):
            continue
    return None
