"""Records what the functions of the page's modules answer to calls that its components make, and
to others made of them.

    python -m tests.tools.record_script_calls
    python -m tests.tools.record_script_calls --known

Every component is walked through, and every scenario of the page played, while the calls of all
functions with plain values are listened to. Of each function a few that are answered differently
are kept, and others are made of them, one value changed at a time. `--known` asks what is recorded
once more.
"""

import argparse
import itertools
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import gradio as gr
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("tests", "tests/ui")]

from answers import RECORDED, load, save
from called_functions import asked, changed
from page_answers import first_values
from stage import Stage, components, of_each_kind, part_of, served_stage
from stage.scenarios import SCENARIOS
from stage.scripts import Script, given_by, open_routes, short
from stage.whole import WholePage

from serving import built_page
from tests.tools.other_calls import Constants, others, within
from ui.server.rehearsal import find_browser

Opens = Callable[[str], Script]
_CALLS = 4  # that are kept of a function
_OTHERS = 16  # that are kept of those made of them
_ALIKE = 8  # more of them, whose answer is that of another
_TRIED = 200
_NUMBER = re.compile(r"(?<![\w.#])\d+(?:\.\d+)?(?:e-?\d+)?\b")
_TEXT = re.compile(r"'([^'\\\n]{1,24})'")
_LARGE = 20_000  # characters of an answer


class _Listening:
    """A browser whose pages tell what calls they have heard when they close."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.heard: dict[str, set[str]] = {}

    def new_page(self, **look: Any) -> Page:
        page = self._browser.new_page(**look)
        page.add_init_script("window.isListening = true")
        page.close = partial(self._close, page, page.close)  # type: ignore[method-assign]
        return page

    def _close(self, page: Page, close: Any) -> None:
        for name, calls in page.evaluate("heardCalls()").items():
            self.heard.setdefault(name, set()).update(calls)
        close()


def heard(page: gr.Blocks, browser: Browser, address: str) -> dict[str, set[str]]:
    """The calls that the page's components and scenarios make, as JSON, by function."""
    listening = _Listening(browser)
    own = cast(Browser, listening)
    stage = Stage(own, page, address)
    shown = first_values(page)
    events = load("events")
    exercises = of_each_kind(load("functions")["Exercises.exercises"])
    for name, component in components(page).items():
        file = RECORDED / "server" / f"{name}.json"
        answers = load(f"server/{name}") if file.exists() else {}
        part = part_of(component, shown[component._id], events, exercises, answers)
        stage.drawn(component, part)
    for play in SCENARIOS.values():
        play(partial(WholePage, own, page, address))
    return listening.heard


class _Constants(Constants):
    """Numbers and texts of a function's code.

    Args:
        source: of the function.
    """

    def __init__(self, source: str) -> None:
        self.numbers = sorted({float(text) for text in _NUMBER.findall(source)})
        self.whole = [int(number) for number in self.numbers if number == int(number)]
        self.texts = sorted(set(_TEXT.findall(source)))


class Recorder:
    """The calls of one function that are kept.

    Args:
        function: its module and name.
        script: that has it.
    """

    def __init__(self, function: str, script: Script) -> None:
        self._function = function
        self._script = script
        self._said = set[str]()  # answers

    def record(self, calls: Sequence[str]) -> dict[str, Any]:
        """They and their answers, by the names of the record.

        Args:
            calls: that were heard, as JSON.
        """
        kept: dict[str, Any] = {}
        first = []
        for text in sorted(calls, key=len):
            call = json.loads(text)
            said = self._asked(call)
            if said and said not in self._said and len(first) < _CALLS:
                self._said.add(said)
                kept[f"{self._function} {len(first)}"] = {"asked": call, "answer": short(said)}
                first.append(call)
        for number, way, other, said in self._others(first):
            of = f"{self._function} {number}"
            name = f"{of}, {' '.join(map(str, way))} {str(other)[:60]}"
            kept[name] = {"of": of, "way": way, "value": other, "answer": short(said)}
        return kept

    def _asked(self, call: Any) -> str:
        """What a call is answered; "" for no answer, or a large one."""
        found = self._script.answers(self._function, [call])[0]
        return "" if found is None or len(found) > _LARGE else found

    def _others(self, first: Sequence[Any]) -> list[tuple[int, list[Any], Any, str]]:
        """Other calls: of each value in turn one that is answered otherwise, then some that are
        answered alike; none of a function that awaits something, which nothing could stop.
        """
        source = self._script.source(self._function)
        if source.startswith("async"):
            return []
        constants = _Constants(source)
        trials = [
            (number, list(way), other)
            for number, call in enumerate(first)
            for way, value in within(call)
            for other in (others(value, constants) if way else ())
        ]
        random.Random(self._function).shuffle(trials)
        new = _Spread()
        alike = _Spread()
        for number, way, other in trials[:_TRIED]:
            said = self._asked(changed(first[number], way, other))
            if said:
                spread = alike if said in self._said else new
                spread.add((number, str(way[:3])), (number, way, other, said))
                self._said.add(said)
        return [*new.some(_OTHERS), *alike.some(_ALIKE)]


class _Spread:
    """Things of several kinds, of which some are taken, of each kind in turn one."""

    def __init__(self) -> None:
        self._of_kind: dict[Any, list[Any]] = {}

    def add(self, kind: Any, item: Any) -> None:
        self._of_kind.setdefault(kind, []).append(item)

    def some(self, n: int) -> list[Any]:
        in_turn = itertools.chain(*itertools.zip_longest(*self._of_kind.values()))
        return [item for item in in_turn if item is not None][:n]


def recorded(calls: Mapping[str, set[str]], opens: Opens) -> dict[str, Any]:
    """The calls of all functions that are kept."""
    kept: dict[str, Any] = {}
    for module in sorted({name.partition(":")[0] for name in calls}):
        script = opens(module)
        for function in script.functions:
            kept |= Recorder(function, script).record([*calls.get(function, ())])
        script.close()
        print(f"{module}: {len(kept)} calls so far", flush=True)
    return kept


def asked_again(kept: Mapping[str, Any], opens: Opens) -> dict[str, str]:
    """What the calls of a record are answered now, by their names; those that fail are left out."""
    by_module: dict[str, list[str]] = {}
    for name in kept:
        by_module.setdefault(name.partition(":")[0], []).append(name)
    answers = {}
    for module, names in by_module.items():
        script = opens(module)
        for name in names:
            function, call = asked(kept, name)
            found = script.answers(function, [call])[0] if function in script.functions else None
            if found is not None:
                answers[name] = short(found)
        script.close()
    return answers


def steady(kept: Mapping[str, Any], opens: Opens) -> dict[str, Any]:
    """Those that are answered alike each time that all of a module's are asked in their order."""
    before, again = (asked_again(kept, opens) for _ in range(2))
    found = {
        name: {**call, "answer": before[name]}
        for name, call in kept.items()
        if name in before and before[name] == again.get(name)
    }
    print(f"{len(kept) - len(found)} calls are answered otherwise once more")
    return {name: call for name, call in found.items() if call.get("of", name) in found}


@contextmanager
def _browser() -> Iterator[tuple[Browser, str]]:
    with served_stage(open_routes()) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield browser, address
        browser.close()


def record(*, is_known: bool) -> None:
    """Keeps calls that are answered steadily: those that are recorded, or those of the page now."""
    with built_page() as (page, _), _browser() as (browser, address):
        opens = partial(Script, browser, address, given_by(page))
        known = load("script_calls") if is_known else {}
        save("script_calls", steady(known or recorded(heard(page, browser, address), opens), opens))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--known", action="store_true", help="ask what is recorded once more")
    record(is_known=parser.parse_args().known)
    return 0


if __name__ == "__main__":
    sys.exit(main())
