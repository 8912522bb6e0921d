"""Every test can fail: it asserts something, itself or by a function of the tests that it calls."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from tiny import ROOT

CHECKS = {"raises", "expect", "fail", "warns", "assert_close", "assert_allclose"}


def called(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            function = part.func
            name = function.id if isinstance(function, ast.Name) else ""
            yield function.attr if isinstance(function, ast.Attribute) else name


def checks(node: ast.AST) -> bool:
    has_assert = any(isinstance(part, ast.Assert) for part in ast.walk(node))
    return has_assert or any(name in CHECKS for name in called(node))


def test_every_test_asserts_something():
    functions: dict[str, list[ast.FunctionDef]] = defaultdict(list)
    tests = []
    for file in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                functions[node.name].append(node)
                if node.name.startswith("test_") and file.name.startswith("test_"):
                    tests.append((file.name, node))
    checking = {name for name, nodes in functions.items() if any(map(checks, nodes))}
    while True:
        more = {
            name
            for name, nodes in functions.items()
            if any(other in checking for node in nodes for other in called(node))
        }
        if more <= checking:
            break
        checking |= more
    idle = [
        f"{file}: {node.name}"
        for file, node in tests
        if not checks(node) and not any(name in checking for name in called(node))
    ]
    assert len(tests) > 1000 and idle == []
