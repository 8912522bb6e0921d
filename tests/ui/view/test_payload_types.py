"""The types of what page and server say to each other are the same on both sides."""

import re
from pathlib import Path

from tools import payload_types

import ui


def test_every_server_function_that_a_component_calls_is_typed():
    known = set(re.findall(r"^  (\w+)\(request:", payload_types.written(), re.MULTILINE))
    for file in Path(ui.__file__).parent.rglob("*.js"):
        called = set(re.findall(r"\bserver\.(\w+)\(", file.read_text(encoding="utf-8")))
        assert called <= known, f"{file.name}: {called - known}"
