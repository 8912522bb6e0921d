"""A model that is picked says how far its opening is, and at the end what it is."""

import threading
from dataclasses import replace

import pytest

from gptcore.analysis.verification import Check
from gptcore.errors import CheckpointError
from ui import page
from ui.frame.handlers import model as handlers
from ui.frame.handlers.model import checks, load
from ui.state.model_store import ModelStore, facts


def opened_by(services, loader):
    store = ModelStore(services.limits, offline=True, default="tiny", loader=loader)
    return replace(services, models=store)


def test_a_model_that_is_opened_reports_until_it_is_there(services, tiny_lm):
    threads = []

    def loader(name, progress=None, **_):
        threads.append(threading.current_thread().name)
        return tiny_lm

    said = list(load(opened_by(services, loader), "mini"))
    assert said[0] == ("Opening mini …", False) and said[-1] == (facts(tiny_lm), True)
    assert threads == ["load-mini"] and not any(is_open for _, is_open in said[:-1])


def test_a_model_that_is_open_is_not_opened_again(services):
    services.models.get("tiny")
    assert list(load(services, "tiny")) == [(facts(services.models.get("tiny")), True)]


def test_a_model_that_cannot_be_opened_says_why(services):
    def loader(name, **_):
        raise CheckpointError(f"{name} is damaged.")

    with pytest.raises(CheckpointError, match="mini is damaged"):
        list(load(opened_by(services, loader), "mini"))


def test_the_checks_are_counted_as_they_come_and_a_stop_keeps_them(services):
    shown = list(checks(services, "v", "tiny"))
    assert "running…" in shown[0] and "running…" in shown[-2]
    assert "passed, 0 failed" in shown[-1] and shown[-1].count("✓ passed") > 3
    half = checks(services, "v", "tiny")
    next(half), next(half)
    services.sessions.get("v").stop()
    *_, last = half
    assert "stopped" in last and last.count("✓ passed") in (1, 2)


def test_checks_that_were_not_run_are_counted_apart(services, monkeypatch):
    found = [Check("a", passed, "1") for passed in (True, False, None, None, True)]
    monkeypatch.setattr(handlers, "verify", lambda _: iter(found))
    *_, last = checks(services, "v", "tiny")
    assert "2 passed, 1 failed, 2 not run" in last


def test_a_model_that_cannot_be_opened_leaves_the_picker_and_the_moment_at_the_one_before(services):
    def loader(name, **_):
        raise CheckpointError(f"{name} is damaged.")

    *_, last = page._on_model(opened_by(services, loader), "gpt2", ("mini@512", 3))
    assert last["model"] == "mini@512" and "opened" not in last
    assert last["moment"].value == page.picker.moment_slider("mini@512").value
    assert last["moment_note"] == page.picker.moment_said("mini@512") != ""
