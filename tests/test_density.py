"""Code is spread out: few tokens a line, no long lines, one assignment a line."""

from collections import defaultdict

import pytest

from tests.tools.density import Density, density_by_room, python_density, script_density

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
