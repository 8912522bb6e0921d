"""A plugin of pytest that keeps with what plain values the project's functions are called.

    GPTLENS_HEARD=FOLDER python -m pytest tests/ui -p tests.tools.listening

Each process writes a file to the folder: calls as JSON of `tests/plain_values.py`, by function.
"""

import functools
import importlib
import inspect
import json
import os
import pkgutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("tests", "tests/ui")]

from plain_values import NotPlain, encoded

import gptcore
import ui

HEARD = "GPTLENS_HEARD"
OF_THIS_MACHINE = (f"{ROOT}/", f"{tempfile.gettempdir()}/")
_KEPT = 40  # calls of a function
_LOOKED_AT = 400
_LARGE = 6_000  # characters of a call
_NUMBERS = 600  # of a tensor
Heard = dict[str, dict[str, Any]]


def _modules() -> Iterator[Any]:
    for package in (gptcore, ui):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__") and ".examples" not in found.name:
                yield importlib.import_module(found.name)


def _functions(module: Any) -> Iterator[tuple[Any, str, str]]:
    """What holds it, its name there, and its full name, of each function and method."""
    for name, item in [*vars(module).items()]:
        if getattr(item, "__module__", "") != module.__name__:
            continue
        if inspect.isfunction(inspect.unwrap(item)) and not name.startswith("__"):
            yield module, name, f"{module.__name__}:{name}"
        elif inspect.isclass(item):
            for own, method in [*vars(item).items()]:
                if inspect.isfunction(method) and (not own.startswith("__") or own == "__call__"):
                    yield item, own, f"{module.__name__}:{name}.{own}"


def all_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Those of all modules, methods apart, by their full names."""
    for module in _modules():
        for owner, name, full in _functions(module):
            if owner is module:
                yield full, getattr(module, name)


@contextmanager
def listening(heard: Heard) -> Iterator[None]:
    """Keeps the calls of all functions."""
    spies: dict[int, Any] = {}
    before: list[tuple[Any, str, Any]] = []
    for module in [*_modules()]:
        for owner, name, full in [*_functions(module)]:
            function = vars(owner)[name]
            spy = _Listener(full, heard).around(function)
            before.append((owner, name, function))
            setattr(owner, name, spy)
            spies[id(function)] = spy
    # the same functions under the names by which others import them
    for module in [item for name, item in sys.modules.items() if name.startswith(("ui", "gptc"))]:
        for name, item in [*vars(module).items()]:
            if id(item) in spies:
                before.append((module, name, item))
                setattr(module, name, spies[id(item)])
    try:
        yield
    finally:
        for owner, name, item in before:
            setattr(owner, name, item)


class _Listener:
    """Keeps calls of a function.

    Args:
        name: of it.
        heard: where they are kept.
    """

    def __init__(self, name: str, heard: Heard) -> None:
        self._name = name
        self._heard = heard
        self._lock = threading.Lock()
        self._left = _LOOKED_AT

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, listened to."""

        @functools.wraps(function)
        def spy(*args: Any, **named: Any) -> Any:
            self._keep(args, named)
            return function(*args, **named)

        @functools.wraps(function)
        def spy_of_generator(*args: Any, **named: Any) -> Any:
            self._keep(args, named)
            return (yield from function(*args, **named))

        if inspect.iscoroutinefunction(function):
            return function
        found = spy_of_generator if inspect.isgeneratorfunction(function) else spy
        found.__kwdefaults__ = inspect.unwrap(function).__kwdefaults__  # tests may set them
        return found

    def _keep(self, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        if self._left <= 0:
            return
        self._left -= 1
        try:
            call = {str(index): encoded(item, _NUMBERS) for index, item in enumerate(args)}
            call |= {key: encoded(item, _NUMBERS) for key, item in named.items()}
            told = json.dumps(call)
        except (NotPlain, AttributeError, RecursionError, RuntimeError, TypeError, ValueError):
            return
        if any(place in told for place in OF_THIS_MACHINE):
            return
        with self._lock:
            kept = self._heard.setdefault(self._name, {})
            if len(told) <= _LARGE and len(kept) < _KEPT:
                kept[told] = call


_HEARD: Heard = {}
_STACK = ExitStack()


def pytest_sessionstart() -> None:
    """Begins before tests import what they call."""
    _STACK.enter_context(listening(_HEARD))


def pytest_sessionfinish() -> None:
    """Writes what was heard."""
    file = Path(os.environ[HEARD]) / f"{os.getpid()}.json"
    heard = {name: dict(calls) for name, calls in dict(_HEARD).items()}  # threads may go on
    file.write_text(json.dumps(heard), encoding="utf-8")
