"""Each part of the teaching documents has a place on the page or in the code, and every named place exists."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from ui.frame.stored import page_example
from ui.page import build_page
from ui.services import make_services

COVERAGE = Path(__file__).with_name("seed_coverage.md")
ROWS = [line for line in COVERAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ") and "`" in line]
PLACES = sorted({place for row in ROWS for place in re.findall(r"`([^`]+)`", row.split("|")[-2])})


@pytest.fixture(scope="module")
def elements():
    services = make_services(model="mini", offline=True)
    page = build_page(services, page_example(services))
    return {block.elem_id for block in page.blocks.values() if getattr(block, "elem_id", None)}


def test_every_row_names_a_place():
    assert len(ROWS) > 60 and all(re.search(r"`[^`]+`", row.split("|")[-2]) for row in ROWS)
    tables = COVERAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    assert len(tables) == 5 and all(table.count("\n| ") > 6 for table in tables)


def test_every_named_element_is_on_the_page(elements):
    named = {place[1:] for place in PLACES if place.startswith("#")}
    assert len(named) > 40 and named <= elements, sorted(named - elements)


@pytest.mark.parametrize("place", [place for place in PLACES if not place.startswith("#")])
def test_every_named_code_exists(place):
    module, _, name = place.partition(":")
    assert hasattr(import_module(module), name)
