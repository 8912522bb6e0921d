"""Gradio's event queue with a share for each client: nobody fills it alone, and what nobody listens to is not computed.

A client posts an event and then listens for its answer. One that posts hundreds under new names and listens to none
would hold every place for minutes. Here a client may have so many events that wait, and an event begins only once its
answer is listened for; where nobody does for a while, it is dropped.
"""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from gradio.queueing import Event, Queue

_GRACE = 15.0  # seconds in which a client must begin to listen
_FULL = "You have {n} requests waiting on this server; {most} are allowed at once. Wait until one is answered."


class Listeners:
    """Which sessions listen for their answers at this moment, counted by the middleware.

    A plain call of a named endpoint listens under the id of its event.
    """

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def begin(self, session: str) -> None:
        """A stream of answers is open."""
        self._open[session] += 1

    def end(self, session: str) -> None:
        """It is closed."""
        self._open[session] -= 1
        if self._open[session] <= 0:
            del self._open[session]

    def __contains__(self, session: object) -> bool:
        return session in self._open

    def __len__(self) -> int:
        return len(self._open)


class QueueShare:
    """Stands in the place of two methods of Gradio's queue.

    Args:
        queue: of the page.
        listeners: who listens.
        waiting_each: events of one client that may wait.
        clock: as Gradio's events are dated.
    """

    def __init__(
        self, queue: Queue, listeners: Listeners, *, waiting_each: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._queue, self._listeners, self._most, self._clock = queue, listeners, waiting_each, clock
        self._push, self._get = queue.push, queue.get_events

    def install(self) -> None:
        """From now on the queue asks here."""
        self._queue.push = self.push  # type: ignore[method-assign]
        self._queue.get_events = self.get_events  # type: ignore[method-assign]

    async def push(self, body: Any, request: Any, username: str | None) -> Any:
        """Takes an event, unless its client has its share already; as Gradio's own."""
        self._drop_unheard()
        client = client_of(request.headers, request.client.host if request.client else "")
        n = sum(_client(event) == client for event in self._waiting())
        if n >= self._most:
            return False, _FULL.format(n=n, most=self._most), "queue_full"
        return await self._push(body, request, username)

    def get_events(self) -> Any:
        """The next event to compute, among those that somebody listens to."""
        self._drop_unheard()
        held = {}
        for name, line in self._queue.event_queue_per_concurrency_id.items():
            unheard = [event for event in line.queue if not self._is_heard(event)]
            if unheard:
                held[name] = unheard
                line.queue = [event for event in line.queue if self._is_heard(event)]
        try:
            return self._get()
        finally:
            for name, unheard in held.items():
                line = self._queue.event_queue_per_concurrency_id[name]
                line.queue = sorted([*line.queue, *unheard], key=lambda event: event.enqueue_time)

    def _is_heard(self, event: Event) -> bool:
        return event.session_hash in self._listeners or event._id in self._listeners

    def _drop_unheard(self) -> None:
        too_old = self._clock() - _GRACE
        for line in self._queue.event_queue_per_concurrency_id.values():
            gone = [event for event in line.queue if event.enqueue_time < too_old and not self._is_heard(event)]
            for event in gone:
                line.queue.remove(event)
                self._queue.event_ids_to_events.pop(event._id, None)
                pending = self._queue.pending_event_ids_session.get(event.session_hash, set())
                pending.discard(event._id)
                if not pending:
                    self._queue.pending_event_ids_session.pop(event.session_hash, None)

    def _waiting(self) -> list[Event]:
        return [event for line in self._queue.event_queue_per_concurrency_id.values() for event in line.queue]


def _client(event: Event) -> str:
    request: Any = event.request
    return client_of(request.headers, request.client.host if request.client else "")


def client_of(headers: Mapping[str, str], peer: str) -> str:
    """Whose request it is: the peer's address, or what a proxy on a private address says of it in X-Forwarded-For.

    Only its last entry counts: the one that the proxy has added, whatever a client has put before it.
    """
    try:
        behind_proxy = ipaddress.ip_address(peer).is_private
    except ValueError:
        return peer
    said = headers.get("x-forwarded-for", "").rpartition(",")[2].strip() if behind_proxy else ""
    return said or peer
