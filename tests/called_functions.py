"""Calls of functions that `tests/recorded/calls.json` holds: with what they were called, and what
they answered. `python -m tests.tools.record_calls` finds them.
"""

import itertools
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from answers import differences, leaves, read
from core_answers import plain, thinned
from plain_values import decoded, encoded, item_named

from gptcore.errors import GPTCoreError

_MOST = 10_000  # numbers of a tensor
_SOME = 20  # of what an iterator gives


def answer(function: str, arguments: Mapping[str, Any]) -> Any:
    """What a function gives, or refuses; and what it leaves of arguments that it changes.

    Args:
        function: its module and name, such as "ui.shared.sheets:size".
        arguments: as JSON of `plain_values`, by their names or their places ("0", "1").
    """
    given = {key: decoded(item) for key, item in arguments.items()}
    positional = [given.pop(key) for key in [*given] if key.isdigit()]
    before = encoded([*positional, *given.values()], _MOST)
    try:
        found = _answered(item_named(function)(*positional, **given))
    except GPTCoreError as refusal:
        found = {"refused": str(refusal)}
    after = encoded([*positional, *given.values()], _MOST)
    left = {} if after == before else {"left": after}
    return read(thinned({"gives": found} | left))


def _answered(found: Any) -> Any:
    """An answer as JSON; sets in an order."""
    if isinstance(found, Iterator):
        return [_answered(item) for item in itertools.islice(found, _SOME)]
    if isinstance(found, set | frozenset):
        return sorted(map(str, found))
    try:
        return plain(found)
    except TypeError:
        return encoded(found, _MOST)


def changed(value: Any, way: list[Any], other: Any) -> Any:
    """JSON that has another value at the end of a way through it."""
    made = deepcopy(value)
    inner = made
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = other
    return made


def asked(recorded: Mapping[str, Any], name: str) -> tuple[str, Any]:
    """A function and its arguments, by the name of a call in the record."""
    call = recorded[name]
    if "of" not in call:
        return name.rpartition(" ")[0], call["asked"]
    function, arguments = asked(recorded, call["of"])
    return function, changed(arguments, call["way"], call["value"])


def unlike(call: Mapping[str, Any], found: Any) -> list[str]:
    """Where an answer differs from what is kept of it."""
    if "of" not in call:
        return list(differences(call["answer"], found))
    now = leaves(found)
    return [
        text
        for way, leaf in call["differs"].items()
        for text in differences(leaf, now.get(way), way)
    ]
