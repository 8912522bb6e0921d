"""The table of all benchmarks finds its figures in what they print, and the one of presets runs what the app runs."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from ui.handlers.train.presets import PRESETS
from ui.services import make_services

_HERE = Path(__file__).parent / "benchmarks"
ALL, ROWS = (runpy.run_path(str(_HERE / name)) for name in ("all.py", "presets.py"))

DECODE = """
gpt2 (random weights)    tok/s   best  x transformers
  transformers fp32        33     34      1.00
  exact                    52     54      1.58
  default                 108    108      3.29
  int8                    164    164      5.00
mini (as bundled)        tok/s   best  x transformers
  default                1179   1214      3.23
choosing
  top-p 0.9                    0.317
"""


def test_figures_and_ratios_stand_in_their_rows_and_what_failed_is_named():
    rows = ALL["table"]({"decode.py": DECODE}).splitlines()
    assert "| GPT-2 small, default decode, tokens/s | 108 | transformers, fp32 | 3.29 |" in rows
    assert "| mini, tokens/s | 1179 | transformers, fp32 | 3.23 |" in rows
    assert "| choosing by top-p 0.9 among 50,257, ms | 0.317 |  |  |" in rows
    assert len(rows) == 2 + sum(map(len, ALL["PARTS"].values()))
    assert sum("not measured" in row for row in rows) == len(rows) - 2 - len(ALL["PARTS"]["decode.py"])


def test_a_row_of_the_presets_table_is_a_run_of_the_apps_own(capsys):
    short = {**PRESETS["30 seconds, letters"], "length": "steps", "max_steps": 2, "n_layer": 1, "n_embd": 16}
    name, values = next(iter(ROWS["ROWS"].items()))
    ROWS["one"](make_services(offline=True), name, {**short, **values})
    row = capsys.readouterr().out.split()
    assert row[:2] == ["AdamW", "2"] and 1 < float(row[4]) < 6


def test_the_table_of_causes_is_what_the_check_prints(tmp_path):
    picture = tmp_path / "attribution.png"
    root = _HERE.parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "tests.tools.attribution_check", "--picture", str(picture)],
        cwd=root, capture_output=True, text=True, timeout=240, check=True,
    )  # fmt: skip
    assert picture.stat().st_size > 10_000
    stored = (_HERE / "README.md").read_text(encoding="utf-8").replace("−", "-")
    rows = [row.strip("| ").split(" | ") for row in done.stdout.splitlines()[2:]]
    assert len(rows) == 5
    for name, *found in rows:
        told = next(line for line in stored.splitlines() if line.startswith(f"| {name} | {found[0]} |"))
        # 0.05: kernels round, and a node at the edge of the circuit may change.
        assert [float(cell) for cell in told.strip("| ").split(" | ")[1:]] == pytest.approx(
            list(map(float, found)), abs=0.05
        )
