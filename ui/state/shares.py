"""Fair shares: who holds most of something that is full gives way first."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def of_most(items: Iterable[T], holder: Callable[[T], str]) -> list[T]:
    """The items of the client that holds most of them, in their order; of several, the client of the first item."""
    held: dict[str, list[T]] = {}
    for item in items:
        held.setdefault(holder(item), []).append(item)
    return max(held.values(), key=len, default=[])
