"""Every component draws what it drew when it was recorded, and after each use of its controls
(`python -m tests.tools.record`).
"""

import difflib

import pytest
from page_answers import RECORDED, fields_of, load
from stage import Part, components, part_of, stage, walked
from starlette.testclient import TestClient

from serving import built_page

KEPT = sorted((RECORDED / "drawn").glob("*.txt"))


@pytest.fixture(scope="module")
def page():
    with built_page() as (page, _):
        yield page


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(stage())


@pytest.fixture(scope="module")
def parts(page) -> dict[str, Part]:
    """What each component shows at first, and hears of the server."""
    shown = {item["id"]: item["props"].get("value") for item in page.config["components"]}
    events = load("events")
    found = {}
    for name, component in components(page).items():
        file = RECORDED / "server" / f"{name}.json"
        answers = load(f"server/{name}") if file.exists() else {}
        found[name] = part_of(component, shown[component._id], events, answers)
    return found


def test_every_component_of_the_page_is_recorded(page):
    assert {file.stem for file in KEPT} == set(components(page))


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_a_component_draws_and_asks_as_it_did(file, page, parts, client, browser):
    component = components(page)[file.stem]
    drawn, _ = walked(browser, client, component, parts[file.stem], fields_of(page))
    kept = file.read_text(encoding="utf-8")
    lines = difflib.unified_diff(kept.splitlines(), drawn.splitlines(), "kept", "drawn", n=4)
    assert drawn == kept, "\n".join(list(lines)[:60])
