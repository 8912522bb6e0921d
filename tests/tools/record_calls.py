"""Records what the project's functions answer to calls that tests make, and to others made of them.

    python -m tests.tools.record_calls
    python -m tests.tools.record_calls --known

Tests run while every call with plain values is listened to. Of each function a few calls are kept
that take different ways through its code, and from them others are made, one value changed at a
time. `--known` asks what is recorded once more, and looks for nothing new; so does
`python -m tests.tools.record`.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.tools.listening import HEARD, OF_THIS_MACHINE, ROOT, Heard, all_functions

# isort: split
from answers import changes, load, save
from called_functions import answer, asked, changed, unlike

from tests.tools.other_calls import Constants, Ways, by_hints, others, within

_TESTS = "tests", "-m", "not slow", "-n", "2", "-q", "-W", "ignore", "-p", "no:cacheprovider"
_APART = ("tests/e2e", "tests/tools", "tests/abuse", "tests/compat", "tests/recipes")
_LISTENING = ("-p", "tests.tools.listening")
_TRIED = 300  # other calls of a function
_SECONDS = 1.0  # that they take
_LONG = 10  # seconds of one function
_CALLS = 3  # that are kept of a function
_OTHERS = 20  # that are kept of those made of them
_LARGE = 20_000  # characters of a call
_ANSWER = 8_000  # characters of an answer
_KEPT = 1_500  # characters of what differs in an answer
# what a function must not do to be asked for its answer
_EFFECTS = re.compile(
    r"socket\.(connect|bind|getaddrinfo)|subprocess\.Popen|ctypes\.dlopen|shutil\.\w+"
    r"|os\.(remove|rename|mkdir|rmdir|utime|link|symlink|truncate|chmod|putenv|unsetenv|system|exec)"
)
_WRITES = set("wax+")
# whose answers are the machine's: what it compiles, how fast it is, where its files are; or change
# with any file of the page
_OF_THE_MACHINE = (
    "gptcore.analysis.verification",
    "gptcore.hub",
    "gptcore.inference.native",
    "gptcore.linear",
    "gptcore.machine",
    "gptcore.native",
    "gptcore.threads",
    "gptcore.tokenizers.loading:_tiktoken_cached",
    "gptcore.training.config:faster_precision",
    "gptcore.training.distributed",
    "ui.lenses.train.handlers.fitting:expected_run",
    "ui.lenses.train.handlers.rates",
    "ui.server.connections",
    "ui.server.gradio_internals",
    "ui.server.launch",
    "ui.server.preflight",
    "ui.server.rehearsal",
    "ui.services",
    "ui.shared.files",
    "ui.state.ownership",
)


def heard() -> Heard:
    """The calls that tests make, by function."""
    found: Heard = {}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", *_TESTS, *_LISTENING]
        command += [f"--ignore={name}" for name in _APART]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, HEARD: folder}, check=False)
        if done.returncode > 1:  # 1: a test has failed, which may be because it is listened to
            raise RuntimeError("The tests did not run.")
        for file in sorted(Path(folder).iterdir()):
            for name, calls in json.loads(file.read_text(encoding="utf-8")).items():
                found.setdefault(name, {}).update(calls)
    for name, function in all_functions():
        call = None if found.get(name) else by_hints(function)
        if call:
            found[name] = {json.dumps(call): call}
    return dict(sorted(found.items()))


class _TooLong(Exception):
    """A function that takes longer than `_LONG`."""


class _Effect(Exception):
    """A function does more than to answer."""


class _Guard:
    """Notes where guarded code writes a file, starts a thread or a program, or opens a connection,
    and prevents it.
    """

    def __init__(self) -> None:
        self._is_up = False
        self._has_fired = False
        self._start = threading.Thread.start
        sys.addaudithook(self._heard)

    def _heard(self, event: str, details: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(details[1], str) and _WRITES & {*details[1]}
        if self._is_up and (writes or _EFFECTS.fullmatch(event)):
            self._has_fired = True
            raise PermissionError(event)

    def _start_thread(self, thread: threading.Thread) -> None:
        self._has_fired = True
        raise PermissionError("a thread")

    @contextmanager
    def up(self) -> Iterator[None]:
        """Guards a block.

        Raises:
            _Effect: at its end, if it was needed, whatever the code made of that.
            _TooLong: the block takes longer than `_LONG`.
        """

        def end(*_: Any) -> None:
            raise _TooLong

        signal.signal(signal.SIGALRM, end)
        signal.alarm(_LONG)
        self._is_up = True
        self._has_fired = False
        threading.Thread.start = lambda thread: self._start_thread(thread)  # type: ignore[method-assign]
        try:
            yield
        finally:
            threading.Thread.start = self._start  # type: ignore[method-assign]
            self._is_up = False
            signal.alarm(0)
        if self._has_fired:
            raise _Effect


_GUARD = _Guard()


def _answer(function: str, call: Any) -> Any:
    """The answer of a function that does nothing else.

    Raises:
        _Effect: it does, or names a place on this machine.
    """
    with _GUARD.up():
        found = answer(function, call)
    if any(place in json.dumps(found) for place in OF_THIS_MACHINE):
        raise _Effect
    return found


class Recorder:
    """The calls of one function that are kept.

    Args:
        function: its module and name.
        calls: that were heard.
    """

    def __init__(self, function: str, calls: list[Any]) -> None:
        self._function = function
        self._calls = sorted(calls, key=lambda call: len(json.dumps(call)))
        self._ways = Ways()
        self._said = set[str]()  # answers, as JSON

    def record(self) -> dict[str, Any]:
        """They and their answers, by the names of the record."""
        first = self._first()
        kept: dict[str, Any] = {}
        for number, (call, found) in enumerate(first):
            kept[f"{self._function} {number}"] = {"asked": call, "answer": found}
        for number, way, other, found in self._others(first):
            differs = changes(first[number][1], found)
            name = f"{self._function} {number}, {' '.join(map(str, way))} {str(other)[:60]}"
            if differs and len(json.dumps(differs)) <= _KEPT:
                of = f"{self._function} {number}"
                kept[name] = {"of": of, "way": way, "value": other, "differs": differs}
        return kept

    def _first(self) -> list[tuple[Any, Any]]:
        """Calls that take new ways, else one more with another answer."""
        found = []
        for call in self._calls:
            said, is_new = self._asked(call)
            has_another = len(found) < 2 and json.dumps(said) not in self._said
            if said is not None and (is_new or has_another) and len(found) < _CALLS:
                self._said.add(json.dumps(said))
                found.append((call, said))
        return found

    def _others(self, first: list[tuple[Any, Any]]) -> list[tuple[int, list[Any], Any, Any]]:
        """Other calls: those that take new ways, then of each value in turn one that is answered
        otherwise.
        """
        constants = Constants(self._function)
        trials = [
            (number, list(way[1:]), other)
            for number, (call, _) in enumerate(first)
            for way, value in within({"dict": call})
            for other in (others(value, constants) if len(way) > 1 else ())
        ]
        random.Random(self._function).shuffle(trials)
        until = time.monotonic() + _SECONDS
        picked = []
        spare: dict[tuple[int, str], list[Any]] = {}
        for number, way, other in trials[:_TRIED]:
            if time.monotonic() > until:
                break
            call = changed(first[number][0], way, other)
            said, is_new = self._asked(call)
            if said is None:
                continue
            trial = (number, way, other, said)
            if is_new:
                picked.append(trial)
            elif json.dumps(said) not in self._said:
                spare.setdefault((number, str(way[:3])), []).append(trial)
            self._said.add(json.dumps(said))
        while len(picked) < _OTHERS and any(spare.values()):
            picked += [trials.pop() for trials in spare.values() if trials]
        return picked[:_OTHERS]

    def _asked(self, call: Any) -> tuple[Any, bool]:
        """The answer, None if it is none, is large or another one the second time; and whether it
        takes a new way.
        """
        if len(json.dumps(call)) > _LARGE:
            return None, False
        try:
            found, is_new = self._ways.of(lambda: _answer(self._function, call))
            again = _answer(self._function, call)
            told = json.dumps(found)
        except _TooLong:
            raise
        except (Exception, SystemExit):  # whatever such a call breaks, nobody makes it
            return None, False
        is_same = told == json.dumps(again) and len(told) <= _ANSWER
        return (found, is_new) if is_same else (None, False)


def recorded() -> dict[str, Any]:
    """Calls of all functions."""
    found: dict[str, Any] = {}
    for function, calls in heard().items():
        if function.startswith(_OF_THE_MACHINE):
            continue
        before = time.monotonic()
        try:
            own = Recorder(function, list(calls.values())).record()
        except (_TooLong, AttributeError, OSError, SyntaxError, SystemError):
            print(f"left out: {function}")
            continue
        found |= own
        seconds = time.monotonic() - before
        print(f"{function}: {len(own)} calls, {seconds:.1f} s" if seconds > 2 else "", end="")
    return found


def answered(kept: dict[str, Any]) -> dict[str, Any]:
    """The calls of a record with what they answer now; those that fail are left out."""
    found: dict[str, Any] = {}
    answers: dict[str, Any] = {}
    for name, call in kept.items():
        if name.startswith(_OF_THE_MACHINE):
            continue
        try:
            answers[name] = _answer(*asked(kept, name))
        except Exception as error:
            print(f"left out: {name[:100]}: {error!r}"[:200])
            continue
        if "of" not in call:
            found[name] = {**call, "answer": answers[name]}
        elif call["of"] in answers and (differs := changes(answers[call["of"]], answers[name])):
            found[name] = {**call, "differs": differs}
    return found


def steady(kept: dict[str, Any]) -> dict[str, Any]:
    """Those that another process, with the plainest kernels, answers in the same way."""
    save("calls", kept)
    code = "from tests.tools import record_calls; record_calls.print_unlike()"
    env = {**os.environ, "ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41"}
    command = [sys.executable, "-W", "ignore", "-c", code]
    told = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    unsteady = set(json.loads(told.stdout.splitlines()[-1]))
    print(f"{len(unsteady)} calls are answered otherwise by another process")
    return {
        name: call
        for name, call in kept.items()
        if name not in unsteady and call.get("of") not in unsteady
    }


def print_unlike() -> None:
    """The names of calls that are not answered as they are recorded, as JSON."""
    kept = load("calls")
    unsteady = []
    for name, call in kept.items():
        try:
            is_same = not unlike(call, _answer(*asked(kept, name)))
        except Exception:
            is_same = False
        if not is_same:
            unsteady.append(name)
    print(json.dumps(unsteady))


def keep(kept: dict[str, Any]) -> None:
    """Saves calls that are answered steadily."""
    kept = steady(kept)
    save("calls", kept)
    print(f"{len(kept)} calls of {len({name.split(' ')[0] for name in kept})} functions")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--known", action="store_true", help="ask what is recorded once more")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    keep(answered(load("calls")) if options.known else recorded())
    return 0


if __name__ == "__main__":
    sys.exit(main())
