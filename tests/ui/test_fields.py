"""Forms of declared fields: whatever is sent for any field of any form is used, or refused with a sentence."""

import dataclasses
import importlib
import math
import pkgutil

import pytest

import ui.lenses
from gptcore.errors import GPTCoreError
from ui.shared.fields import defaults_of, fields_of, parsed, values_of

BAD = (
    math.nan, math.inf, -math.inf, 10**400, -(10**400), 1e308, "", "x", "\ud800", "a\x00", None, [], {}, [[1]],
    {"a": 1}, True, False, 0, -1, 2.5, "9" * 5_000, b"x", 1 + 2j, "１２", [0] * 100_000,
)  # fmt: skip
LONGEST = 400  # characters of a sentence


def forms() -> dict[str, type]:
    """Every dataclass with declared fields in a lens."""
    found = {}
    for module in pkgutil.walk_packages(ui.lenses.__path__, "ui.lenses."):
        if ".handlers." in module.name:
            for one in vars(importlib.import_module(module.name)).values():
                if isinstance(one, type) and dataclasses.is_dataclass(one) and fields_of(one):
                    found[one.__name__] = one
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
        assert refused or type(field).__name__ == "File", name  # a file is a path that the server gave, or nothing


@pytest.mark.parametrize("form", forms().values(), ids=forms())
def test_a_form_opens_with_values_that_it_takes(form):
    assert values_of(parsed(form, defaults_of(form))) == defaults_of(form)
