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
            (module, function.name)
            for function in functions(file)
            if function.name.startswith("conclusion")
        }
        if "@concludes" in file.read_text(encoding="utf-8"):
            importlib.import_module(module)
    registered = {(function.__module__, function.__name__) for function in REGISTRY.values()}
    assert len(named) > 8 and named <= registered
    assert set(REGISTRY) == {*CHECKS, *OF_NUMBERS} and not set(CHECKS) & set(OF_NUMBERS)


@pytest.mark.parametrize("name", sorted(OF_NUMBERS))
def test_words_from_numbers_have_a_test_of_their_own(name):
    file, _, test = OF_NUMBERS[name].partition("::")
    assert test in {function.name for function in functions(ROOT / "tests" / file)}


@pytest.mark.slow
@pytest.mark.parametrize("model", ["mini", "anthology"])
def test_what_is_concluded_is_true(model):
    found = list(findings((model,), TEXTS))
    assert [
        f"{item.name}, {item.text[:40]}: {item.false}: {item.said}" for item in found if item.false
    ] == []
    assert [
        item.said for item in found if re.search(r"[(, ]-\d", item.said)
    ] == []  # numbers have the minus of print
    for name in CHECKS:
        assert sum(item.n for item in found if item.name == name) > 8, name
