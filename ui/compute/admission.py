"""Admission queue: so many texts are written at a time; the others wait, and each knows its place."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_NEWS = 0.5  # seconds after which one who waits hears of the place
_REMEMBERED = 20  # texts from which the wait is estimated


@dataclass(frozen=True)
class Place:
    """Where somebody stands in the line.

    Attributes:
        ahead: how many texts begin before this one.
        seconds: until it begins, by how long the last ones took; None where none has ended yet.
        noun: what stands in this line.
    """

    ahead: int
    seconds: float | None
    noun: str = "text"

    def __str__(self) -> str:
        others = {0: f"the next {self.noun} is yours", 1: f"1 {self.noun} is ahead of yours"}
        about = "" if self.seconds is None else f", about {max(1, round(self.seconds))} s"
        return f"waiting: {others.get(self.ahead, f'{self.ahead} {self.noun}s are ahead of yours')}{about}"


class Ticket:
    """One text's place, first in the line, then among those that are written."""

    def __init__(self, admission: AdmissionQueue) -> None:
        self._admission = admission
        self.admitted = False

    def waiting(self, wanted: Callable[[], bool] = lambda: True) -> Iterator[Place]:
        """News of the place until it is this text's turn, or until it is wanted no more."""
        while not self._admission.has_begun(self, _NEWS):
            yield self._admission.place(self)
            if not wanted():
                break

    def leave(self) -> None:
        """Gives the place to the next one; doing so twice does no harm."""
        self._admission.leave(self)


class AdmissionQueue:
    """Lets in so many texts at a time, in the order in which they came.

    Args:
        most: at the same time.
        noun: what is let in, as people call it.
        clock: seconds from any start.
    """

    def __init__(self, most: int, noun: str = "text", *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._noun, self._clock = most, noun, clock
        self._changed = threading.Condition()
        self._line: deque[Ticket] = deque()
        self._inside: dict[Ticket, float] = {}  # since when
        self._took: deque[float] = deque(maxlen=_REMEMBERED)

    @contextmanager
    def enter(self) -> Iterator[Ticket]:
        """A ticket at the end of the line, which leaves with the block."""
        ticket = Ticket(self)
        with self._changed:
            self._line.append(ticket)
            self._let_in()
        try:
            yield ticket
        finally:
            self.leave(ticket)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Waits in the line; the block is this text's turn."""
        with self.enter() as ticket:
            for _ in ticket.waiting():
                pass
            yield

    def has_begun(self, ticket: Ticket, seconds: float) -> bool:
        """Whether it is the ticket's turn within so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: ticket.admitted, seconds)

    def place(self, ticket: Ticket) -> Place:
        """Where a ticket that waits stands."""
        with self._changed:
            ahead = self._line.index(ticket) if ticket in self._line else 0
            mean = sum(self._took) / len(self._took) if self._took else None
        return Place(ahead, None if mean is None else mean * (ahead + 1) / self._most, self._noun)

    def leave(self, ticket: Ticket) -> None:
        """Takes a ticket out, wherever it stands."""
        with self._changed:
            began = self._inside.pop(ticket, None)
            if began is not None:
                self._took.append(self._clock() - began)
            elif ticket in self._line:
                self._line.remove(ticket)
            self._let_in()

    def _let_in(self) -> None:
        """Whoever is next begins, listening or not: one who does not answer must not hold up the line."""
        while self._line and len(self._inside) < self._most:
            ticket = self._line.popleft()
            self._inside[ticket] = self._clock()
            ticket.admitted = True
        self._changed.notify_all()
