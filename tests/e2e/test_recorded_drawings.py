"""Every component draws what it drew when it was recorded, and after each use of its controls; so
does the page as a whole, with its keys, talks and rooms (`python -m tests.tools.record`).
"""

import difflib
from functools import partial
from pathlib import Path

import pytest
from answers import RECORDED, load
from page_answers import first_values
from stage import UNLIKE, Part, Stage, components, of_each_kind, part_of, served_stage
from stage.scenarios import SCENARIOS
from stage.whole import WholePage

from serving import built_page

KEPT = sorted((RECORDED / "drawn").glob("*.txt"))


@pytest.fixture(scope="module")
def page():
    with built_page() as (page, _):
        yield page


@pytest.fixture(scope="module")
def address():
    with served_stage() as address:
        yield address


@pytest.fixture(scope="module")
def stage(browser, page, address) -> Stage:
    return Stage(browser, page, address)


@pytest.fixture(scope="module")
def parts(page) -> dict[str, Part]:
    """What each component shows at first, and hears of the server."""
    shown = first_values(page)
    events = load("events")
    exercises = of_each_kind(load("functions")["Exercises.exercises"])
    found = {}
    for name, component in components(page).items():
        file = RECORDED / "server" / f"{name}.json"
        answers = load(f"server/{name}") if file.exists() else {}
        found[name] = part_of(component, shown[component._id], events, exercises, answers)
    return found


def test_every_component_of_the_page_is_recorded(page):
    assert {file.stem for file in KEPT} == set(components(page))


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_a_component_draws_and_asks_as_it_did(file, page, parts, stage):
    drawn, _ = stage.drawn(components(page)[file.stem], parts[file.stem])
    assert UNLIKE not in drawn, "a link within the page"  # also where it was recorded so
    check_same(file, drawn)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_page_does_as_it_did(name, browser, page, address):
    check_same(
        RECORDED / "page" / f"{name}.txt",
        SCENARIOS[name](partial(WholePage, browser, page, address)),
    )


def check_same(file: Path, now: str) -> None:
    kept = file.read_text(encoding="utf-8")
    lines = difflib.unified_diff(kept.splitlines(), now.splitlines(), "kept", "now", n=4)
    assert now == kept, "\n".join(list(lines)[:60])
