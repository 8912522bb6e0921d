"""The table of all benchmarks finds its figures in what they print, and the one of presets runs what the app runs."""

import runpy
from pathlib import Path

ALL = runpy.run_path(str(Path(__file__).parent / "benchmarks" / "all.py"))

DECODE = """
gpt2 (random weights)    tok/s  x transformers
  transformers fp32        33      1.00
  exact                    52      1.58   limit 58 (memory, native-fp32), share 0.90   error 8e-07
  default                 108      3.29   limit 115 (memory, native-int16), share 0.94   error 8e-05
  16 texts together       700      6.48 x one   limit 1,341 (arithmetic, native-int16), share 0.52
  first token after 512, ms   314      0.58 of their time   limit 200 (arithmetic), share 0.64
mini (as bundled)        tok/s  x transformers
  default                1179      3.23   limit 3,074 (memory, native-fp16), share 0.38   error 2e-05
  16 texts together      7000      5.94 x one
choosing
  top-p 0.9                    0.317
"""


def test_figures_ratios_and_limits_stand_in_their_rows_and_what_failed_is_named():
    rows = ALL["table"]({"decode.py": DECODE}).splitlines()
    for row in (
        "| GPT-2 small, exact, tokens/s | 52 | transformers, fp32 | 1.58 | 58 (memory, native-fp32) | 0.90 |",
        "| GPT-2 small, first token after 512, ms | 314 | transformers, fp32 | 0.58 | 200 (arithmetic) | 0.64 |",
    ):
        assert row in rows
    assert "| mini, 16 texts together, tokens/s | 7000 | one text | 5.94 |  |  |" in rows
    assert "| choosing by top-p 0.9 among 50,257, ms | 0.317 |  |  |  |  |" in rows
    assert len(rows) == 2 + sum(map(len, ALL["PARTS"].values()))
    assert sum("not measured" in row for row in rows) == len(rows) - 2 - len(ALL["PARTS"]["decode.py"])
