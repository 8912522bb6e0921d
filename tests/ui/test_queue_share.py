"""A client has a share of the queue, and what nobody listens to is not computed."""

import asyncio
from collections import Counter
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.data_classes import PredictBodyInternal
from wire import apart

from ui.server import launch
from ui.server.gradio_internals.queue_share import QueueShare
from ui.state.clients import Clients


class Visitor:
    """Requests of one address."""

    def __init__(self, host="9.9.9.9", **headers):
        self.headers, self.client = headers, SimpleNamespace(host=host)


@pytest.fixture
def share():
    with gr.Blocks() as page:
        page.load(lambda: None, concurrency_limit=16)
    queue = page.queue(max_size=64)._queue
    queue.active_jobs = [None] * 64  # as once it has started
    now = [0.0]
    made = QueueShare(queue, Counter(), waiting_each=3, clock=lambda: now[0])
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
    share._listeners["b"] += 1
    (event,), _, _ = share.get_events()
    assert event.session_hash == "b" and share.get_events() is None
    share._listeners["a"] += 1
    assert share.get_events()[0][0].session_hash == "a"


def test_clients_take_turns_and_so_do_their_pages(share):
    """A class behind one address waits in numbers, one of its pages with three events; another
    client comes last.
    """
    share._most = 9
    order = [("greedy", "1.1.1.1")] * 3 + [
        ("page 1", "1.1.1.1"),
        ("page 2", "1.1.1.1"),
        ("alone", "2.2.2.2"),
    ]
    for n, (session, host) in enumerate(order):
        share.now[0] = n / 10
        assert push(share, session, Visitor(host))[0]
        share._listeners[session] += 1
    begun = []
    for index in range(len(order)):
        events, _, _ = share.get_events()
        begun.append(events[0].session_hash)
        share._queue.active_jobs[index] = events
    assert begun == ["greedy", "alone", "page 1", "page 2", "greedy", "greedy"]


def test_a_client_leaves_an_eighth_of_the_places_for_others(share):
    share._most = 99
    for n in range(17):
        push(share, f"s{n}", Visitor())
        share._listeners[f"s{n}"] += 1
    for index in range(14):
        share._queue.active_jobs[index] = share.get_events()[0]
    assert share.get_events() is None
    push(share, "other", Visitor("8.8.8.8"))
    share._listeners["other"] += 1
    assert share.get_events()[0][0].session_hash == "other"
    assert len(share._waiting()) == 3


def test_texts_that_wait_have_a_limit_together(share):
    heavy = PredictBodyInternal(session_hash="a", data=["x" * (60 << 20)], fn_index=0)

    def send():
        return apart(lambda: asyncio.run(share.push(heavy, Visitor(), None)))

    assert send()[0]
    done, said, _ = send()
    assert not done and "characters" in said and push(share, "a", Visitor())[0]


def test_an_event_that_nobody_listens_to_is_dropped_and_makes_room(share):
    for n in range(3):
        push(share, f"s{n}", Visitor())
    share._listeners["s1"] += 1
    share.now[0] = 90.0
    assert push(share, "late", Visitor())[0]
    assert {event.session_hash for event in share._waiting()} == {"s1", "late"}
    assert set(share._queue.pending_event_ids_session) == {"s1", "late"}


def test_a_plain_call_listens_under_the_id_of_its_event(share):
    _, event_id = push(share, None, Visitor())
    assert share.get_events() is None
    share._listeners[event_id] += 1
    assert share.get_events()[0][0]._id == event_id


def test_on_a_server_a_client_may_fill_half_of_the_queue(services):
    with gr.Blocks() as page:
        page.load(lambda: None, concurrency_limit=16)
    launch._adapt_queue(page, services, Counter(), Clients())
    queue = page._queue
    queue.active_jobs = [None] * 16

    def said(host, n):
        event = PredictBodyInternal(session_hash=f"{host}{n}", data=[], fn_index=0)
        return apart(lambda: asyncio.run(queue.push(event, Visitor(host), None)))[0]

    most = services.limits.waiting_events
    assert [said("9.9.9.9", n) for n in range(most)].count(True) == most // 2
    assert said("8.8.8.8", 0)
