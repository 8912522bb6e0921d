"""Code is spread out: few tokens a line, no long lines, one assignment a line."""

import ast
from collections import defaultdict

import pytest

from tests.tools.density import (
    ROOT,
    Density,
    density_by_room,
    python_density,
    script_density,
    source_files,
)

# Lines of a function, and its parameters but for self.
LONGEST = {"tests": 80}
MOST_PARAMETERS = 8
# Entries whose keywords are options that callers name one by one, as in transformers and Gradio.
WITH_OPTIONS = {"generate", "component", "TokenSequence.__init__"}
MOST_TOKENS = {"app.py": 9.0, "gptcore": 9.0, "ui": 9.0, "tests": 10.0, "weights": 9.0}


@pytest.fixture(scope="module")
def by_folder() -> dict[tuple[str, str], Density]:
    found: dict[tuple[str, str], Density] = defaultdict(Density)
    for (language, room), counts in density_by_room().items():
        found[language, room.partition("/")[0]] += counts
    return found


def test_the_counts_are_those_of_a_small_file():
    counts = python_density('"""Says."""\n\na, b = 1, 2  # a pair\nc = [x for x in (a, b)]\n')
    assert (counts.tokens, counts.code_lines, counts.lines) == (20, 2, 4)
    assert (counts.assignments, counts.tuple_assignments, counts.comprehensions) == (2, 1, 1)
    counts = script_density("// Says.\nconst a = `x\ny`;\nb(a ?? 'c');\n")
    assert (counts.tokens, counts.code_lines) == (12, 3)


@pytest.mark.parametrize("folder", MOST_TOKENS)
def test_a_line_of_python_holds_little_and_sets_one_thing(by_folder, folder):
    counts = by_folder["py", folder]
    assert counts.tokens_per_line <= MOST_TOKENS[folder]
    assert counts.tuple_assignments <= 0.03 * counts.assignments
    assert counts.wide_lines <= 0.01 * counts.lines  # scripts for a browser, as strings


def test_scripts_are_no_denser(by_folder):
    assert by_folder["js", "ui"].tokens_per_line <= 10.0
    assert by_folder["js", "ui"].wide_lines <= 0.01 * by_folder["js", "ui"].lines


def functions():
    for file in source_files(ROOT, ".py"):
        path = file.relative_to(ROOT)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        owners = {
            id(item): f"{node.name}."
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for item in node.body
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, owners.get(id(node), "") + node.name, node


def test_a_function_is_short_and_takes_few_things():
    long = []
    wide = []
    for path, name, node in functions():
        lines = node.end_lineno - node.lineno + 1
        if lines > LONGEST.get(path.parts[0], 60):
            long.append((str(path), name, lines))
        own = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        n = sum(argument.arg not in ("self", "cls") for argument in own)
        if n > MOST_PARAMETERS and name not in WITH_OPTIONS:
            wide.append((str(path), name, n))
    assert long == []
    assert wide == []


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def test_no_comprehension_stands_within_an_expression_with_two_ways():
    found = []
    for file in source_files(ROOT, ".py"):
        path = file.relative_to(ROOT)
        if path.parts[0] in ("tests", "weights"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.IfExp):
                inner = (part for part in ast.walk(node) if isinstance(part, COMPREHENSIONS))
                found += [f"{path}:{part.lineno}" for part in inner]
    assert found == []


# A docstring names the thing or says what is done; a clause without a noun is read twice.
NO_BEGINNING = {"What", "Where", "How", "Who", "Whose", "Those", "As", "That", "It"}


def test_no_docstring_begins_with_a_clause_without_a_noun():
    found = []
    for file in source_files(ROOT, ".py"):
        path = file.relative_to(ROOT)
        # people read those of endpoints
        if path.parts[0] in ("tests", "weights") or path.name == "endpoint.py":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                words = (ast.get_docstring(node) or "").split()
                if words and words[0] in NO_BEGINNING:
                    found.append(f"{path}: {node.name}")
    assert found == []
