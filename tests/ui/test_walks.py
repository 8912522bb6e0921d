"""Objects that keep something between calls go through the walks of `tests/walks.py` as they did
when these were recorded.
"""

import importlib
import inspect
import pkgutil

import pytest
from answers import RECORDED
from walked_objects import WALKS
from walks import Walked

import ui

# they hold threads or a server; tests of their own let time pass in them
OF_THREADS = {"QueueShare", "RunManager", "SavedRuns"}


def timed():
    """Classes of the page that are given a clock."""
    for found in pkgutil.walk_packages(ui.__path__, "ui."):
        if found.name.endswith("__main__"):
            continue
        for name, item in vars(importlib.import_module(found.name)).items():
            is_own = inspect.isclass(item) and item.__module__ == found.name
            made = vars(item).get("__init__") if is_own else None
            if made and name[0] != "_" and "clock" in inspect.signature(made).parameters:
                yield name


def test_everything_that_has_a_clock_is_walked_through():
    assert set(timed()) - OF_THREADS <= set(WALKS)


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_goes_as_it_did(name):
    kept = (RECORDED / "walks" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for number, pair in enumerate(zip(Walked(name, WALKS[name]).lines(), kept, strict=True), 1):
        assert pair[0] == pair[1], f"line {number}"
