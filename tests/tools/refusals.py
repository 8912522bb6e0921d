"""Finds where the code refuses what passes a limit: an `if` with < or > that raises an error."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path


def refusals(folder: Path) -> Iterator[str]:
    """Every condition with a limit under which something is refused, with its function."""
    for file in sorted(folder.rglob("*.py")):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                for condition in map(ast.unparse, _limits_of(function)):
                    yield f"{file.stem}.{function.name}: {condition}"


def _limits_of(node: ast.AST) -> Iterator[ast.expr]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.FunctionDef):
            continue
        refuses = isinstance(part, ast.If) and any(map(_refuses, part.body))
        if refuses and any(map(_is_limit, ast.walk(part.test))):
            yield part.test
        yield from _limits_of(part)


def _refuses(line: ast.stmt) -> bool:
    return (
        isinstance(line, ast.Raise)
        and isinstance(line.exc, ast.Call)
        and ast.unparse(line.exc.func).endswith("Error")
    )


def _is_limit(node: ast.AST) -> bool:
    ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    return isinstance(node, ast.Compare) and any(isinstance(one, ordered) for one in node.ops)


def what_is_said(call: Callable[[], object]) -> str:
    """What a call gives, or the sentence of its error."""
    try:
        return str(call())
    except Exception as error:  # of what comes after the limit, which is no part of the test
        return str(error)
