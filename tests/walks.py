"""Random walks through objects that keep something between their calls: what each call gives, and
what the object holds afterwards. `python -m tests.tools.record --walks` keeps them.

A walk is drawn by its name, in time that it makes pass itself, with limits so small that they are
met.
"""

import inspect
import itertools
import logging
import os
import random
import secrets
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, is_dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from gptcore.errors import GPTCoreError
from gptcore.training import TrainingConfig
from gptcore.training.loop import StepEvent
from helpers import SCENE
from tiny import make_language_model
from ui.compute.admission import AdmissionQueue, Ticket
from ui.runs.plan import Preparation
from ui.runs.run_manager import RunQueue
from ui.runs.run_state import RunState, Stopwatch
from ui.runs.snapshot import Curve
from ui.runs.training_run import TrainingRun
from ui.runs.workspaces import Workspace, Workspaces
from ui.server.log_limits import LogLimits
from ui.server.temp_files import TemporaryFiles
from ui.state.attention_cache import AttentionCache
from ui.state.broadcasts import Broadcasts, name_of
from ui.state.clients import Clients, NewcomerShares
from ui.state.limits import PROFILES
from ui.state.sessions import Document, Session, SessionStore
from ui.state.token_stream import prompt
from ui.state.uploaded import Uploaded

_STEPS = 160
_PASSES = (0.0, 0.4, 3.0, 11.0, 40.0, 400.0)  # seconds between two steps
_DEEPEST = 4  # levels of what an object holds that are told
_SHORT = 160  # characters of a value
_LIMITS = replace(PROFILES["local"], sessions=3, workspaces=3, session_seconds=300.0)
_WORKSPACES = [letter * 22 for letter in "abcde"]


@dataclass
class Walk:
    """How a kind of object is walked through.

    Attributes:
        make: one, with a clock and a folder of its own; or a list of it and of what it works on.
        values: what its methods may be called with, by the names of their parameters; a function
            draws one from what the walk has met.
        met: kinds of objects whose methods are called, too, once a call has given one.
        limits: module attributes, as small as they are met.
        besides: further steps, by name.
    """

    make: Callable[["Clock", Path], Any]
    values: Mapping[str, Sequence[Any] | Callable[["Walked"], Any]] = field(default_factory=dict)
    met: tuple[type, ...] = ()
    waits: tuple[str, ...] = ()  # methods that would wait for good
    limits: Mapping[str, Any] = field(default_factory=dict)
    besides: Mapping[str, Callable[["Walked"], Any]] = field(default_factory=dict)


class Clock:
    """Seconds that pass when a walk says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def _record(line: int, text: str) -> logging.LogRecord:
    return logging.LogRecord("ui", logging.INFO, "file.py", line, text, None, None)


def _update(number: int) -> StepEvent:
    return StepEvent(
        step=number,
        loss=4.0 / number,
        learning_rate=0.1 * number,
        grad_norm=number / 3,
        n_tokens=number * 64,
        elapsed=number * 1.5,
        terms=(number * 0.5,),
    )


def _written(walked: "Walked", name: str, size: int) -> str:
    """Writes a file into the folder of temporary files; its name."""
    file = walked.actors[0].folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x" * size)
    walked.dated(file)
    return name


def _turn_waiting(workspace: Workspace) -> None:
    workspace.waits = not workspace.waits


_TINY = make_language_model()
_DOCUMENTS = [
    Document("mini", text, 1, (3, 4), (prompt(text),), seed=7) for text in ("One", "Two", "Three")
]
# A run whose thread never gets to it.
_NEVER_COMPUTES: Any = SimpleNamespace(keep=lambda steps, background: None)
_UNPREPARED = Preparation(
    SimpleNamespace(config=TrainingConfig(max_steps=100, time_budget=60.0)),  # type: ignore[arg-type]
    lambda: iter(()),  # type: ignore[arg-type, return-value]
)


def _queue_with_runs(*_: Any) -> list[Any]:
    """A queue with place for one run, and the workspaces whose runs it lines up; one leads."""
    workspaces = [Workspace(name, client=name[:1]) for name in ("a1", "a2", "a3", "b1", "c1")]
    for workspace in workspaces:
        workspace.run = TrainingRun(_UNPREPARED, _NEVER_COMPUTES)
    queue = RunQueue(replace(_LIMITS, training_runs=1, training_queue=3), lambda: workspaces)
    queue.leads = lambda workspace: workspace.id == "c1"
    return [queue, *workspaces, *(workspace.run for workspace in workspaces)]


def _run_ends(walked: "Walked") -> None:
    """Another run has the place of one that ends, which another begins in its workspace."""
    run = walked.one(TrainingRun)
    run._ended.set()
    run.record.state = "ended"
    walked.actors[0].advance()
    run._ended.clear()
    run.record.state = "ready"
    run._allowed = 0.0


WALKS: dict[str, Walk] = {
    "AdmissionQueue": Walk(
        lambda clock, _: AdmissionQueue(2, clock=clock),
        {"ticket": lambda walked: walked.one(Ticket), "seconds": [0.0], "wanted": [lambda: False]},
        met=(Ticket,),
        waits=("turn",),
        limits={"ui.compute.admission._NEWS": 0.0, "ui.compute.admission._REMEMBERED": 3},
    ),
    "Broadcasts": Walk(
        lambda clock, _: Broadcasts(most=2, clock=clock),
        {
            "secret": ["s", "t", "u"],
            "name": [name_of("s"), name_of("t"), name_of("u"), "nobody"],
            "scene": [None, SCENE, {**SCENE, "asks": ["a", "b"]}, {**SCENE, "asks": ["c"]}],
            "client": ["c", "d"],
            "workspace": ["", "w"],
            "left": [False, False, True],
            "number": [0, 1, 2],
            "start": [0, 0, 3, 6],
            "lines": ["abc", "defg", "x" * 9],
            "page": ["p", "q", "r"],
            "guess": [None, 0, 1, 2],
            "exercise": ["e", "f"],
            "wrong": [None, "1", "2", "3"],
            "most_wrong": [1, 3],
        },
        limits={
            "ui.state.broadcasts._LONGEST_WRITTEN": 12,
            "ui.state.broadcasts._MOST_FOLLOWERS": 2,
            "ui.state.broadcasts._MOST_WRONG": 2,
            "ui.state.broadcasts._MOST_WRONG_EACH": 1,
        },
    ),
    "Clients": Walk(
        lambda *_: Clients(behind_proxy=True),
        {
            "page": ["p", "q", "r", "s"],
            "client": ["1.2.3.4", "5.6.7.8"],
            "key": ["", "k", "l"],
            "headers": [{}, {"x-forwarded-for": "9.9.9.9, 8.8.8.8"}, {"x-forwarded-for": " "}],
            "peer": ["10.0.0.1", "1.1.1.1", "host", "[::1]"],
        },
        limits={"ui.state.clients._MOST_PAGES": 3},
    ),
    "NewcomerShares": Walk(
        lambda clock, _: NewcomerShares(6, burst=6, per_second=0.5, clock=clock),
        {"visitor": [f"v{n}" for n in range(40)], "client": ["a", "b", "c", "d"]},
        limits={"ui.state.clients._MOST_CLIENTS": 3, "ui.state.clients._LEAST_SHARE": 2},
    ),
    "Uploaded": Walk(
        lambda *_: Uploaded(),
        {"path": [Path("/nowhere/a"), Path("/nowhere/b")], "paths": [set(), {Path("/nowhere/a")}]},
    ),
    "SessionStore": Walk(
        lambda clock, _: SessionStore(_LIMITS, clock),
        {
            "session_id": ["a", "b", "c", "d", "", None],
            "visit": ["v" * 16, "w" * 64, "short", "x" * 65, 5],
            "step": [False, True],
            "document": [None, *_DOCUMENTS],
        },
        met=(Session,),
        limits={
            "ui.state.sessions._LONGEST_TURN": 0.0,
            "ui.state.sessions._NEWS": 0.0,
            "ui.state.sessions._MOST_LEFT": 2,
            "ui.state.sessions.MAX_UNDO": 3,
        },
        besides={
            "a text is written": lambda walked: setattr(
                walked.one(Session), "document", walked.drawn.choice(_DOCUMENTS)
            )
        },
    ),
    "Workspaces": Walk(
        lambda clock, _: Workspaces(_LIMITS, clock=clock),
        {
            "workspace_id": [*_WORKSPACES, "short", None, "token-1"],
            "run_id": ["trained-a", "nothing"],
            "name": ["trained-a", "trained-u", "mini"],
            "seconds": [5.0, 100.0],
        },
        met=(Workspace,),
        besides={
            "its run waits": lambda walked: _turn_waiting(walked.one(Workspace)),
            "a run begins": lambda walked: walked.one(Workspace).runs.append(
                RunState("trained-a", None)  # type: ignore[arg-type]
            ),
            "a model is uploaded": lambda walked: walked.one(Workspace).models.update(
                {"trained-u": _TINY}
            ),
        },
    ),
    "TrainingRun": Walk(
        lambda *_: TrainingRun(_UNPREPARED, _NEVER_COMPUTES),
        {
            "updates": [1, 5, float("inf")],
            "why": ["", "The speaker's run comes first."],
            "replaced": [False],
            "learning_rate": [0.01, 0.003, -1.0],
            "seconds": [0.0, 10.0],
        },
        waits=("wait",),
    ),
    "RunQueue": Walk(
        _queue_with_runs,
        {
            "workspace": lambda walked: walked.one(Workspace),
            "updates": [1, 5, float("inf")],
            "learning_rate": [0.01],
            "why": ["", "A reason."],
            "replaced": [False],
            "name": ["mini"],
            "seconds": [10.0],
        },
        waits=("wait", "stop", "holds"),
        besides={"a run ends": _run_ends},
    ),
    "LogLimits": Walk(
        lambda clock, _: LogLimits(clock),
        {"record": lambda walked: _record(walked.drawn.randrange(4), "line " * 9)},
        limits={
            "ui.server.log_limits._REMEMBERED": 3,
            "ui.server.log_limits._LONGEST": 30,
            "ui.server.log_limits._EACH": 2,
        },
    ),
    "Stopwatch": Walk(lambda clock, _: Stopwatch(2.0, clock, lambda: clock() ** 0.9)),
    "Curve": Walk(
        lambda *_: Curve(),
        {"event": lambda walked: _update(walked.number + 1)},
        limits={"ui.runs.snapshot._MOST_ROWS": 4},
    ),
    "TemporaryFiles": Walk(
        lambda clock, _: TemporaryFiles(most_bytes=100, age=600.0, clock=clock),
        {"besides": [(), ()], "n_bytes": [0, 20, 80, 101]},
        besides={
            f"{name} of {size} bytes": partial(_written, name=name, size=size)
            for name, size in {"a": 30, "b": 60, "gradio/c/d": 50}.items()
        },
    ),
    "AttentionCache": Walk(
        lambda clock, _: AttentionCache(9_000, seconds=50.0, clock=clock),
        {
            "lm": [_TINY],
            "ids": [[1, 2, 3], [4, 5, 6, 7], [8] * 9, [9] * 14],
            "key": lambda walked: walked.drawn.choice([*walked.actors[0]._entries, "gone", 5]),
        },
    ),
}
_NO_STATE = {"lock", "RLock", "Condition", "Limits"}
_LEFT_OUT = {"open", "close", "put"}


class Walked:
    """A walk on its way.

    Attributes:
        actors: the object, and others that it has met.
        drawn: by the walk's name.
        number: of steps so far.
    """

    def __init__(self, name: str) -> None:
        self._walk = WALKS[name]
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
        if not all(map(self._is_there, inspect.signature(getattr(actor, method)).parameters)):
            return f"nothing for {method}"
        given = {
            name: self._value(name)
            for name, parameter in inspect.signature(getattr(actor, method)).parameters.items()
            if name in self._walk.values or parameter.default is parameter.empty
        }
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
                if is_call and name not in (*_LEFT_OUT, *self._walk.waits):
                    found.setdefault(name, []).append(actor)
        return found

    def _is_there(self, name: str) -> bool:
        """Whether a ticket has been met that a method needs."""
        return name != "ticket" or len(self.actors) > 1

    def _value(self, name: str) -> Any:
        values = self._walk.values[name]
        return values(self) if callable(values) else self.drawn.choice(values)

    def _met(self, said: str, found: Any) -> Any:
        """What a call gives: of a context what it begins with, of an iterator its first value."""
        if isinstance(found, AbstractContextManager) and not isinstance(found, Session):
            self._open.append((said, found))
            found = found.__enter__()
        if isinstance(found, Iterator):
            found = next(found, "nothing")
        is_new = not any(found is item for item in self.actors)
        if isinstance(found, self._walk.met) and is_new:
            self.actors.append(found)
        return found

    def one(self, kind: type) -> Any:
        """An object of a kind that the walk has met, or a new one."""
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
