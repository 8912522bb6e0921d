"""FIFO queue of training runs: positions and estimated waits."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class QueuePlace:
    """A place in the queue.

    Attributes:
        number: 1 for the next run that begins.
        seconds: estimated wait; None if the end of a run before it is unknown.
    """

    number: int
    seconds: float | None


def expected_wait(learning: Sequence[float | None], before: Iterable[float | None], places: int) -> float | None:
    """Seconds until the next run in a queue can begin.

    Args:
        learning: seconds that each run under way still takes; None where that is not known.
        before: seconds that each run ahead in the queue will take, the first first.
        places: runs that learn at the same time.
    """
    unknown = float("inf")
    ends = [unknown if seconds is None else max(0.0, seconds) for seconds in learning]
    ends += [0.0] * max(0, places - len(ends))
    heapq.heapify(ends)
    while len(ends) > places:  # more runs than slots: the limit was lowered
        heapq.heappop(ends)
    for seconds in before:
        begins = heapq.heappop(ends)
        heapq.heappush(ends, unknown if seconds is None else begins + seconds)
    return None if ends[0] == unknown else ends[0]
