"""What the page concludes in words holds, on ten texts of several kinds, by transformers' own
numbers.
"""

import ast
import importlib
import re
from pathlib import Path

import pytest

from tests.tools.conclusions import CHECKS, OF_NUMBERS, TEXTS, findings
from ui.conclusions import REGISTRY

ROOT = Path(__file__).resolve().parents[2]


def functions(file: Path) -> list[ast.FunctionDef]:
    return [
        node
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]


def test_every_conclusion_is_registered_and_has_a_test_of_what_it_says():
    """Found by their names, and in the module of conclusions by returning a sentence from
    numbers.
    """
    named = set()
    for file in (ROOT / "ui").rglob("*.py"):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        named |= {
            (module, one.name) for one in functions(file) if one.name.startswith("conclusion")
        }
        if "@concludes" in file.read_text(encoding="utf-8"):
            importlib.import_module(module)
    registered = {(function.__module__, function.__name__) for function in REGISTRY.values()}
    assert len(named) > 8 and named <= registered
    assert set(REGISTRY) == {*CHECKS, *OF_NUMBERS} and not set(CHECKS) & set(OF_NUMBERS)


@pytest.mark.parametrize("name", sorted(OF_NUMBERS))
def test_words_from_numbers_have_a_test_of_their_own(name):
    file, _, test = OF_NUMBERS[name].partition("::")
    assert test in {one.name for one in functions(ROOT / "tests" / file)}


@pytest.mark.slow
@pytest.mark.parametrize("model", ["mini", "anthology"])
def test_what_is_concluded_is_true(model):
    found = list(findings((model,), TEXTS))
    assert [
        f"{one.name}, {one.text[:40]}: {one.false}: {one.said}" for one in found if one.false
    ] == []
    assert [
        one.said for one in found if re.search(r"[(, ]-\d", one.said)
    ] == []  # numbers have the minus of print
    for name in CHECKS:
        assert sum(one.n for one in found if one.name == name) > 8, name
