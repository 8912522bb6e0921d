"""The types of what page and server say to each other are the same on both sides."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tools import payload_types

from ui import payloads
from ui.components import files
from ui.handlers.attention import maps
from ui.payloads.attention import AttentionMaps

COMPONENTS = Path(files.__file__).parent


def test_the_components_types_are_those_of_the_handlers():
    current = payload_types.FILE.read_text(encoding="utf-8")
    assert current == payload_types.written(), "run python -m tests.tools.payload_types"


def test_every_server_function_that_a_component_calls_is_typed():
    known = set(re.findall(r"^  (\w+)\(request:", payload_types.FILE.read_text(encoding="utf-8"), re.MULTILINE))
    for file in COMPONENTS.rglob("*.js"):
        called = set(re.findall(r"\bserver\.(\w+)\(", file.read_text(encoding="utf-8")))
        assert called <= known, f"{file.name}: {called - known}"


def test_what_a_handler_sends_has_the_fields_of_its_type(services):
    *_, seen = maps.look(services, None, maps.AttentionForm("tiny", "the cat sat"))
    assert set(json.loads(seen.value)) == set(AttentionMaps.__annotations__)


def test_a_request_that_is_no_object_has_no_fields():
    for request in (None, [], "x", 3, {"other": 1}):
        assert payloads.fields(request, "model", "text") == [None, None]
    assert payloads.fields({"text": "a", "model": 3}, "model", "text") == [3, "a"]
