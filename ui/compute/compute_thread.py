"""Worker thread with a round-robin queue: it computes for all visitors in time slices.

Handlers run in any server thread. If each computed there, each would keep its own OpenMP workers,
and a text would pause while its last update travels to the page. Here one thread owns the workers,
goes on computing while updates travel, and hands results over in batches, because waking a handler
for every token slows both threads.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from gptcore.errors import GPTCoreError
from gptcore.machine import return_freed_memory
from gptcore.threads import adapted

T = TypeVar("T")
log = logging.getLogger("gptlens")

SLICE = 0.04  # seconds that one job computes before the next one runs
_IDLE = 30.0  # seconds without a job after which the thread and its OpenMP workers usually end
_AHEAD = 8  # unfetched batches after which a job pauses (backpressure)


_LAST_STEP = 1.0  # seconds that a step may still take once the server has been told to end
_LONGEST_SLICE = 10.0  # seconds that a closing server waits for the slice in progress

_Batch = list[tuple[Any, float]]


class Closed(GPTCoreError):
    """The server is shutting down."""


@dataclass(eq=False)
class _Job:
    """A computation of many steps, and its unfetched batches of (result, seconds)."""

    steps: Iterator[Any]
    batches: SimpleQueue[_Batch | BaseException | None] = field(default_factory=SimpleQueue)
    single: bool = False
    kept: bool = False
    background: bool = False
    begun: bool = False
    waits: bool = False
    given_up: bool = False


class ComputeThread:
    """One thread and its queue of jobs; the thread starts with the first job and ends after an idle
    time.

    Args:
        name: of the thread.
        idle: seconds without a job after which the thread ends. Its OpenMP workers end with it;
            they would slow down those of another compute thread.
        ending: set where the server has been told to end.

    Attributes:
        failed: called with the error that ends a computation.
    """

    def __init__(
        self, name: str, *, idle: float = _IDLE, ending: threading.Event | None = None
    ) -> None:
        self._name = name
        self._idle = idle
        self._ending = ending or threading.Event()
        self.failed: Callable[[BaseException], None] = lambda _: None
        # computations of one step, in the order of their arrival
        self._single: deque[_Job] = deque()
        self._ready: deque[_Job] = deque()
        self._background: deque[_Job] = deque()  # ready background jobs
        self._owed = (
            0.0  # surplus seconds of background jobs over the others, while both were ready
        )
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._active = 0
        self._closed = False

    @property
    def active(self) -> int:
        """Number of runnable jobs; those waiting for their handler do not count."""
        return self._active

    def each(self, steps: Iterator[T], *, background: bool = False) -> Iterator[tuple[T, float]]:
        """Yields the result of each step with the seconds that it took; `background` as in `keep`.

        Closing the iterator cancels the computation. An exception in a step is raised here.
        """
        job = _Job(steps, background=background)
        self._enter(job)
        try:
            while (batch := self.arrival(job.batches)) is not None:
                if isinstance(batch, BaseException):
                    raise batch
                if job.batches.qsize() < _AHEAD // 2:
                    self._notify(job)
                yield from batch
        finally:
            job.given_up = True
            self._notify(job)

    def keep(self, steps: Iterator[object], *, background: bool = False) -> None:
        """Runs a job to its end and discards its results.

        All background jobs together get half of the time while others wait.
        """
        self._enter(_Job(steps, kept=True, background=background))

    def once(self, compute: Callable[[], T]) -> T:
        """Runs a single-step computation ahead of the next slice of the others and returns its
        result.
        """
        if threading.current_thread() is self._thread:
            return compute()
        job = _Job((compute() for _ in (None,)), single=True)
        self._enter(job)
        batch = self.arrival(job.batches)
        if isinstance(batch, list):
            return batch[0][0]
        raise batch or RuntimeError("A computation has ended without a result.")

    def arrival(self, queue: SimpleQueue[T]) -> T:
        """Waits for the next item of a queue that this thread fills. Raises Closed if the server is
        ending and none arrives within _LAST_STEP seconds.
        """
        while True:
            try:
                return queue.get(timeout=_LAST_STEP)
            except Empty:
                if self._ending.is_set():
                    raise Closed("The server is ending. Send it again once it is back.") from None

    def close(self) -> None:
        """Ends the thread after the slice in progress: a thread still computing would abort the
        interpreter at exit.

        Waiting jobs are dropped, and later requests raise `Closed`.
        """
        with self._changed:
            self._closed = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join(_LONGEST_SLICE)

    def _enter(self, job: _Job) -> None:
        with self._changed:
            if self._closed:
                raise Closed("The server is closing. Start it again to go on.")
            self._active += 1
            self._line_up(job)
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True, name=self._name)
                self._thread.start()

    def _notify(self, job: _Job) -> None:
        """Requeues a job that was waiting for its handler."""
        with self._changed:
            if job.waits:
                job.waits = False
                self._active += 1
                self._line_up(job)
                self._changed.notify()

    def _line_up(self, job: _Job) -> None:
        (
            self._single if job.single else self._background if job.background else self._ready
        ).append(job)

    def _next(self) -> _Job:
        """The next job: single steps first; background jobs get half of the time while others
        wait.
        """
        if self._single:
            return self._single.popleft()
        if not (self._ready and self._background):
            self._owed = 0.0
        hurried = bool(self._ready) and (self._owed >= 0 or not self._background)
        return (self._ready if hurried else self._background).popleft()

    def _waiting(self) -> bool:
        return bool(self._single or self._ready or self._background)

    def _work(self) -> None:
        while True:
            with self._changed:
                more = self._changed.wait_for(lambda: self._closed or self._waiting(), self._idle)
                if self._closed or not more:
                    self._thread = None
                    break
                job = self._next()
            began = time.perf_counter()
            with adapted():
                batch, end = _slice(job)
            took = time.perf_counter() - began
            self._owed += took if job.background else 0.0 if job.single else -took
            if end is None:
                self._pass_on(job, batch)
            else:
                self._finish(job, batch, end)
            del job, batch, end  # so that an idle thread holds no results
        return_freed_memory()

    def _pass_on(self, job: _Job, batch: _Batch) -> None:
        """Hands a batch over and requeues the job, or pauses it until enough batches are
        fetched.
        """
        if not job.kept:
            job.batches.put(batch)
        with self._changed:
            if job.batches.qsize() < _AHEAD or job.given_up:
                self._line_up(job)
            else:
                job.waits = True
                self._active -= 1

    def _finish(self, job: _Job, batch: _Batch, end: BaseException) -> None:
        if not isinstance(end, _Ended):
            self.failed(end)
        with self._changed:
            self._active -= 1
        if job.kept and not isinstance(end, _Ended):
            log.error("a computation has failed", exc_info=end)
        if batch:
            job.batches.put(batch)
        job.batches.put(None if isinstance(end, _Ended) else end)


class _Ended(Exception):
    """A computation is over."""


def _slice(job: _Job) -> tuple[_Batch, BaseException | None]:
    """Computes one slice of a job: (its results, why it has ended or None)."""
    batch: _Batch = []
    began = time.perf_counter()
    try:
        while not job.given_up:
            before = time.perf_counter()
            made = next(job.steps)
            now = time.perf_counter()
            batch.append((made, now - before))
            if job.single:
                return batch, _Ended()
            # return the first result at once, to show progress
            if not job.begun or now - began > SLICE:
                job.begun = True
                return batch, None
        if isinstance(job.steps, Generator):
            job.steps.close()
    except StopIteration:
        pass
    except BaseException as error:
        return batch, error
    return batch, _Ended()
