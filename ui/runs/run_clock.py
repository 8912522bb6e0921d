"""The clock of a training run: it stands while the process does not run, so that a frozen server takes no time."""

import threading
import time
from collections.abc import Callable

_LONG = 1.0  # seconds between two readings, above which it is asked whether the process ran
_RAN = 0.2  # least share of a processor that a training uses while it runs


class RunClock:
    """Seconds while this process runs.

    It is taken to be stopped (SIGSTOP, a container that is paused), or starved of processors, where much time has
    passed since the last reading and the process has used next to no processor in it.

    Args:
        clock: seconds.
        processor: seconds of processor that this process has used.
    """

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, processor: Callable[[], float] = time.process_time
    ) -> None:
        self._clock, self._processor = clock, processor
        self._lock = threading.Lock()
        self._lost = 0.0
        self._last = clock(), processor()

    def __call__(self) -> float:
        """The seconds so far."""
        with self._lock:
            now, used = self._clock(), self._processor()
            passed, ran = now - self._last[0], used - self._last[1]
            if passed > _LONG and ran < _RAN * passed:
                self._lost += passed - ran
            self._last = now, used
            return now - self._lost
