"""Gradio's event queue: fair turns, its polling and its end; events whose client is not listening
are not computed.

Clients take turns, and so do the pages of a client: who has nothing under way comes before who has
much, and an eighth of the places is left for others. So a class behind one address may wait in
numbers, and still takes nothing from anybody. A client posts an event and then listens for its
answer: an event starts only once its client listens; after a grace period without a listener it is
dropped.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from gradio.context import LocalContext
from gradio.queueing import Event, EventQueue, Queue

from ui.state.clients import Clients

_GRACE = 60.0  # seconds in which a client must begin to listen; a slow browser takes its time
_LARGEST_SHARE = 96 << 20  # characters in the events of one client that wait
_HEAVY = (
    "Your requests that wait hold {n:,} characters; {most:,} are allowed at once. Wait until one "
    "is answered."
)
_FULL = (
    "You have {n} requests waiting on this server; {most} are allowed at once. Wait until one is "
    "answered."
)


def current_client(clients: Clients) -> str:
    """The address of the client whose event is being handled in this thread; "" outside an
    event.
    """
    request = LocalContext.request.get(None)
    peer = getattr(request, "client", None)
    return (
        clients.address(request.headers, peer.host)
        if request is not None and peer is not None
        else ""
    )


class QueueShare:
    """Replaces two methods of Gradio's queue.

    Args:
        listeners: open answer streams by session, or by the event id of a plain call, as the
            middleware counts them.
        waiting_each: events of one client that may wait.
        clock: as Gradio's events are dated.
    """

    def __init__(
        self,
        queue: Queue,
        listeners: Counter[str],
        *,
        waiting_each: int,
        clients: Clients | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clients = clients or Clients()
        self._queue = queue
        self._listeners = listeners
        self._most = waiting_each
        self._clock = clock
        self._push = queue.push
        self._get = queue.get_events

    def install(self) -> None:
        """Patches the queue's methods."""
        self._queue.push = self.push  # type: ignore[method-assign]
        self._queue.get_events = self.get_events  # type: ignore[method-assign]

    async def push(self, body: Any, request: Any, username: str | None) -> Any:
        """Enqueues an event unless its client's quota is used up; signature as Gradio's own."""
        self._drop_unheard()
        client = self._client(request)
        theirs = [event for event in self._waiting() if self._client(event.request) == client]
        if len(theirs) >= self._most:
            return False, _FULL.format(n=len(theirs), most=self._most), "queue_full"
        held = sum(_n_chars(event.data) for event in theirs)
        if held and held + _n_chars(body) > _LARGEST_SHARE:
            return False, _HEAVY.format(n=held, most=_LARGEST_SHARE), "queue_full"
        return await self._push(body, request, username)

    def get_events(self) -> Any:
        """The next events to compute, among those with a listener: clients take turns, and their
        pages within them.
        """
        self._drop_unheard()
        under_way = [event for job in self._queue.active_jobs for event in job or ()]
        held: dict[str, list[Event]] = {}
        for name, line in self._queue.event_queue_per_concurrency_id.items():
            if line.queue and (
                line.concurrency_limit is None or line.current_concurrency < line.concurrency_limit
            ):
                ready = self._in_turn(line, under_way)
                held[name] = [event for event in line.queue if event not in ready]
                line.queue = ready
        try:
            return self._get()
        finally:
            for name, others in held.items():
                line = self._queue.event_queue_per_concurrency_id[name]
                line.queue = sorted([*line.queue, *others], key=lambda event: event.enqueue_time)

    def _in_turn(self, line: EventQueue, under_way: Sequence[Event]) -> list[Event]:
        """The events of a line that may begin, in order: a client's after as many of it as are
        under way or before.
        """
        clients = Counter(self._client(event.request) for event in under_way)
        pages = Counter(event.session_hash for event in under_way)
        in_line = Counter(
            self._client(e.request) for e in under_way if e.concurrency_id == line.concurrency_id
        )
        n_workers = len(self._queue.active_jobs)
        n_places = line.concurrency_limit or len(self._queue.active_jobs)
        turns = list[tuple[int, float, int, Event]]()
        for number, event in enumerate(sorted(line.queue, key=lambda event: event.enqueue_time)):
            client = self._client(event.request)
            if (
                not self._is_heard(event)
                or in_line[client] >= _share(n_places)
                or clients[client] >= _share(n_workers)
            ):
                continue
            pages[event.session_hash] += 1
            turns.append((pages[event.session_hash], event.enqueue_time, number, event))
        ordered = list[tuple[int, int, Event]]()
        for number, (*_, event) in enumerate(sorted(turns)):
            clients[self._client(event.request)] += 1
            ordered.append((clients[self._client(event.request)], number, event))
        return [event for *_, event in sorted(ordered)]

    def _is_heard(self, event: Event) -> bool:
        return event.session_hash in self._listeners or event._id in self._listeners

    def _drop_unheard(self) -> None:
        too_old = self._clock() - _GRACE
        for line in self._queue.event_queue_per_concurrency_id.values():
            gone = [
                event
                for event in line.queue
                if event.enqueue_time < too_old and not self._is_heard(event)
            ]
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
        return [
            event
            for line in self._queue.event_queue_per_concurrency_id.values()
            for event in line.queue
        ]


def _share(n_places: int) -> int:
    """Returns how many of some places one client may have."""
    return n_places - n_places // 8


def _n_chars(body: Any) -> int:
    """Characters of the texts among an event's values."""
    return sum(len(value) for value in body.data or () if isinstance(value, str))


# Polling interval of Gradio's queue, in seconds. Its default of 1 ms interrupts the compute thread
# a thousand times a second and costs a fifth of the generation speed (measured); a delay of 5 ms is
# imperceptible.
_LOOKS = 0.005
_PROGRESS_LOOKS = 1.0  # the same, for progress bars that this page does not have
# shutdown timeouts: responses in progress, and open connections
_LAST_WORDS = 4.0
_LAST_SECONDS = 2


def queue_of(page: gr.Blocks) -> Queue:
    """The queue of a page."""
    return page._queue


def look_seldom(queue: Queue) -> None:
    """Lengthens the queue's polling intervals."""
    if not hasattr(queue, "sleep_when_free") or not hasattr(
        queue, "progress_update_sleep_when_free"
    ):
        raise AttributeError("the queue has no such pauses")
    queue.sleep_when_free = _LOOKS
    queue.progress_update_sleep_when_free = _PROGRESS_LOOKS


def finish(page: gr.Blocks) -> None:
    """Graceful shutdown: waits until what is in progress has been told, then gives open connections
    a timeout.

    A closed queue tells of an error in place of every message that is still to be sent.
    """
    queue = queue_of(page)
    deadline = time.monotonic() + _LAST_WORDS
    while (any(queue.active_jobs) or _untold(queue)) and time.monotonic() < deadline:
        time.sleep(0.05)
    queue.close()
    if page.server is not None:
        page.server.config.timeout_graceful_shutdown = _LAST_SECONDS


def _untold(queue: Queue) -> set[str]:
    """Events that have begun, and whose last message has not been sent."""
    waiting = {
        event._id
        for line in queue.event_queue_per_concurrency_id.values()
        for event in list(line.queue)
    }
    return {
        name for names in list(queue.pending_event_ids_session.values()) for name in list(names)
    } - waiting
