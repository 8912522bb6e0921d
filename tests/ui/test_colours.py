"""One part of a model has one colour, wherever it is drawn."""

import re
from dataclasses import fields
from pathlib import Path

from gptcore.analysis import count_parameters
from gptcore.analysis.parameters import ParameterCount
from gptcore.config import PRESETS
from ui.shared.colours import PARTS

UI = Path(__file__).resolve().parents[2] / "ui"
HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
# Where colours are defined: theme, meanings, slides, scales, and what stands in before a style is read.
DEFINING = {
    "shared/theme.py", "shared/colours.py", "shared/slide.py", "shared/view/scales.js",
    "lenses/attention/view/map_painting.js",
}  # fmt: skip


def test_the_page_s_parts_have_the_colours_of_the_figures():
    style = (UI / "shared/view/properties.css").read_text(encoding="utf-8")
    told = dict(re.findall(r"--lens-part-([a-z-]+): (#\w+);", style))
    assert set(told) >= {"attention", "mlp"}
    assert told == {name.replace("_", "-"): PARTS[name] for name in told}


def test_every_component_has_a_colour_of_its_own_in_its_order():
    names = [one.name for one in fields(ParameterCount) if one.name != "components"]
    assert list(PARTS) == names and len(set(PARTS.values())) == len(PARTS)
    assert len(count_parameters(PRESETS["gpt2"]).components) == len(PARTS)


def test_no_figure_defines_a_colour_for_itself():
    found = {
        file.relative_to(UI).as_posix()
        for kind in ("py", "js")
        for file in UI.rglob(f"*.{kind}")
        if HEX.search(file.read_text(encoding="utf-8"))
    }
    assert found <= DEFINING, found - DEFINING
