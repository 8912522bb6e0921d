"""Fair shares: who holds most of something that is full gives way first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def holds_most(items: Iterable[T], holder: Callable[[T], str]) -> str:
    """The client that holds most of some items; of several, the one of the first item; "" of none."""
    counts = Counter(holder(item) for item in items)
    return max(counts, key=lambda client: counts[client]) if counts else ""
