"""Per-client quota for Gradio's event queue; events whose client is not listening are not computed.

A client posts an event and then listens for its answer. One that posts hundreds under new session ids without listening
would block the queue for minutes. Here each client has a limit of waiting events, and an event starts only once its
client listens; after a grace period without a listener it is dropped.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from gradio.queueing import Event, Queue

from ui.state.clients import Clients

_GRACE = 15.0  # seconds in which a client must begin to listen
_FULL = "You have {n} requests waiting on this server; {most} are allowed at once. Wait until one is answered."


class Listeners:
    """Sessions that currently listen for their answers, counted by the middleware.

    A plain call of a named endpoint listens under the id of its event.
    """

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def begin(self, session: str) -> None:
        """Counts an opened answer stream."""
        self._open[session] += 1

    def end(self, session: str) -> None:
        """Counts a closed answer stream."""
        self._open[session] -= 1
        if self._open[session] <= 0:
            del self._open[session]

    def __contains__(self, session: object) -> bool:
        return session in self._open

    def __len__(self) -> int:
        return len(self._open)


class QueueShare:
    """Replaces two methods of Gradio's queue.

    Args:
        queue: of the page.
        listeners: who listens.
        waiting_each: events of one client that may wait.
        clients: who asks.
        clock: as Gradio's events are dated.
    """

    def __init__(
        self,
        queue: Queue,
        listeners: Listeners,
        *,
        waiting_each: int,
        clients: Clients | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clients = clients or Clients()
        self._queue, self._listeners, self._most, self._clock = queue, listeners, waiting_each, clock
        self._push, self._get = queue.push, queue.get_events

    def install(self) -> None:
        """Patches the queue's methods."""
        self._queue.push = self.push  # type: ignore[method-assign]
        self._queue.get_events = self.get_events  # type: ignore[method-assign]

    async def push(self, body: Any, request: Any, username: str | None) -> Any:
        """Enqueues an event unless its client's quota is used up; signature as Gradio's own."""
        self._drop_unheard()
        client = self._client(request)
        n = sum(self._client(event.request) == client for event in self._waiting())
        if n >= self._most:
            return False, _FULL.format(n=n, most=self._most), "queue_full"
        return await self._push(body, request, username)

    def get_events(self) -> Any:
        """The next events to compute, among those with a listener."""
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

    def _client(self, request: Any) -> str:
        return self._clients.address(request.headers, request.client.host if request.client else "")

    def _waiting(self) -> list[Event]:
        return [event for line in self._queue.event_queue_per_concurrency_id.values() for event in line.queue]
