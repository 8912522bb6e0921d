"""Answers with one value changed: what components are shown besides what the server gives."""

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from answers import is_packed
from called_functions import changed

_MOST = 40  # changes of an answer
_FIGURE = 4  # of one that plotly draws
_LONG = "many words, " * 20
_STRANGE = '<b>é</b> & "'
Way = tuple[Any, ...]


def changed_answers(text: str, seed: str) -> dict[str, str]:
    """Answers that differ from one in a value, by what is changed; of each kind of value one is
    changed, of many kinds some.

    Args:
        text: the answer: JSON, lines of JSON, or words.
        seed: that decides which values are taken.
    """
    value, is_lines = _parsed(text)
    by_kind: dict[Way, list[Way]] = defaultdict(list)
    for way, item in _within(value):
        if not (isinstance(item, str) and is_packed(item)):
            by_kind[tuple("*" if isinstance(step, int) else step for step in way)].append(way)
    draw = random.Random(seed)
    is_figure = isinstance(value, dict) and "layout" in value
    kinds = draw.sample([*by_kind], min(_FIGURE if is_figure else _MOST, len(by_kind)))
    found = {}
    for kind in kinds:
        way = draw.choice(by_kind[kind])
        others = [*_others(_at(value, way), [_at(value, other) for other in by_kind[kind]])]
        if others:
            other = draw.choice(others)
            name = f"{'.'.join(map(str, way))} is {json.dumps(other, ensure_ascii=False)[:60]}"
            found[name] = _sent(changed(value, [*way], other) if way else other, is_lines)
    return found


def changed_replies(replies: Mapping[str, Any], rounds: int) -> list[dict[str, Any]]:
    """Answers of server functions, each with a value changed, another one in each round."""
    found: list[dict[str, Any]] = [{} for _ in range(rounds)]
    for key, reply in replies.items():
        text = reply if isinstance(reply, str) else json.dumps(reply)
        others = [*changed_answers(text, key).values()] or [text]
        for number, changes in enumerate(found):
            other = others[number % len(others)]
            changes[key] = other if isinstance(reply, str) else json.loads(other)
    return found


def _parsed(text: str) -> tuple[Any, bool]:
    """What an answer holds, and whether it is lines of JSON."""
    try:
        return json.loads(text), False
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.split("\n")], True
    except ValueError:
        return text, False


def _sent(value: Any, is_lines: bool) -> str:
    if is_lines:
        return "\n".join(json.dumps(line, ensure_ascii=False) for line in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _within(value: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    """All values within one, with the ways to them."""
    yield way, value
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for step, item in inner:
        yield from _within(item, (*way, step))


def _at(value: Any, way: Way) -> Any:
    for step in way:
        value = value[step]
    return value


def _others(value: Any, alike: list[Any]) -> Iterator[Any]:
    """What might stand in place of a value, beside which others of its kind stand."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from sorted({0, 1, value + 1, max(0, value - 1), 2 * value} - {value})
    elif isinstance(value, float):
        yield from (0.0, value / 1000, value * 3)
        if min(item for item in alike if isinstance(item, float)) < 0:
            yield -value
    elif isinstance(value, str):
        yield from ("", _LONG, _STRANGE, f"{value} {value}")
    elif isinstance(value, list) and value:
        yield from ([], value[:1], value[::-1], [*value, value[-1]])
    if any(item is None for item in alike) and value is not None:
        yield None
