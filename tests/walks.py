"""Random walks through objects that keep something between their calls: what each call gives, and
what the object holds afterwards. `python -m tests.tools.record --walks` keeps them.

A walk is drawn by its name, in time that it makes pass itself, with limits so small that they are
met.
"""

import inspect
import itertools
import os
import random
import secrets
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from gptcore.errors import GPTCoreError

_STEPS = 160
_PASSES = (0.0, 0.4, 3.0, 11.0, 40.0, 400.0)  # seconds between two steps
_DEEPEST = 4  # levels of what an object holds that are told
_SHORT = 160  # characters of a value


@dataclass
class Walk:
    """How a kind of object is walked through.

    Attributes:
        make: one, with a clock and a folder of its own; or a list of it and of what it works on.
        values: what its methods may be called with, by the names of their parameters; a function
            draws one from what the walk has met.
        met: kinds of objects whose methods are called, too, once a call has given one.
        left_out: methods that would wait for good, or change more than the object.
        limits: module attributes, as small as they are met.
        besides: further steps, by name.
    """

    make: Callable[["Clock", Path], Any]
    values: Mapping[str, Sequence[Any] | Callable[["Walked"], Any]] = field(default_factory=dict)
    met: tuple[type, ...] = ()
    left_out: tuple[str, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    besides: Mapping[str, Callable[["Walked"], Any]] = field(default_factory=dict)


class Clock:
    """Seconds that pass when a walk says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


_NO_STATE = {"lock", "RLock", "Condition", "Limits"}


class Walked:
    """A walk on its way.

    Attributes:
        actors: the object, and others that it has met.
        drawn: by the walk's name.
        number: of steps so far.
    """

    def __init__(self, name: str, walk: Walk) -> None:
        self._walk = walk
        self._clock = Clock()
        self._open: list[tuple[str, AbstractContextManager[Any]]] = []
        self.drawn = random.Random(name)
        self.number = 0
        self.actors: list[Any] = []

    def lines(self) -> Iterator[str]:
        """What each step gives, and what it changes."""
        count = itertools.count()
        with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
            for name in ("token_hex", "token_urlsafe"):
                made = mock.patch.object(secrets, name, lambda *_: f"token-{next(count)}")
                stack.enter_context(made)
            stack.enter_context(mock.patch.object(secrets, "token_bytes", lambda *_: b"token"))
            for name, value in self._walk.limits.items():
                stack.enter_context(mock.patch(name, value))
            stack.enter_context(mock.patch.object(tempfile, "tempdir", folder))
            made = self._walk.make(self._clock, Path(folder))
            self.actors = made if isinstance(made, list) else [made]
            before: dict[str, str] = {}
            for self.number in range(_STEPS):
                did = self._step()
                now = dict(self._state())
                yield did
                for way in sorted(before.keys() | now.keys()):
                    if before.get(way) != now.get(way):
                        yield f"    {way}: {now.get(way, 'gone')}"
                before = now
            while self._open:
                self._open.pop()[1].__exit__(None, None, None)

    def _step(self) -> str:
        """Lets time pass, ends what is open, or calls something; what it was and gave."""
        chance = self.drawn.random()
        if chance < 0.15:
            seconds = self.drawn.choice(_PASSES)
            self._clock.now += seconds
            return f"{seconds} s pass"
        if chance < 0.4 and self._open:
            name, context = self._open.pop(self.drawn.randrange(len(self._open)))
            context.__exit__(None, None, None)
            return f"{name} ends"
        calls = self._calls()
        has_met = len(self.actors) > 1 or not self._walk.met
        called = self.drawn.choice([*(self._walk.besides if has_met else ()), *calls])
        if called in self._walk.besides:
            self._walk.besides[called](self)
            return called
        method, actors = called, calls[called]
        actor = self.drawn.choice(actors)
        try:
            given = {
                name: self._value(name)
                for name, parameter in inspect.signature(getattr(actor, method)).parameters.items()
                if name in self._walk.values or parameter.default is parameter.empty
            }
        except IndexError:  # what it takes has not been met yet
            return f"nothing for {method}"
        values = ", ".join(map(self._told, given.values()))
        said = f"{self._told(actor)}.{method}({values})"
        try:
            found = self._met(said, getattr(actor, method)(**given))
        except (GPTCoreError, KeyError) as refusal:
            found = f"{type(refusal).__name__}: {refusal}"
        return f"{said} -> {self._told(found)}"

    def _calls(self) -> dict[str, list[Any]]:
        """The objects that have each method."""
        found: dict[str, list[Any]] = {}
        for actor in self.actors:
            for name, item in vars(type(actor)).items():
                is_call = inspect.isfunction(item) and (name[0] != "_" or name == "__call__")
                if is_call and name not in self._walk.left_out:
                    found.setdefault(name, []).append(actor)
        return found

    def _value(self, name: str) -> Any:
        values = self._walk.values[name]
        return values(self) if callable(values) else self.drawn.choice(values)

    def _met(self, said: str, found: Any) -> Any:
        """What a call gives: of a context what it begins with, of an iterator its first value."""
        if isinstance(found, AbstractContextManager):
            self._open.append((said, found))
            found = found.__enter__()
        if isinstance(found, Iterator):
            found = next(found, "nothing")
        is_new = not any(found is item for item in self.actors)
        if isinstance(found, self._walk.met) and is_new:
            self.actors.append(found)
        return found

    def one(self, kind: type) -> Any:
        """An object of a kind that the walk has met.

        Raises:
            IndexError: it has met none.
        """
        found = [item for item in self.actors if isinstance(item, kind)]
        return self.drawn.choice(found)

    def dated(self, file: Path) -> None:
        """Dates a file by the walk's clock."""
        os.utime(file, (self._clock(), self._clock()))

    def _told(self, value: Any, depth: int = 0) -> str:
        """A value in short: what containers and records hold, of a met object its number, of any
        other its kind.
        """
        tell = partial(self._told, depth=depth + 1)
        number = next((n for n, actor in enumerate(self.actors) if actor is value), None)
        if number is not None:
            return f"{type(value).__name__} {number}"
        if isinstance(value, float):
            return f"{value:.5g}"
        if isinstance(value, Path):
            return value.name
        if value is None or isinstance(value, bool | int | str):
            return repr(value)[:_SHORT]
        if depth < _DEEPEST and isinstance(value, Mapping):
            items = [f"{tell(key)}: {tell(item)}" for key, item in value.items()]
            return f"{{{', '.join(items)}}}"
        if depth < _DEEPEST and isinstance(value, set | frozenset):
            return f"{{{', '.join(sorted(map(tell, value)))}}}"
        if depth < _DEEPEST and isinstance(value, list | tuple | deque):
            return f"[{', '.join(map(tell, value))}]"
        if depth < _DEEPEST and is_dataclass(value):
            return f"{type(value).__name__}{tell(_held(value))}"
        return type(value).__name__

    def _state(self) -> Iterator[tuple[str, str]]:
        """What each object holds, by the way there."""
        for number, actor in enumerate(self.actors):
            for name, item in _held(actor).items():
                way = f"{type(actor).__name__} {number}.{name}"
                if isinstance(item, Mapping):
                    yield f"{way} in order", self._told(list(item))
                    for key, value in item.items():
                        yield f"{way}[{self._told(key)}]", self._told(value)
                else:
                    yield way, self._told(item)


def _held(value: Any) -> dict[str, Any]:
    """What an object keeps from call to call: no function, lock or limit."""
    return {
        name: item
        for name, item in vars(value).items()
        if not callable(item) and type(item).__name__ not in _NO_STATE
    }
