"""Keeps what the core and the page's events answer, and what the page draws of it, in
`tests/recorded`.

    python -m tests.tools.record
    python -m tests.tools.record --only start attention

Tests compare with it. Read the change (`git diff tests/recorded`) before you commit it.
"""

import argparse
import asyncio
import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("tests", "tests/ui")]

import core_answers
import endpoint_answers
import figure_answers
import link_answers
from answers import RECORDED, load, read, save
from page_answers import (
    answer,
    beyond,
    first_values,
    further,
    kept,
    other_requests,
    questions,
    refusal,
    unlike,
)
from stage import MISSING, Stage, components, of_each_kind, part_of, served_stage
from stage.scenarios import SCENARIOS
from stage.whole import WholePage
from test_payloads import FUNCTIONS, asked
from test_payloads import answer as answer_of_function
from walked_objects import WALKS
from walks import Walked
from wire import apart

from serving import built_page
from tests.tools import record_script_calls
from tests.tools.record_calls import answered, keep
from ui.server.rehearsal import find_browser
from ui.services import Services


def record_events(page: gr.Blocks) -> None:
    """Asks every event, with its first values and with each of them changed."""
    found: dict[str, Any] = {}
    first: Any = None
    for question in (*questions(page), *further(page)):
        given, again = (read(asyncio.run(answer(page, question))) for _ in range(2))
        first = first if question.changed else given
        found[question.name] = kept(question, given, first)
        if unlike(question, found[question.name], again):
            found[question.name] = None  # it is drawn by chance
    save("events", found)


def record_limits(page: gr.Blocks) -> None:
    """Asks every event with fields beyond their limits; of the same refusals the first is kept."""
    found: dict[str, dict[str, str]] = {}
    for question in beyond(page):
        refused = found.setdefault(question.changed, {})
        said = refusal(read(asyncio.run(answer(page, question))))
        if said and said not in refused.values():
            refused.setdefault(question.component, said)
    save("limits", found)


def record_functions(services: Services) -> None:
    """Asks every server function, and for what it refuses."""
    found: dict[str, Any] = {}
    for name, request in asked(services).items():
        function = FUNCTIONS[name]
        found[name] = read(answer_of_function(function, services, request))
        for what, other in other_requests(request or {}):
            found[f"{name}, {what}"] = read(answer_of_function(function, services, other))
    save("functions", found)


def record_endpoints(services: Services) -> None:
    """Asks every endpoint, with each of its values changed, too."""
    save(
        "endpoints",
        {
            request.name: read(endpoint_answers.answer(request, services))
            for request in endpoint_answers.requests()
        },
    )


def record_links(page: gr.Blocks) -> None:
    """Opens the page by links, and goes to them."""
    save("links", dict(link_answers.answers(page)))


def record_core() -> None:
    """Asks the core's functions."""
    save(
        "core",
        {question.name: core_answers.answer(question) for question in core_answers.questions()},
    )


def record_calls() -> None:
    """Asks the functions of known calls once more."""
    keep(answered(load("calls")))


def record_walks() -> None:
    """Walks through the objects that keep something between calls."""
    for name in WALKS:
        file = RECORDED / "walks" / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            "".join(f"{line}\n" for line in Walked(name, WALKS[name]).lines()), encoding="utf-8"
        )


def record_figures() -> None:
    """Draws the pictures of the Parameters tab."""
    save("figures", {name: figure_answers.drawn(draw) for name, draw in figure_answers.pictures()})


def record_drawings(page: gr.Blocks, address: str, only: set[str]) -> None:
    """Puts every component on the stage; what it asks the server there is kept, too."""
    shown = first_values(page)
    events = load("events")
    exercises = of_each_kind(load("functions")["Exercises.exercises"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        live, kept_alone = Stage(browser, page, address, _asked), Stage(browser, page, address)
        for name, component in components(page).items():
            if only and name not in only:
                continue
            part = part_of(component, shown[component._id], events, exercises)
            text = MISSING
            while MISSING in text:  # the order of answers may ask for others
                _, answers = live.drawn(component, part)
                part = replace(part, answers=answers)
                text, _ = kept_alone.drawn(component, part)
            if part.answers:
                save(f"server/{name}", dict(part.answers))
            drawn = RECORDED / "drawn" / f"{name}.txt"
            drawn.parent.mkdir(parents=True, exist_ok=True)
            drawn.write_text(text, encoding="utf-8")
            print(f"{name}: {text.count('== ')} steps, {len(part.answers)} answers of the server")
        browser.close()


def record_page(page: gr.Blocks, address: str, only: set[str]) -> None:
    """Plays every scenario of the whole page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for name, play in SCENARIOS.items():
            if not only or name in only:
                told = play(partial(WholePage, browser, page, address))
                file = RECORDED / "page" / f"{name}.txt"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(told, encoding="utf-8")
                print(f"{name}: {told.count('== ')} steps of the page")
        browser.close()


def _asked(component: Any, key: str) -> Any:
    name, request = json.loads(key)
    function = next(item for item in component.server_fns if item.__name__ == name)
    return apart(lambda: function(request))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", metavar="ID", default=[], help="drawings and scenarios of these alone"
    )
    parser.add_argument("--core", action="store_true", help="answers of the core alone")
    parser.add_argument("--figures", action="store_true", help="pictures of matplotlib alone")
    parser.add_argument("--walks", action="store_true", help="walks through objects alone")
    parser.add_argument("--calls", action="store_true", help="known calls of functions alone")
    parser.add_argument("--scripts", action="store_true", help="known calls of modules alone")
    options = parser.parse_args()
    quick = {
        "core": record_core,
        "figures": record_figures,
        "walks": record_walks,
        "calls": record_calls,
        "scripts": partial(record_script_calls.record, is_known=True),
    }
    alone = [record for name, record in quick.items() if getattr(options, name)]
    for record in alone or ([] if options.only else quick.values()):
        record()
    if alone:
        return 0
    with built_page() as (page, services):
        only = set(options.only)
        if not only:
            record_events(page)
            record_limits(page)
            record_functions(services)
            record_endpoints(services)
            record_links(page)
        with served_stage() as address:
            record_drawings(page, address, only)
            record_page(page, address, only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
