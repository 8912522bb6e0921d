"""Makes the tables of `tests/benchmarks/README.md` from its result files: `python -m
tests.tools.benchmark_tables`.
"""

import argparse
import json
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
README = BENCHMARKS / "README.md"
_BEGIN = "<!-- results -->"
_END = "<!-- /results -->"
_COLUMNS = ("what", "here", "compared with", "ratio", "limit", "share")


def tables() -> str:
    """A section for each result file, the newest first."""
    files = sorted((BENCHMARKS / "results").glob("*.json"), reverse=True)
    return "\n".join(_section(json.loads(file.read_text(encoding="utf-8"))) for file in files)


def _section(result: dict[str, Any]) -> str:
    heading = f"## {result['date']}: {result['machine']}"
    source = f"Commit {result['commit']}, torch {result['torch']}, Python {result['python']}."
    rows = [_row(_COLUMNS), "|---" * len(_COLUMNS) + "|"]
    for row in result["rows"]:
        rows.append(_row([row[name] for name in _COLUMNS]))
    return "\n".join(["", heading, "", source, "", *rows, ""])


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def readme(text: str) -> str:
    """The README with the tables of today's result files."""
    before, _, rest = text.partition(_BEGIN)
    after = rest.partition(_END)[2]
    return f"{before}{_BEGIN}\n{tables()}\n{_END}{after}"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
