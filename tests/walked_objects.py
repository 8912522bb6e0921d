"""The objects that `tests/walks.py` walks through: how each is made, and what it is called with."""

import logging
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from walks import Walk, Walked

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

_LIMITS = replace(PROFILES["local"], sessions=3, workspaces=3, session_seconds=300.0)
_WORKSPACES = [letter * 22 for letter in "abcde"]


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
        left_out=("turn",),
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
        left_out=("wait",),
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
        left_out=("wait", "stop", "holds"),
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
        left_out=("open", "close"),
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
        left_out=("put",),
    ),
}
