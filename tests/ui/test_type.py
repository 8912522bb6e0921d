"""Six sizes of type and one scale of spacing, declared once: no style sheet and no component has one of its own."""

import re
from pathlib import Path

import pytest

from ui.shared.theme import make_theme

UI = Path(__file__).resolve().parents[2] / "ui"
SHEETS = sorted(UI.rglob("*.css"))
# A size by its name, in a drawing divided by its scale, or that of what it stands in; Gradio's measuring copies of the
# tabs have none.
_SIZE = r"var\(--text-(xs|sm|md|lg|xl|xxl)\)"
ALLOWED = re.compile(rf"({_SIZE}|calc\({_SIZE} / var\(--unit, 1\)\)|inherit|0)( !important)?")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_size_of_type_is_one_of_the_six(sheet):
    sizes = re.findall(r"font-size:\s*([^;]+);", sheet.read_text(encoding="utf-8"))
    assert [size for size in sizes if not ALLOWED.fullmatch(size)] == []


# A step of the scale, less than none of it, nothing, a hairline, or a length that is derived from another one, or
# the room that something over the page takes.
_SPACE = re.compile(
    r"(var\(--[\w-]+\)|calc\(-1 \* var\(--space-\d\)\)|0|auto|[1-4]px|[5-9](\.\d)?em|\d\d(em|vh))( !important)?"
)
_SPACED = re.compile(r"(?<![\w-])(?:(?:padding|margin)(?:-[a-z-]+)?|(?:column-|row-)?gap):\s*([^;]+);")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_space_is_of_the_one_scale(sheet):
    lengths = [
        length
        for value in _SPACED.findall(sheet.read_text(encoding="utf-8"))
        for length in re.findall(r"(?:[^\s()]|\([^()]*(?:\([^()]*\)[^()]*)*\))+", value.replace("!important", ""))
    ]
    assert [length for length in lengths if not _SPACE.fullmatch(length)] == []


def test_components_written_in_python_have_no_sizes_of_their_own():
    for file in UI.rglob("*.py"):
        sizes = re.findall(r"font-size:\s*([^;\"']+)", file.read_text(encoding="utf-8"))
        assert [size for size in sizes if not ALLOWED.fullmatch(size)] == [], file


def test_the_smallest_size_can_be_read():
    theme = make_theme()
    sizes = [getattr(theme, f"text_{name}") for name in ("xxs", "xs", "sm", "md", "lg", "xl", "xxl")]
    assert all(size.endswith("px") for size in sizes) and min(int(size[:-2]) for size in sizes) >= 12
    assert len(set(sizes)) == 6
