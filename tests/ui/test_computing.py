"""The computing place: turns, hand-over, giving up, errors."""

import asyncio
import itertools
import threading
import time
from types import SimpleNamespace

import pytest
from wire import apart

from helpers import until
from ui.compute import compute_thread as computing
from ui.compute.compute_thread import Closed, ComputeThread
from ui.server.ending import EndingMiddleware, OpenRequests


@pytest.fixture
def place() -> ComputeThread:
    return ComputeThread("test")


def test_results_come_whole_and_in_order_with_their_seconds(place):
    found = list(place.each(iter(range(1000))))
    assert [made for made, _ in found] == list(range(1000)) and all(
        seconds >= 0 for _, seconds in found
    )
    assert place.active == 0 and list(place.each(iter(()))) == []
    assert place.once(lambda: [1, 2]) == [1, 2] and place.once(lambda: None) is None


def test_everything_is_computed_in_one_thread_that_is_not_the_callers(place):
    def names():
        for _ in range(3):
            yield threading.current_thread()

    found = {thread for thread, _ in place.each(names())} | {place.once(threading.current_thread)}
    assert len(found) == 1 and threading.current_thread() not in found
    # a computation may ask for another
    assert place.once(lambda: place.once(threading.current_thread)) in found


def test_a_step_that_takes_long_is_not_waited_for_once_the_server_ends(monkeypatch):
    monkeypatch.setattr(computing, "_LAST_STEP", 0.05)
    begun = threading.Event()
    goes_on = threading.Event()
    ending = threading.Event()
    place = ComputeThread("test", ending=ending)

    def steps():
        yield 1
        begun.set()
        goes_on.wait()
        yield 2

    results = place.each(steps())
    assert next(results)[0] == 1
    begun.wait()
    ending.set()
    with pytest.raises(Closed, match="is ending"):
        next(results)
    goes_on.set()


def test_an_endless_computation_leaves_others_their_turns(place):
    endless = place.each(itertools.count())
    assert next(endless)[0] == 0
    assert [made for made, _ in place.each(iter("abc"))] == list("abc")
    assert place.once(lambda: 7) == 7
    assert next(endless)[0] == 1
    endless.close()


def test_what_nobody_fetches_is_not_computed_without_end(place):
    done = []

    def steps():
        for n in itertools.count():
            done.append(n)
            yield n

    found = place.each(steps())
    next(found)

    def many_turns() -> int:
        for _ in range(4 * computing._AHEAD):  # each lets one slice of the other pass at least
            place.once(lambda: None)
        return len(done)

    assert many_turns() == many_turns() and place.active == 0
    more = 2 * len(done)
    assert [made for made, _ in itertools.islice(found, more)] == list(range(1, more + 1))
    found.close()


def test_giving_up_closes_the_computation_where_it_ran(place):
    closed = threading.Event()
    closed_by = []

    def steps():
        try:
            yield from itertools.count()
        finally:
            closed_by.append(threading.current_thread())
            closed.set()

    found = place.each(steps())
    next(found)
    found.close()
    closed.wait()
    assert closed_by == [place.once(threading.current_thread)] and place.active == 0


def test_errors_are_raised_where_the_results_are_asked_for_after_those_before(place):
    def steps():
        yield 1
        yield 2
        raise ValueError("three")

    found = place.each(steps())
    assert [next(found)[0], next(found)[0]] == [1, 2]
    with pytest.raises(ValueError, match="three"):
        next(found)
    with pytest.raises(ZeroDivisionError):
        place.once(lambda: 1 // 0)
    assert place.once(lambda: "alive") == "alive" and place.active == 0


def test_an_idle_thread_ends_and_another_begins():
    place = ComputeThread("brief", idle=0.0)
    thread = place.once(threading.current_thread)
    thread.join()
    assert place.once(threading.current_thread) is not thread


def test_patient_jobs_have_half_of_the_time_together_and_single_steps_go_first(place):
    order: list[str] = []
    took: list[float] = []  # each step, which a busy machine interrupts
    begin = threading.Event()
    over = threading.Event()

    def steps(name: str, seconds: float, n: int):
        begin.wait()
        for _ in range(n):
            if over.is_set():
                return
            order.append(name)
            begun = time.perf_counter()
            wait_for(seconds)
            took.append(time.perf_counter() - begun)
            yield
        if name == "text":
            over.set()

    place.keep(steps("run 1", 0.06, 10**9), background=True)  # each step longer than a turn
    place.keep(steps("run 2", 0.06, 10**9), background=True)
    place.keep(steps("text", 0.002, 300))
    begin.set()
    until(lambda: "text" in order)
    place.once(lambda: (order.append("at once"), took.append(0.0)))
    over.wait()
    until(lambda: not place.active)
    among = slice(order.index("text"), len(order) - order[::-1].index("text"))
    steps_among = list(zip(order[among], took[among], strict=True))
    runs = sum(seconds for name, seconds in steps_among if name.startswith("run"))
    assert {"run 1", "run 2"} <= set(order[among]) and "at once" in order
    assert 0.25 < runs / sum(seconds for _, seconds in steps_among) < 0.75


@pytest.mark.parametrize("patient_first", [True, False])
def test_who_had_the_place_alone_owes_nothing_to_who_comes_later(place, monkeypatch, patient_first):
    now = [0.0]
    monkeypatch.setattr(computing, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    order: list[str] = []

    def steps(name: str, n: int, then=lambda: None):
        for _ in range(n):
            now[0] += 1.0
            order.append(name)
            yield
        then()
        for _ in range(20):
            now[0] += 1.0
            order.append(name)
            yield

    def join() -> None:
        place.keep(steps("second", 0), background=not patient_first)

    place.keep(steps("first", 100, join), background=patient_first)
    until(lambda: order.count("second") == 20 and not place.active)
    begins = order.index("second")
    assert 100 <= begins <= 103 and "first" in order[begins : begins + 6]


def wait_for(seconds: float) -> None:
    """Computes for so long."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


def test_a_place_that_is_closed_ends_its_slice_and_takes_nothing_more(place):
    begun = threading.Event()
    go_on = threading.Event()
    ended = []

    def step():
        begun.set()
        go_on.wait()
        ended.append(True)
        yield

    place.keep(step())
    begun.wait()
    threading.Timer(0.05, go_on.set).start()
    place.close()
    assert ended and place._thread is None
    for ask in (
        lambda: place.once(lambda: 1),
        lambda: place.keep(iter("a")),
        lambda: list(place.each(iter("a"))),
    ):
        with pytest.raises(Closed, match="closing"):
            ask()
    ComputeThread("never used").close()


def test_single_steps_are_served_in_the_order_in_which_they_came(place):
    order = []
    held = threading.Event()
    begun = threading.Event()

    def first() -> None:
        begun.set()
        held.wait()

    asking = [threading.Thread(target=lambda: place.once(first))]
    asking[0].start()
    begun.wait()
    for name in "abcd":
        before = place.active
        asking.append(
            threading.Thread(target=lambda name=name: place.once(lambda: order.append(name)))
        )
        asking[-1].start()
        until(lambda before=before: place.active > before)
    held.set()
    for item in asking:
        item.join()
    assert "".join(order) == "abcd"


def test_a_server_that_ends_refuses_posts_and_passes_on_the_rest():
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["type"])

    async def send(message):
        sent.append(message)

    def asked(scope):
        sent.clear()
        apart(lambda: asyncio.run(EndingMiddleware(app, requests)(scope, None, send)))
        return sent[0]["status"] if sent else None

    requests = OpenRequests()
    sent = []
    post = {"type": "http", "method": "POST", "path": "/"}
    assert asked(post) is None and seen == ["http"]
    requests.ending = True
    assert asked(post) == 503 and seen == ["http"]
    assert asked({**post, "method": "GET"}) is None and seen == ["http", "http"]
    assert asked({"type": "lifespan"}) is None and seen[-1] == "lifespan"


def test_a_computation_that_waits_to_be_fetched_is_closed_where_its_visitor_leaves(place):
    closed = threading.Event()
    done = []

    def steps():
        try:
            for number in itertools.count():
                done.append(number)
                yield number
        finally:
            closed.set()

    def n_done() -> int:
        for _ in range(4 * computing._AHEAD):
            place.once(lambda: None)
        return len(done)

    found = place.each(steps())
    next(found)
    while (before := n_done()) != n_done():
        assert before < 10**6
    assert not closed.is_set()  # as much is computed ahead as may be: it waits
    found.close()
    assert closed.wait(60)


@pytest.mark.parametrize("has_begun", [False, True])
def test_an_answer_in_progress_gets_its_last_word_when_the_server_ends(has_begun):
    """In a loop of its own, as the server's; told to end from another thread."""
    requests = OpenRequests()
    waiting = threading.Event()
    sent = []

    async def app(scope, receive, send):
        if has_begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        waiting.set()
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    async def serve() -> None:
        scope = {"type": "http", "method": "GET", "path": "/"}
        answering = asyncio.create_task(EndingMiddleware(app, requests)(scope, None, send))
        await asyncio.wait([answering])
        await asyncio.to_thread(over.wait, 60)  # the loop outlives its requests

    over = threading.Event()
    serving = threading.Thread(target=lambda: asyncio.run(serve()))
    serving.start()
    assert waiting.wait(60)
    requests.end()
    over.set()
    serving.join(60)
    assert not serving.is_alive() and not requests.tasks
    assert sent[0]["status"] == (200 if has_begun else 503)
    assert sent[-1]["type"] == "http.response.body" and not sent[-1].get("more_body")
