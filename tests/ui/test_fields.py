"""Forms of declared fields: whatever is sent for any field of any form is used, or refused with a
sentence.
"""

import dataclasses
import importlib
import inspect
import json
import math
import pkgutil

import pytest

import ui.lenses
from gptcore.errors import GPTCoreError
from ui import links
from ui.endpoints import ENDPOINTS
from ui.forms import FIELDS
from ui.shared.fields import defaults_of, fields_of, parsed, values_of

BAD = (
    math.nan,
    math.inf,
    -math.inf,
    10**400,
    -(10**400),
    1e308,
    "",
    "x",
    "\ud800",
    "a\x00",
    None,
    [],
    {},
    [[1]],
    {"a": 1},
    True,
    False,
    0,
    -1,
    2.5,
    "9" * 5_000,
    b"x",
    1 + 2j,
    "１２",
    [0] * 100_000,
)
LONGEST = 400  # characters of a sentence


def forms() -> dict[str, type]:
    """Every dataclass with declared fields in a lens."""
    found = {}
    for module in pkgutil.walk_packages(ui.lenses.__path__, "ui.lenses."):
        if ".handlers." in module.name:
            for var in vars(importlib.import_module(module.name)).values():
                if isinstance(var, type) and dataclasses.is_dataclass(var) and fields_of(var):
                    found[var.__name__] = var
    return found


@pytest.mark.parametrize("form", forms().values(), ids=forms())
def test_any_value_of_any_field_is_used_or_refused_with_a_sentence(form):
    for name, field in fields_of(form).items():
        refused = 0
        for value in BAD:
            try:
                made = parsed(form, {name: value})
                if hasattr(made, "config"):
                    _ = made.config
            except GPTCoreError as error:
                refused += 1
                assert 10 < len(str(error)) < LONGEST, (name, value)
        # a file is a path that the server gave, or nothing
        assert refused or type(field).__name__ == "File", name


@pytest.mark.parametrize("endpoint", ENDPOINTS.values(), ids=ENDPOINTS)
def test_any_value_that_a_program_sends_is_used_or_refused_with_a_sentence(endpoint):
    needed = {
        value.name: "sentiment"
        for value in endpoint.values()
        if value.default is inspect.Parameter.empty
    }
    endpoint.parse(needed)
    for value in endpoint.values():
        refused = 0
        for bad in BAD:
            try:
                endpoint.parse({**needed, value.name: bad})
            except GPTCoreError as error:
                refused += 1
                assert 10 < len(str(error)) < LONGEST, (value.name, bad)
        assert refused, value.name
        assert value.default is inspect.Parameter.empty or endpoint.parse(
            {**needed, value.name: value.default}
        )


@pytest.mark.parametrize("form", forms().values(), ids=forms())
def test_a_form_opens_with_values_that_it_takes(form):
    assert values_of(parsed(form, defaults_of(form))) == defaults_of(form)


# What anybody may write behind a field's name in a link.
IN_LINKS = (
    "",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "null",
    "true",
    "[]",
    "{}",
    "[NaN]",
    "[[NaN]]",
    "[[Infinity]]",
    "[[1e400]]",
    "[[[1]]]",
    '[[{"a": 1}]]',
    "[null]",
    "[" * 5_000,
    "9" * 5_000,
    f"[[{'9' * 400}]]",
    "x" * 30_000,
    "a\x00",
)


@pytest.mark.parametrize("name", FIELDS)
def test_whatever_a_link_sets_a_field_to_is_used_as_json_can_hold_it_or_refused_with_a_sentence(
    name,
):
    for text in IN_LINKS:
        used = links.read({name: text}, 200)
        refused = links.mistakes({name: text})
        assert (name in used) != bool(refused), text[:20]
        assert all(name in item and len(item) < 2 * LONGEST for item in refused)
        json.dumps(used, allow_nan=False)
