"""What every handler is given: the models, the visitors and the limits."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from gptcore.threads import release_threads
from ui.jobs import Bench, Jobs
from ui.limits import PROFILES, Limits
from ui.model_store import ModelStore
from ui.preparations import Preparations
from ui.readings import ReadingStore
from ui.sessions import SessionStore

T = TypeVar("T")


class Slots:
    """Permits to compute, a context manager around each computation.

    Args:
        most: computations at the same moment.

    Attributes:
        taken: how many are under way or about to begin.
    """

    def __init__(self, most: int) -> None:
        self._free, self._counting = threading.Semaphore(most), threading.Lock()
        self.taken = 0

    def __enter__(self) -> None:
        self._count(1)
        self._free.acquire()

    def __exit__(self, *_: object) -> None:
        release_threads()
        self._free.release()
        self._count(-1)

    def _count(self, change: int) -> None:
        with self._counting:
            self.taken += change


@dataclass(frozen=True)
class Services:
    """Shared by all visitors; holds no visitor's data outside `sessions`."""

    models: ModelStore
    sessions: SessionStore
    limits: Limits
    slots: Slots
    readings: ReadingStore
    jobs: Jobs
    texts: Preparations

    def compute(self, steps: Iterator[T]) -> Iterator[tuple[T, float]]:
        """The steps of a computation and how long each took, with a slot held for a step at a time.

        A visitor who lets a text appear slowly thus keeps nobody waiting.
        """
        while True:
            with self.slots:
                began = time.perf_counter()
                try:
                    made = next(steps)
                except StopIteration:
                    return
                seconds = time.perf_counter() - began
            yield made, seconds


def make_services(
    *, profile: str = "local", model: str = "mini", offline: bool = False, example: Bench | None = None
) -> Services:
    """The services for a profile: "local", "talk" or "space"; `example` is a run that everybody may look at."""
    limits = PROFILES[profile]
    slots = Slots(limits.concurrent_runs)
    jobs = Jobs(limits, example=example, busy=lambda: slots.taken)
    store = ModelStore(limits, offline=offline, default=model, trained=jobs.language_model)
    return Services(
        store, SessionStore(limits), limits, slots, ReadingStore(limits.reading_bytes), jobs, Preparations()
    )
