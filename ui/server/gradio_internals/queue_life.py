"""Gradio's event queue: how often it looks for something to do, and how it ends."""

from __future__ import annotations

import time

import gradio as gr
from gradio.queueing import Queue

# Seconds between two looks of Gradio's queue for a new event. Its own millisecond interrupts what computes a thousand
# times a second: measured, it takes a fifth of the speed of a text, and 5 ms before an answer are noticed by nobody.
_LOOKS = 0.005
_PROGRESS_LOOKS = 1.0  # the same, for progress bars that this page does not have
_LAST_WORDS, _LAST_SECONDS = 2.0, 2  # for answers that are under way, and for connections that stay open, at the end


def queue_of(page: gr.Blocks) -> Queue:
    """The queue of a page."""
    return page._queue


def look_seldom(queue: Queue) -> None:
    """Lengthens the pauses between two looks for something to do."""
    if not hasattr(queue, "sleep_when_free") or not hasattr(queue, "progress_update_sleep_when_free"):
        raise AttributeError("the queue has no such pauses")
    queue.sleep_when_free, queue.progress_update_sleep_when_free = _LOOKS, _PROGRESS_LOOKS


def finish(page: gr.Blocks) -> None:
    """Waits for answers that are under way, and gives open connections a moment."""
    queue, deadline = queue_of(page), time.monotonic() + _LAST_WORDS
    while any(queue.active_jobs) and time.monotonic() < deadline:
        time.sleep(0.05)
    queue.close()
    if page.server is not None:
        page.server.config.timeout_graceful_shutdown = _LAST_SECONDS
