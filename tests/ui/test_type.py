"""Colours, six sizes of type and one scale of spacing, declared once: no sheet and no component has
one of its own.
"""

import re
from dataclasses import fields

import pytest

from gptcore.analysis import count_parameters
from gptcore.analysis.parameters import ParameterCount
from gptcore.config import PRESETS
from tiny import ROOT
from ui.lenses.parameters.handlers.colours import PARTS
from ui.shared.theme import make_theme

UI = ROOT / "ui"
SHEETS = sorted(UI.rglob("*.css"))
# A size by its name, in a drawing divided by its scale, or that of what it stands in; Gradio's
# measuring copies of the tabs have none.
_SIZE = r"var\(--text-(xs|sm|md|lg|xl|xxl)\)"
ALLOWED = re.compile(rf"({_SIZE}|calc\({_SIZE} / var\(--unit, 1\)\)|inherit|0)( !important)?")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_size_of_type_is_one_of_the_six(sheet):
    sizes = re.findall(r"font-size:\s*([^;]+);", sheet.read_text(encoding="utf-8"))
    assert [size for size in sizes if not ALLOWED.fullmatch(size)] == []


# A step of the scale, less than none of it, nothing, a hairline, or a length that is derived from
# another one, or the room that something over the page takes.
_SPACE = re.compile(
    r"(var\(--[\w-]+\)|calc\(-1 \* "
    r"var\(--space-\d\)\)|0|auto|[1-4]px|[5-9](\.\d)?em|\d\d(em|vh))( !important)?"
)
_SPACED = re.compile(
    r"(?<![\w-])(?:(?:padding|margin)(?:-[a-z-]+)?|(?:column-|row-)?gap):\s*([^;]+);"
)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_space_is_of_the_one_scale(sheet):
    lengths = [
        length
        for value in _SPACED.findall(sheet.read_text(encoding="utf-8"))
        for length in re.findall(
            r"(?:[^\s()]|\([^()]*(?:\([^()]*\)[^()]*)*\))+", value.replace("!important", "")
        )
    ]
    assert [length for length in lengths if not _SPACE.fullmatch(length)] == []


def test_components_written_in_python_have_no_sizes_of_their_own():
    for file in UI.rglob("*.py"):
        sizes = re.findall(r"font-size:\s*([^;\"']+)", file.read_text(encoding="utf-8"))
        assert [size for size in sizes if not ALLOWED.fullmatch(size)] == [], file


def test_the_smallest_size_can_be_read():
    theme = make_theme()
    sizes = [
        getattr(theme, f"text_{name}") for name in ("xxs", "xs", "sm", "md", "lg", "xl", "xxl")
    ]
    assert (
        all(size.endswith("px") for size in sizes) and min(int(size[:-2]) for size in sizes) >= 12
    )
    assert len(set(sizes)) == 6


HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
# Where colours are defined: theme, meanings, slides, scales, and what stands in before a style is
# read.
DEFINING = {
    "shared/theme.py",
    "lenses/parameters/handlers/colours.py",
    "shared/slide.py",
    "shared/view/scales.js",
    "lenses/attention/view/map_painting.js",
}


def test_every_component_has_a_colour_of_its_own_in_its_order_the_same_on_the_page():
    told = dict(
        re.findall(
            r"--lens-part-([a-z-]+): (#\w+);",
            (UI / "shared/view/properties.css").read_text("utf-8"),
        )
    )
    assert set(told) >= {"attention", "mlp"}
    assert told == {name.replace("_", "-"): PARTS[name] for name in told}
    names = [field.name for field in fields(ParameterCount) if field.name != "components"]
    assert list(PARTS) == names and len(set(PARTS.values())) == len(PARTS)
    assert len(count_parameters(PRESETS["gpt2"]).components) == len(PARTS)


def test_no_figure_defines_a_colour_for_itself():
    sources = [*UI.rglob("*.py"), *UI.rglob("*.js")]
    found = {
        file.relative_to(UI).as_posix()
        for file in sources
        if HEX.search(file.read_text(encoding="utf-8"))
    }
    assert found <= DEFINING, found - DEFINING


def test_a_colour_means_one_thing_and_orange_at_most_three():
    table = (UI / "shared/view/properties.css").read_text("utf-8")
    meanings = table.partition("*/")[0]
    for block in (table.partition(".dark {")[0], table.partition(".dark {")[2]):
        named = re.findall(r"--lens-([a-z-]+?)(?:-\d)?: (#\w+);", block)
        shared = [name for name, colour in named if colour == dict(named).get("surprise")]
        assert len(shared) <= 3, shared
    used = set().union(
        *(re.findall(r"--lens-([a-z]+)", file.read_text("utf-8")) for file in UI.rglob("*.css"))
    )
    # backgrounds, a scale between colours, and a row of controls
    plain = {"paper", "blank", "share", "sliders"}
    assert all(re.search(rf"\b{name}\b", meanings) for name in used - plain), used
