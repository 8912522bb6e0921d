"""Other calls of a function: one value changed, to what its code compares with and beside that."""

import ast
import collections.abc
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from plain_values import encoded, item_named

import gptcore
import ui

_ROOTS = tuple(str(Path(str(package.__file__)).parent) for package in (ui, gptcore))
_LONGEST = 24  # characters of a text of the code
_MOST_ITEMS = 60  # of a list that is made longer
_WORDS = "1 word "
Step = tuple[str, int, int]


class Ways:
    """The steps from line to line that calls have taken in the project's code."""

    def __init__(self) -> None:
        self._taken = set[Step]()

    def of(self, called: Callable[[], Any]) -> tuple[Any, bool]:
        """What is given, and whether a step of it is new."""
        now = set[Step]()

        def trace(frame: types.FrameType, event: str, _: Any) -> Any:
            code = frame.f_code
            if not code.co_filename.startswith(_ROOTS):
                return None
            last = code.co_firstlineno

            def step(frame: types.FrameType, event: str, _: Any) -> Any:
                nonlocal last
                if event == "line":
                    now.add((code.co_filename, last, frame.f_lineno))
                    last = frame.f_lineno
                return step

            return step

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            found = called()
        finally:
            sys.settrace(before)
        is_new = bool(now - self._taken)
        self._taken |= now
        return found, is_new


class Constants:
    """Numbers and texts in a function's code, and behind the names that it uses.

    Args:
        function: its module and name.
    """

    def __init__(self, function: str) -> None:
        item = inspect.unwrap(item_named(function))
        tree = ast.parse(inspect.cleandoc(f"\n{inspect.getsource(item)}"))
        named = vars(inspect.getmodule(item))
        values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        values += [named.get(node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
        numbers = {x for x in values if isinstance(x, int | float) and not isinstance(x, bool)}
        texts = {x for x in values if isinstance(x, str) and 0 < len(x) <= _LONGEST}
        self.numbers = sorted(numbers)
        self.whole = [int(x) for x in self.numbers if x == int(x)]
        self.texts = sorted(texts)


def within(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """All values within JSON of `plain_values`, with the ways to them."""
    yield way, value
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from within(item, (*way, index))
    elif isinstance(value, dict):
        step = "of" if "of" in value else next(iter(value), None)
        inner = value.get(step)
        items = inner.items() if isinstance(inner, dict) else ()
        items = enumerate(inner) if isinstance(inner, list) else items
        for key, item in items:
            yield from within(item, (*way, step, key))


def others(value: Any, constants: Constants) -> Iterator[Any]:
    """Other values than one, of its kind."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        near = {value + 1, value - 1, 0, 1} | {
            number + beside for number in constants.whole for beside in (-1, 0, 1)
        }
        yield from sorted(n for n in near if n != value and (n >= 0 or value < 0))
    elif isinstance(value, float):
        near = {-value, 0.0, value * 10, value / 10, value + 0.01, 1 - value} | {
            number + beside for number in constants.numbers for beside in (0.0, -1e-3, 1e-3)
        }
        yield from sorted(n for n in near if n != value)
    elif isinstance(value, str):
        yield from _other_texts(value, constants)
    elif isinstance(value, list):
        yield from _other_lists(value, constants)
    elif isinstance(value, dict) and "tuple" in value:
        yield from ({"tuple": item} for item in _other_lists(value["tuple"], constants))
    elif isinstance(value, dict) and "dict" in value:
        inner = value["dict"]
        for left_out in inner:
            yield {"dict": {key: item for key, item in inner.items() if key != left_out}}


def _other_texts(value: str, constants: Constants) -> Iterator[str]:
    found = ["", " ", "é", value[:-1], f"{value} x", f"{value} {value}", value.upper()]
    found += [text for text in constants.texts if text != value]
    found += [f"{text}{value}" for text in constants.texts]
    found += [(value or "x") * n for n in (20, 100)]
    found += [_WORDS * (n // len(_WORDS)) for n in constants.whole if 40 < n < 3000]
    yield from found


def _other_lists(value: list[Any], constants: Constants) -> Iterator[list[Any]]:
    yield []
    if len(value) > 1:
        yield from (value[:1], value[::-1], value[:-1], value[1:])
    if value:
        yield from ([*value, value[0]], [*value, value[-1]])
        for n in constants.whole:
            for size in (n, n + 1):
                if 0 < size < _MOST_ITEMS:
                    yield (value * (size // len(value) + 1))[:size]


_SAMPLES: dict[Any, Any] = {
    int: 3,
    float: 12_345.6,
    str: "the cat",
    bool: True,
    type(None): None,
    object: "the cat",
    Any: "the cat",
}


def by_hints(function: Callable[..., Any]) -> dict[str, Any] | None:
    """A call of a function that no test makes, with values of the kinds that it declares; None
    where there is none that is plain and allowed.
    """
    try:
        hints = get_type_hints(function)
        parameters = inspect.signature(function).parameters.values()
        kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        return {
            item.name: encoded(_sample(hints[item.name]), 0)
            for item in parameters
            if item.kind not in kinds
        }
    except Exception:  # no value of these kinds is plain, or none is allowed
        return None


def _sample(hint: Any) -> Any:
    """A value of a kind.

    Raises:
        KeyError: of another kind than plain values, containers and records of the project.
    """
    origin = get_origin(hint)
    inner = get_args(hint)
    if origin is Literal:
        return inner[0]
    if origin in (Union, types.UnionType):
        return _sample(next(item for item in inner if item is not type(None)))
    if origin is Annotated:
        return _sample(inner[0])
    if origin is tuple:
        return tuple(_sample(item) for item in inner if item is not ...)
    if origin in (list, collections.abc.Sequence, collections.abc.Iterable):
        return [_sample(inner[0])] * 2
    if origin in (dict, collections.abc.Mapping):
        return {_sample(inner[0]): _sample(inner[1])}
    if is_typeddict(hint):
        return {name: _sample(item) for name, item in get_type_hints(hint).items()}
    if is_dataclass(hint) and hint.__module__.startswith(("ui.", "gptcore.")):
        own = get_type_hints(hint)
        needed = [item for item in fields(hint) if item.default is MISSING]
        needed = [item for item in needed if item.default_factory is MISSING and item.init]
        return cast(Any, hint)(**{item.name: _sample(own[item.name]) for item in needed})
    return _SAMPLES[hint]
