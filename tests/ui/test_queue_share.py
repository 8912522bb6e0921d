"""A client has a share of the queue, and what nobody listens to is not computed."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.data_classes import PredictBodyInternal
from wire import apart

from ui.server.gradio_internals.queue_share import Listeners, QueueShare


class Visitor:
    """Requests of one address."""

    def __init__(self, host="9.9.9.9", **headers):
        self.headers, self.client = headers, SimpleNamespace(host=host)


@pytest.fixture
def share():
    with gr.Blocks() as page:
        page.load(lambda: None, concurrency_limit=4)
    queue = page.queue(max_size=64)._queue
    now = [0.0]
    made = QueueShare(queue, Listeners(), waiting_each=3, clock=lambda: now[0])
    made.now = now
    return made


def push(share, session, visitor):
    event = PredictBodyInternal(session_hash=session, data=[], fn_index=0)
    done, said, _ = apart(lambda: asyncio.run(share.push(event, visitor, None)))
    if done:
        share._queue.event_ids_to_events[said].enqueue_time = share.now[0]
    return done, said


def test_one_client_cannot_fill_the_queue_under_new_names(share):
    flood = [push(share, f"s{n}", Visitor()) for n in range(130)]
    assert sum(done for done, _ in flood) == 3
    assert "3 are allowed at once" in flood[-1][1]
    assert push(share, "another", Visitor("8.8.8.8"))[0]


def test_an_event_begins_once_its_answer_is_listened_for(share):
    push(share, "a", Visitor())
    push(share, "b", Visitor("8.8.8.8"))
    assert share.get_events() is None
    share._listeners.begin("b")
    (event,), _, _ = share.get_events()
    assert event.session_hash == "b" and share.get_events() is None
    share._listeners.begin("a")
    assert share.get_events()[0][0].session_hash == "a"


def test_an_event_that_nobody_listens_to_is_dropped_and_makes_room(share):
    for n in range(3):
        push(share, f"s{n}", Visitor())
    share._listeners.begin("s1")
    share.now[0] = 20.0
    assert push(share, "late", Visitor())[0]
    assert {event.session_hash for event in share._waiting()} == {"s1", "late"}
    assert set(share._queue.pending_event_ids_session) == {"s1", "late"}


def test_a_plain_call_listens_under_the_id_of_its_event(share):
    _, event_id = push(share, None, Visitor())
    assert share.get_events() is None
    share._listeners.begin(event_id)
    assert share.get_events()[0][0]._id == event_id
