"""Density of the code: `python -m tests.tools.density`, a table of tokens and long lines by room.

Counts tokens without comments, docstrings and blank lines: of Python by `tokenize`, of JavaScript
by a small scanner.
"""

import argparse
import ast
import io
import json
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from tests.tools.imports import ROOT

WIDEST = 100  # columns
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCRIPT_TOKEN = re.compile(
    r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ )
    | (?P<text> '(?:\\.|[^'\\\n])*' | "(?:\\.|[^"\\\n])*" | `(?:\\.|[^`\\])*` )
    | (?P<word> [\w$\#]+ )
    | (?P<operator> => | \.\.\. | \?\?=? | \?\. | [-+*/%&|^<>=!]=?=? | && | \|\| | [{}()\[\];,.:?~@\\] )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass
class Density:
    """Counts of one file, or sums over several."""

    tokens: int = 0
    code_lines: int = 0  # lines with at least one token
    lines: int = 0  # all lines, blank ones and comments included
    wide_lines: int = 0  # lines of more than WIDEST columns
    statements: int = 0
    assignments: int = 0
    tuple_assignments: int = 0  # `a, b = x, y`
    ternaries: int = 0
    comprehensions: int = 0

    def __iadd__(self, other: "Density") -> "Density":
        for field in fields(self):
            total = getattr(self, field.name) + getattr(other, field.name)
            setattr(self, field.name, total)
        return self

    @property
    def tokens_per_line(self) -> float:
        """Tokens per line of code."""
        return self.tokens / max(1, self.code_lines)


def python_density(source: str) -> Density:
    """Counts a Python file."""
    tree = ast.parse(source)
    docstrings = set(_docstring_lines(tree))
    code_lines: set[int] = set()
    tokens = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_docstring = token.type == tokenize.STRING and token.start[0] in docstrings
        if token.type in _LAYOUT or is_docstring:
            continue
        tokens += 1
        code_lines.update(range(token.start[0], token.end[0] + 1))
    nodes = list(ast.walk(tree))
    counts = Density(tokens=tokens, code_lines=len(code_lines))
    counts.statements = sum(isinstance(node, ast.stmt) for node in nodes)
    counts.assignments = sum(isinstance(node, ast.Assign) for node in nodes)
    counts.tuple_assignments = sum(_is_tuple_assignment(node) for node in nodes)
    counts.ternaries = sum(isinstance(node, ast.IfExp) for node in nodes)
    counts.comprehensions = sum(isinstance(node, _COMPREHENSIONS) for node in nodes)
    return _with_lines(counts, source)


def script_density(source: str) -> Density:
    """Counts a JavaScript file; a text or template counts as one token."""
    tokens = 0
    code_lines: set[int] = set()
    line = 1
    end = 0
    for match in _SCRIPT_TOKEN.finditer(source):
        line += source.count("\n", end, match.start())
        end = match.start()
        if match.lastgroup == "comment":
            continue
        tokens += 1
        code_lines.update(range(line, line + match[0].count("\n") + 1))
    return _with_lines(Density(tokens=tokens, code_lines=len(code_lines)), source)


def density_by_room(root: Path = ROOT) -> dict[tuple[str, str], Density]:
    """(language, room) -> counts of its files."""
    found: dict[tuple[str, str], Density] = defaultdict(Density)
    for suffix, measure in ((".py", python_density), (".js", script_density)):
        for file in source_files(root, suffix):
            counts = measure(file.read_text(encoding="utf-8"))
            found[suffix[1:], _room(file.relative_to(root))] += counts
    return dict(sorted(found.items()))


def source_files(root: Path, suffix: str) -> Iterable[Path]:
    for top in ("app.py", "gptcore", "ui", "tests", "weights"):
        start = root / top
        if start.is_file():
            yield from [start] if start.suffix == suffix else []
        else:
            found = sorted(start.rglob(f"*{suffix}"))
            yield from (file for file in found if "build" not in file.parts)  # of pip


def _room(file: Path) -> str:
    """A folder of two levels, three within `ui/lenses` and `ui/rooms`; the first level for all
    tests.
    """
    folders = file.parts[:-1]
    if folders[:1] == ("tests",):
        return "tests"
    depth = 3 if folders[:2] in (("ui", "lenses"), ("ui", "rooms")) else 2
    return "/".join(folders[:depth]) or file.name


def _with_lines(counts: Density, source: str) -> Density:
    lines = source.splitlines()
    counts.lines = len(lines)
    counts.wide_lines = sum(len(line) > WIDEST for line in lines)
    return counts


def _docstring_lines(tree: ast.AST) -> Iterable[int]:
    """First lines of docstrings and of other statements that are only a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.lineno


def _is_tuple_assignment(node: ast.AST) -> bool:
    if not isinstance(node, ast.Assign):
        return False
    return isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)


def _row(language: str, room: str, counts: Density) -> str:
    per_100 = 100 / max(1, counts.statements)
    tuples = 100 * counts.tuple_assignments / max(1, counts.assignments)
    return (
        f"{language:<3} {room:<28} {counts.tokens:>8,} {counts.tokens_per_line:>7.1f}"
        f" {100 * counts.wide_lines / max(1, counts.lines):>7.1f}%"
        f" {tuples:>7.1f}% {counts.ternaries * per_100:>7.1f}"
        f" {counts.comprehensions * per_100:>7.1f}"
    )


def main() -> None:
    """Prints the table, or writes it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    rooms = density_by_room()
    if options.json:
        counts = {"/".join(key): vars(room) for key, room in rooms.items()}
        print(json.dumps(counts, indent=1))
        return
    print(f"{'':<32} {'tokens':>8} {'a line':>7} {'> ' + str(WIDEST):>8}", end="")
    print(f" {'tuple =':>8} {'ternary':>7} {'compr.':>7}   (of 100 statements)")
    totals: dict[str, Density] = defaultdict(Density)
    for (language, room), counts in rooms.items():
        print(_row(language, room, counts))
        package = room.split("/")[0]
        totals[f"{language} {package}"] += counts
    print()
    for name, counts in totals.items():
        print(_row(*name.split(" "), counts))


if __name__ == "__main__":
    main()
