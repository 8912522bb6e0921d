"""Views that ask by themselves when they are first opened."""

from types import SimpleNamespace

import gradio as gr

from ui.handlers.sheets import message
from ui.tabs.opening import BUSY, WAITING, first_time

VISITOR = SimpleNamespace(session_hash="visitor")


def test_a_view_asks_once_and_then_keeps_what_it_shows(services):
    opened = first_time(services, lambda *given: f"asked with {given}")
    assert list(opened(VISITOR, message(WAITING), 1, 2)) == ["asked with (1, 2)"]
    (kept,) = opened(VISITOR, "what it shows", 1, 2)
    assert kept == gr.skip()


def test_what_grows_grows_and_the_request_is_passed_on(services):
    def ask(request, name):
        yield f"{request.session_hash} asks {name}"
        yield "more"

    assert list(first_time(services, ask)(VISITOR, message(WAITING), "it")) == ["visitor asks it", "more"]


def test_opening_a_view_ends_nothing_that_runs(services):
    with services.sessions.get("visitor").turn() as run:
        assert list(first_time(services, lambda: "asked")(VISITOR, message(WAITING))) == [message(BUSY)]
        assert run.wanted
    assert list(first_time(services, lambda: "asked")(VISITOR, message(WAITING))) == ["asked"]
