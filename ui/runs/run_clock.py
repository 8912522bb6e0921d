"""The clock of a training run: it stands while the process does not run, so that a frozen server takes no time."""

import threading
import time
from collections.abc import Callable

_LONG = 1.0  # seconds between two readings, above which it is asked whether the process ran
_RAN = 0.2  # least share of a processor that a training uses while it runs


class Stopwatch:
    """Pausable stopwatch of seconds while this process runs.

    The process is taken to be stopped (SIGSTOP, a container that is paused), or starved of processors, where much time
    has passed since the last reading and it has used next to no processor in it.

    Args:
        seconds: to begin with.
        clock: seconds.
        processor: seconds of processor that this process has used.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        clock: Callable[[], float] = time.perf_counter,
        processor: Callable[[], float] = time.process_time,
    ) -> None:
        self._seconds, self._clock, self._processor = seconds, clock, processor
        self._last: tuple[float, float] | None = None  # both clocks at the last reading; None while it is paused
        self._lock = threading.RLock()

    def __call__(self) -> float:
        """Seconds so far."""
        with self._lock:
            if self._last is not None:
                (before, used), self._last = self._last, (self._clock(), self._processor())
                passed, ran = self._last[0] - before, self._last[1] - used
                self._seconds += ran if passed > _LONG and ran < _RAN * passed else passed
            return self._seconds

    def on(self) -> None:
        """Starts it; no effect if it is running."""
        with self._lock:
            self._last = self._last or (self._clock(), self._processor())

    def off(self) -> None:
        """Pauses it; no effect if it is paused."""
        with self._lock:
            self()
            self._last = None
