"""Keeps what the page's events answer, and what its components draw of it, in `tests/recorded`.

    python -m tests.tools.record
    python -m tests.tools.record --only start attention

Tests compare with it. Read the change (`git diff tests/recorded`) before you commit it.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from playwright.sync_api import sync_playwright
from starlette.testclient import TestClient

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("tests", "tests/ui")]

from page_answers import RECORDED, answer, fields_of, kept, load, questions, read, save
from stage import MISSING, components, part_of, stage, walked
from test_payloads import FUNCTIONS, asked
from test_payloads import answer as answer_of_function
from wire import apart

from serving import built_page
from ui.server.rehearsal import find_browser
from ui.services import Services


def record_events(page: gr.Blocks) -> None:
    """Asks every event, with its first values and with each of them changed."""
    found: dict[str, Any] = {}
    first: Any = None
    for question in questions(page):
        given = read(asyncio.run(answer(page, question)))
        first = first if question.changed else given
        found[question.name] = kept(question, given, first)
    save("events", found)


def record_functions(services: Services) -> None:
    """Asks every server function."""
    requests = asked(services)
    found = {
        name: read(answer_of_function(function, services, requests[name]))
        for name, function in FUNCTIONS.items()
    }
    save("functions", found)


def record_drawings(page: gr.Blocks, only: set[str]) -> None:
    """Puts every component on the stage; what it asks the server there is kept, too."""
    fields = fields_of(page)
    shown = {item["id"]: item["props"].get("value") for item in page.config["components"]}
    client = TestClient(stage())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for name, component in components(page).items():
            if only and name not in only:
                continue
            part = part_of(component, shown[component._id], load("events"))
            server = partial(_asked, component.server_fns)
            text = MISSING
            while MISSING in text:  # the order of answers may ask for others
                _, answers = walked(browser, client, component, part, fields, server)
                part = replace(part, answers=answers)
                text, _ = walked(browser, client, component, part, fields)
            if answers:
                save(f"server/{name}", dict(answers))
            drawn = RECORDED / "drawn" / f"{name}.txt"
            drawn.parent.mkdir(parents=True, exist_ok=True)
            drawn.write_text(text, encoding="utf-8")
            print(f"{name}: {text.count('== ')} steps, {len(answers)} answers of the server")
        browser.close()


def _asked(functions: list[Callable[[Any], Any]], key: str) -> Any:
    name, request = json.loads(key)
    function = next(item for item in functions if item.__name__ == name)
    return apart(lambda: function(request))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="ID", default=[], help="drawings of these")
    options = parser.parse_args()
    with built_page() as (page, services):
        record_events(page)
        record_functions(services)
        record_drawings(page, set(options.only))
    return 0


if __name__ == "__main__":
    sys.exit(main())
