"""The benchmarks' figures are found in what they print, and the README's tables are those of the
result files.
"""

import json
import runpy
from pathlib import Path

from tests.tools import benchmark_tables

ALL = runpy.run_path(str(Path(__file__).parent / "benchmarks" / "all.py"))

DECODE = """
gpt2 (random weights)    tok/s  x transformers
  transformers fp32        33      1.00
  exact                    52      1.58   limit 58 (memory, native-fp32), share 0.90   error 8e-07
  default                 108      3.29   limit 115 (memory, native-int16), share 0.94   error 8e-05
  16 texts together       700      6.48 x one   limit 1,341 (arithmetic, native-int16), share 0.52
  first token after 512, ms   314      0.58 of their time   limit 200 (arithmetic), share 0.64
mini (as bundled)        tok/s  x transformers
  default                1179      3.23   limit 3,074 (memory, native-fp16), share 0.38  error 2e-05
  16 texts together      7000      5.94 x one
choosing
  top-p 0.9                    0.317
"""


def test_figures_ratios_and_limits_stand_in_their_rows():
    rows = {row["what"]: row for row in ALL["rows_of"]({"decode.py": DECODE})}
    exact = rows["GPT-2 small, exact, tokens/s"]
    assert (exact["here"], exact["compared with"], exact["ratio"]) == (
        "52",
        "transformers, fp32",
        "1.58",
    )
    assert (exact["limit"], exact["share"]) == ("58 (memory, native-fp32)", "0.90")
    assert rows["mini, 16 texts together, tokens/s"]["ratio"] == "5.94"
    assert rows["choosing by top-p 0.9 among 50,257, ms"]["ratio"] == ""
    assert len(rows) == len(ALL["PARTS"]["decode.py"])  # of the others nothing was printed


def test_the_tables_are_made_from_the_result_files_each_with_its_date_machine_and_commit():
    text = benchmark_tables.README.read_text(encoding="utf-8")
    assert text == benchmark_tables.readme(text), "run python -m tests.tools.benchmark_tables"
    files = list(ALL["RESULTS"].glob("*.json"))
    wanted = {what for rows in ALL["PARTS"].values() for what, _, _ in rows}
    assert files
    for file in files:
        result = json.loads(file.read_text(encoding="utf-8"))
        assert all(result[name] for name in ("date", "commit", "machine", "torch", "python"))
        assert {row["what"] for row in result["rows"]} <= wanted
