"""Gradio's event queue: its polling interval and graceful shutdown."""

import time

import gradio as gr
from gradio.queueing import Queue

# Polling interval of Gradio's queue, in seconds. Its default of 1 ms interrupts the compute thread a thousand times a
# second and costs a fifth of the generation speed (measured); a delay of 5 ms is imperceptible.
_LOOKS = 0.005
_PROGRESS_LOOKS = 1.0  # the same, for progress bars that this page does not have
_LAST_WORDS, _LAST_SECONDS = 4.0, 2  # shutdown timeouts: responses in progress, and open connections


def queue_of(page: gr.Blocks) -> Queue:
    """The queue of a page."""
    return page._queue


def look_seldom(queue: Queue) -> None:
    """Lengthens the queue's polling intervals."""
    if not hasattr(queue, "sleep_when_free") or not hasattr(queue, "progress_update_sleep_when_free"):
        raise AttributeError("the queue has no such pauses")
    queue.sleep_when_free, queue.progress_update_sleep_when_free = _LOOKS, _PROGRESS_LOOKS


def finish(page: gr.Blocks) -> None:
    """Graceful shutdown: waits until what is in progress has been told, then gives open connections a timeout.

    A closed queue tells of an error in place of every message that is still to be sent.
    """
    queue, deadline = queue_of(page), time.monotonic() + _LAST_WORDS
    while (any(queue.active_jobs) or _untold(queue)) and time.monotonic() < deadline:
        time.sleep(0.05)
    queue.close()
    if page.server is not None:
        page.server.config.timeout_graceful_shutdown = _LAST_SECONDS


def _untold(queue: Queue) -> set[str]:
    """Events that have begun, and whose last message has not been sent."""
    waiting = {event._id for line in queue.event_queue_per_concurrency_id.values() for event in list(line.queue)}
    return {name for names in list(queue.pending_event_ids_session.values()) for name in list(names)} - waiting
