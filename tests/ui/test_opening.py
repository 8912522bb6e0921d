"""A view asks by itself when its tab is opened for the first time, in its turn, and ends nothing that runs."""

import threading
from types import SimpleNamespace

import pytest

from helpers import until
from ui.shared.opening import Opening

VISITOR = SimpleNamespace(session_hash="visitor")


def drawn(values):
    """What is not left as it is."""
    return [value for value in values if not (isinstance(value, dict) and value.get("__type__") == "update")]


def asked_by(view, services, answers=None):
    return Opening(services, view, lambda request, *given: answers or f"asked with {given}")


def test_a_view_asks_the_first_time_that_it_is_opened_and_no_more_nor_after_its_button(services):
    view = asked_by("a", services)
    assert list(view.opened(VISITOR, 1, 2)) == ["asked with (1, 2)"]
    assert drawn(view.opened(VISITOR, 1, 2)) == []
    assert drawn(asked_by("b", services).opened(VISITOR, 3)) == ["asked with (3,)"]
    assert list(view.opened(SimpleNamespace(session_hash="another"), 4)) == ["asked with (4,)"]
    pressed = asked_by("c", services, ["one", "two"])
    assert list(pressed.pressed(VISITOR)) == ["one", "two"]
    assert drawn(pressed.opened(VISITOR)) == []


@pytest.mark.parametrize("n_views", [1, 3])
def test_views_that_open_amid_something_wait_and_are_filled_one_after_the_other(services, n_views):
    session, found, at_once, most = services.sessions.get("visitor"), {}, 0, 0

    def ask(request, view):
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        with session.turn() as run:
            yield view
            assert run.wanted  # no other view has ended it
        at_once -= 1

    def open_view(view):
        found[view] = drawn(Opening(services, view, ask).opened(VISITOR, view))

    threads = [threading.Thread(target=open_view, args=(f"view {n}",)) for n in range(n_views)]
    with session.turn() as run:
        for thread in threads:
            thread.start()
        waits = Opening(services, "seen", ask).opened(VISITOR, "seen")
        assert drawn([next(waits)]) == []
        waits.close()
        assert not found and run.wanted  # nothing that runs is ended
    for thread in threads:
        thread.join(60)
    assert found == {f"view {n}": [f"view {n}"] for n in range(n_views)}
    assert most == 1


def test_what_the_visitor_presses_goes_before_what_a_view_asks_by_itself(services):
    session, ended = services.sessions.get("visitor"), []

    def ask(request):
        with session.turn() as run:
            yield "begun"
            until(lambda: not run.wanted)
            ended.append(run.superseded)

    opened = threading.Thread(target=lambda: list(Opening(services, "a", ask).opened(VISITOR)))
    opened.start()
    until(lambda: session._runs)
    with session.turn():
        pass
    opened.join(60)
    assert ended == [True]
