"""Gradio's import without what it does for editors."""

import subprocess
import sys
from pathlib import Path

import pytest

COUNTED = """
import ast, inspect, sys
parse, parsed = ast.parse, []
def counting(*given, **named):
    parsed.append(sys._getframe(1).f_globals.get("__name__"))
    return parse(*given, **named)
ast.parse = counting
import {module}
import gradio
assert "quick" not in inspect.getfile.__module__ and gradio.HTML("here").value == "here"
print(parsed.count("gradio.component_meta"))
"""


def parsed(module: str) -> int:
    """How often Gradio parses a source while a module is imported."""
    done = subprocess.run(
        [sys.executable, "-c", COUNTED.format(module=module)],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.slow
def test_no_source_is_parsed_that_an_app_does_not_need():
    assert parsed("app") == 0 < parsed("gradio")
