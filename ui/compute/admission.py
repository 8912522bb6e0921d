"""Admission queue: limits how many texts are generated at once; the others wait and know their
position.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_NEWS = 0.5  # seconds between two position updates
_REMEMBERED = 20  # texts whose durations the wait is estimated from


@dataclass(frozen=True)
class Place:
    """A position in the queue."""

    ahead: int  # how many texts begin before this one
    # estimated wait, from the durations of the last texts; None if none has ended yet
    seconds: float | None
    noun: str = "text"  # what is queued, as people call it

    def __str__(self) -> str:
        others = {0: f"the next {self.noun} is yours", 1: f"1 {self.noun} is ahead of yours"}
        about = "" if self.seconds is None else f", about {max(1, round(self.seconds))} s"
        return (
            "waiting: "
            f"{others.get(self.ahead, f'{self.ahead} {self.noun}s are ahead of yours')}{about}"
        )


class Ticket:
    """One text's ticket: queued at first, then admitted."""

    def __init__(self, admission: "AdmissionQueue") -> None:
        self._admission = admission
        self.admitted = False

    def waiting(self, wanted: Callable[[], bool] = lambda: True) -> Iterator[Place]:
        """Yields the position until it is this text's turn, or it is no longer wanted."""
        while not self._admission.has_begun(self, _NEWS):
            yield self._admission.place(self)
            if not wanted():
                break

    def leave(self) -> None:
        """Releases the slot to the next ticket; idempotent."""
        self._admission.leave(self)


class AdmissionQueue:
    """FIFO queue with a limit on how many texts run at the same time.

    Args:
        most: texts at the same time.
        noun: what is queued, as people call it.
        clock: monotonic seconds.
    """

    def __init__(
        self, most: int, noun: str = "text", *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._noun = noun
        self._clock = clock
        self._changed = threading.Condition()
        self._line: deque[Ticket] = deque()
        self._inside: dict[Ticket, float] = {}  # since when
        self._took: deque[float] = deque(maxlen=_REMEMBERED)

    @contextmanager
    def enter(self) -> Iterator[Ticket]:
        """Context manager: a ticket at the end of the queue, released when the block ends."""
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
        """Context manager: waits in the queue, then runs the block."""
        with self.enter() as ticket:
            for _ in ticket.waiting():
                pass
            yield

    def has_begun(self, ticket: Ticket, seconds: float) -> bool:
        """Waits up to `seconds`; whether the ticket has been admitted."""
        with self._changed:
            return self._changed.wait_for(lambda: ticket.admitted, seconds)

    def place(self, ticket: Ticket) -> Place:
        """The position of a waiting ticket."""
        with self._changed:
            ahead = self._line.index(ticket) if ticket in self._line else 0
            mean = sum(self._took) / len(self._took) if self._took else None
        return Place(ahead, None if mean is None else mean * (ahead + 1) / self._most, self._noun)

    def leave(self, ticket: Ticket) -> None:
        """Removes a ticket, queued or admitted."""
        with self._changed:
            began = self._inside.pop(ticket, None)
            if began is not None:
                self._took.append(self._clock() - began)
            elif ticket in self._line:
                self._line.remove(ticket)
            self._let_in()

    def _let_in(self) -> None:
        """Admits the next tickets, whether or not their owners are listening: a silent one must not
        block the queue.
        """
        while self._line and len(self._inside) < self._most:
            ticket = self._line.popleft()
            self._inside[ticket] = self._clock()
            ticket.admitted = True
        self._changed.notify_all()
