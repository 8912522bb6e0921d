"""Thread-count control: chosen by measurement during a computation, and restored afterwards."""

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import torch

# On a busy machine the threads of a product wait for the slowest one, so fewer are faster. The mean
# over several steps counts: beside a page that redraws at each update, most steps are fast and a
# few wait long.
# minimum length of a measurement
_WINDOW_STEPS = 3
_WINDOW_SECONDS = 0.1
# spells
_FIRST_WAIT = 8
_LONGEST_WAIT = 128
_SLOWED_DOWN = 1.15
_CLEARLY_FASTER = 0.95
_CAPACITY_SECONDS = 0.25
# In CPUs: this much less than the threads in use means too many threads, this much more means
# too few.
_TOO_FEW = 0.5
_ENOUGH_MORE = 0.75


class ThreadGovernor:
    """Adaptive thread count for a sequence of steps: tries another count now and then, and keeps it
    if it is faster.

    A trial lasts a tenth of a second, at least three steps. The current count is measured before it
    and, if the trial was faster, again after it: otherwise one busy moment would decide for a
    second. A failed trial doubles the wait for the next, unless steps become clearly slower than
    before, as they do when another process uses the same cores.

    One governor serves one sequence of steps; all governors of a model share `kept`, so that each
    starts with what the last one learned.

    Args:
        kept: what was found so far, if anything: the best count, the seconds that a step then took,
            and when to try again.
    """

    def __init__(self, kept: dict[str, float]) -> None:
        most = getattr(_thread, "most", None) or torch.get_num_threads()
        self._found = kept
        self._counts = sorted({1, most} | {2**power for power in range(1, 8) if 2**power < most})
        start = int(kept.get("threads", most))
        self._current = self._using = self._counts.index(start if start in self._counts else most)
        self._direction = -1
        self._wait = kept.get("wait", 1)  # spells from one trial to the next
        self._spells = kept.get("spells", 0)  # since the last trial
        # of this spell
        self._steps = 0
        self._seconds = 0.0
        self._usual = kept.get("seconds", 0.0)  # what a step took before the last trial
        self._challenge: tuple[int, float] | None = (
            None  # a trial that seemed faster: its place and a step's seconds
        )

    @property
    def n_threads(self) -> int:
        """The count in use now."""
        return self._counts[self._using]

    @contextmanager
    def step(self) -> Iterator[None]:
        """Runs and times one step with the best known thread count.

        If fewer CPUs are free now, it uses only those and learns nothing from the step.
        """
        free = _capacity.threads(max(self._counts))
        if free < self.n_threads:
            with sharing(free):
                yield
            return
        with sharing(self.n_threads):
            begin = time.perf_counter()
            yield
            self.record(time.perf_counter() - begin)

    def record(self, seconds: float) -> None:
        """Takes the duration of one step, and starts or settles a trial."""
        self._steps, self._seconds = self._steps + 1, self._seconds + seconds
        if len(self._counts) == 1 or self._steps < _WINDOW_STEPS or self._seconds < _WINDOW_SECONDS:
            return
        mean = self._seconds / self._steps
        self._spells = self._spells + 1
        self._steps = 0
        self._seconds = 0.0
        self._found["spells"] = self._spells
        if self._using != self._current:
            self._after_trial(mean)
        elif self._challenge is not None:
            self._settle(min(mean, self._usual), self._challenge)
        elif self._spells >= self._wait or (self._usual and mean > _SLOWED_DOWN * self._usual):
            self._try_another(mean)

    def _try_another(self, mean: float) -> None:
        self._usual = mean
        if not 0 <= self._current + self._direction < len(self._counts):
            self._direction = -self._direction
        self._using = self._current + self._direction

    def _after_trial(self, mean: float) -> None:
        self._challenge, self._using = (self._using, mean), self._current
        if mean >= _CLEARLY_FASTER * self._usual:
            self._settle(self._usual, self._challenge)

    def _settle(self, usual: float, challenge: tuple[int, float]) -> None:
        index, mean = challenge
        if mean < _CLEARLY_FASTER * usual:
            self._current = index
            self._usual = mean
            self._wait = _FIRST_WAIT
        else:
            self._direction = -self._direction
            self._usual = usual
            self._wait = min(_LONGEST_WAIT, max(_FIRST_WAIT, 2 * self._wait))
        self._using = self._current
        self._spells = 0
        self._challenge = None
        self._found.update(
            threads=self._counts[self._current], seconds=self._usual, wait=self._wait, spells=0
        )


class Capacity:
    """Estimates how many threads a shared machine has free for this process now, from recent CPU
    usage.

    Free capacity is idle time plus what this process used. Two threads on fewer than two free
    CPUs wait for each other at every barrier of a pass, hundreds of times a second: beside
    four busy processes, two threads reached a ninth of the speed of one. Idle time comes from
    Linux's /proc/stat; elsewhere all threads are used.

    Args:
        idle: returns the total idle seconds of all CPUs, or None if unknown.
        clock, used: seconds passed, and seconds that this process has computed.
    """

    def __init__(
        self,
        idle: Callable[[], float | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        used: Callable[[], float] = time.process_time,
    ) -> None:
        self._idle = idle or _idle_seconds
        self._clock = clock
        self._used = used
        self._last: tuple[float, float] | None = (
            None  # when, and CPU seconds that were free for this process
        )
        self._now: int | None = None

    def threads(self, most: int) -> int:
        """From 1 to `most`; refreshed every quarter of a second."""
        at = self._clock()
        if most > 1 and (self._last is None or at - self._last[0] >= _CAPACITY_SECONDS):
            self._refresh(at, most)
        return min(most, self._now or most)

    def _refresh(self, at: float, most: int) -> None:
        idle = self._idle()
        if idle is None:
            return
        before = self._last
        self._last = (at, idle + self._used())
        if before is None:
            return
        free = (self._last[1] - before[1]) / (at - before[0])
        now = min(most, self._now or most)
        if free < now - _TOO_FEW or free >= now + _ENOUGH_MORE:
            self._now = max(1, min(most, int(free + 1 - _ENOUGH_MORE)))


@contextmanager
def adapted() -> Iterator[None]:
    """Sets the calling thread's compute thread count to what the machine has free now."""
    if getattr(_thread, "most", None) is not None:  # within another
        yield
        return
    _thread.most = torch.get_num_threads()
    try:
        with sharing(_capacity.threads(_thread.most)):
            yield
    finally:
        _thread.most = None


def _idle_seconds() -> float | None:
    try:
        with open("/proc/stat", "rb") as stat:  # noqa: PTH123 - many times a second
            fields = stat.readline().split()
        return (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


_capacity = Capacity()
_thread = threading.local()


@contextmanager
def sharing(n_threads: int) -> Iterator[None]:
    """Sets the thread count for the calling thread only.

    Avoids torch's own setter where possible: every thread started meanwhile would inherit that
    count.

    Args:
        n_threads: 1 for a series of small operations, which torch would parallelise although
            synchronisation costs more than it saves: its exponential does so from 2,048 numbers.
    """
    before = torch.get_num_threads()
    openmp = _openmp()
    mkl = _mkl()
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
    """Ends the calling thread's idle OpenMP workers; its next computation starts new ones.

    Every thread that has computed keeps its workers. Once they outnumber the CPUs, GNU OpenMP
    stops busy-waiting in the whole process, and small products take up to twice as long (measured:
    27k against 45k tokens/s of training beside one idle thread). Call it in a thread that is done
    for now.
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
    """The MKL inside torch, which has a thread count of its own; or None."""
    return _library("libtorch_cpu.so", "MKL_Set_Num_Threads_Local")


def _library(pattern: str, function: str) -> ctypes.CDLL | None:
    """A torch library that exports a function. Calls hold the GIL: on a busy server, reacquiring it
    takes long.
    """
    for file in sorted((Path(torch.__file__).parent / "lib").glob(pattern)):
        try:
            library = ctypes.PyDLL(str(file))
            if hasattr(library, function):
                return library
        except OSError:
            continue
    return None
