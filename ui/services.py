"""What every handler is given: the models, the visitors and the limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from ui.computing import Computing
from ui.jobs import Bench, Jobs
from ui.limits import PROFILES, Limits
from ui.model_store import ModelStore
from ui.preparations import Preparations
from ui.readings import ReadingStore
from ui.sessions import SessionStore

T = TypeVar("T")


@dataclass(frozen=True)
class Services:
    """Shared by all visitors; holds no visitor's data outside `sessions`."""

    models: ModelStore
    sessions: SessionStore
    limits: Limits
    computing: Computing
    measuring: Computing
    readings: ReadingStore
    jobs: Jobs
    texts: Preparations

    def compute(self, steps: Iterator[T]) -> Iterator[tuple[T, float]]:
        """The results of a computation of many steps, each with its seconds; others have their turns in between."""
        return self.computing.each(steps)

    def now(self, compute: Callable[[], T]) -> T:
        """The result of a short computation."""
        return self.computing.once(compute)

    def measure(self, compute: Callable[[], T]) -> T:
        """The result of a computation of seconds, for which nobody else has to wait."""
        return self.measuring.once(compute)


def make_services(
    *, profile: str = "local", model: str = "mini", offline: bool = False, example: Bench | None = None
) -> Services:
    """The services for a profile: "local", "talk" or "space"; `example` is a run that everybody may look at."""
    limits = PROFILES[profile]
    computing, measuring = Computing("computing"), Computing("measuring")
    jobs = Jobs(limits, example=example, busy=lambda: computing.active + measuring.active)
    store = ModelStore(limits, offline=offline, default=model, trained=jobs.language_model)
    readings = ReadingStore(limits.reading_bytes)
    return Services(store, SessionStore(limits), limits, computing, measuring, readings, jobs, Preparations())
