"""What every handler is given: the models, the visitors and the limits."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from ui.limits import PROFILES, Limits
from ui.model_store import ModelStore
from ui.readings import ReadingStore
from ui.sessions import SessionStore

T = TypeVar("T")


@dataclass(frozen=True)
class Services:
    """Shared by all visitors; holds no visitor's data outside `sessions`."""

    models: ModelStore
    sessions: SessionStore
    limits: Limits
    slots: threading.Semaphore
    readings: ReadingStore

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


def make_services(*, profile: str = "local", model: str = "mini", offline: bool = False) -> Services:
    """The services for a profile: "local", "talk" or "space"."""
    limits = PROFILES[profile]
    store = ModelStore(limits, offline=offline, default=model)
    slots = threading.Semaphore(limits.concurrent_runs)
    return Services(store, SessionStore(limits), limits, slots, ReadingStore(limits.reading_bytes))
