"""Every file that is read or written as text names its encoding: the system's own differs from
machine to machine.
"""

import ast
from pathlib import Path

import pytest

from tiny import ROOT

FILES = sorted(
    path
    for folder in ("gptcore", "ui", "weights", "tests")
    for path in (ROOT / folder).rglob("*.py")
)
TAKES_TEXT = {"read_text": 0, "write_text": 1}  # method -> arguments in front of the encoding


def without_encoding(source: str) -> list[int]:
    """The lines of calls that open a file as text without naming its encoding."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or any(
            keyword.arg == "encoding" for keyword in node.keywords
        ):
            continue
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        is_open = isinstance(node.func, ast.Name) and node.func.id == "open"
        is_text = len(node.args) <= TAKES_TEXT.get(method, -1)
        modes = [argument for argument in node.args[1:2] if isinstance(argument, ast.Constant)]
        if is_text or (is_open and not any("b" in str(mode.value) for mode in modes)):
            found.append(node.lineno)
    return found


@pytest.mark.parametrize("folder", ["gptcore", "ui", "weights", "tests"])
def test_texts_are_opened_with_their_encoding(folder):
    files = [ROOT / "app.py", *FILES] if folder == "ui" else FILES
    missing = {
        str(path.relative_to(ROOT)): lines
        for path in files
        if path.is_relative_to(ROOT / folder) or path.name == "app.py"
        if (lines := without_encoding(Path(path).read_text(encoding="utf-8")))
    }
    assert missing == {}


def test_the_search_finds_what_it_looks_for():
    assert without_encoding(
        "p.read_text()\np.write_text('a')\nopen('x')\nopen('x', 'w')\nopen('x', 'rb')"
    ) == [1, 2, 3, 4]
    assert (
        without_encoding("p.read_text(encoding='utf-8')\np.write_text('a', encoding='utf-8')") == []
    )
