"""A view that asks by itself waits for its turn, and ends nothing that runs."""

import threading
from types import SimpleNamespace

import pytest

from helpers import until
from ui.shared.waiting import when_idle

VISITOR = SimpleNamespace(session_hash="visitor")


def drawn(values):
    """What is no empty answer, as those that are waiting give."""
    return [value for value in values if value != {}]


def test_a_view_asks_at_once_where_nothing_is_under_way(services):
    asked = when_idle(services, lambda request, *given: f"asked with {given}")
    assert list(asked(VISITOR, 1, 2)) == ["asked with (1, 2)"]
    assert list(
        when_idle(services, lambda request: (item for item in ["one", "two"]))(VISITOR)
    ) == ["one", "two"]


@pytest.mark.parametrize("n_views", [1, 3])
def test_views_that_open_amid_something_wait_and_are_filled_one_after_the_other(services, n_views):
    session = services.sessions.get("visitor")
    found = {}
    at_once = 0
    most = 0

    def ask(request, view):
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        with session.turn() as run:
            yield view
            assert run.wanted  # no other view has ended it
        at_once -= 1

    def open_view(view):
        found[view] = drawn(when_idle(services, ask)(VISITOR, view))

    threads = [threading.Thread(target=open_view, args=(f"view {n}",)) for n in range(n_views)]
    with session.turn() as run:
        for thread in threads:
            thread.start()
        waits = when_idle(services, ask)(VISITOR, "seen")
        assert drawn([next(waits)]) == []
        waits.close()
        assert not found and run.wanted  # nothing that runs is ended
    for thread in threads:
        thread.join(60)
    assert found == {f"view {n}": [f"view {n}"] for n in range(n_views)}
    assert most == 1


def test_what_the_visitor_presses_goes_before_what_a_view_asks_by_itself(services):
    session = services.sessions.get("visitor")
    ended = []

    def ask(request):
        with session.turn() as run:
            yield "begun"
            until(lambda: not run.wanted)
            ended.append(run.superseded)

    opened = threading.Thread(target=lambda: list(when_idle(services, ask)(VISITOR)))
    opened.start()
    until(lambda: session._runs)
    with session.turn():
        pass
    opened.join(60)
    assert ended == [True]
