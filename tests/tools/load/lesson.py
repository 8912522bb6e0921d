"""A lesson in fast motion: twenty phones train and follow a speaker, beside three real browsers.

    python tests/tools/load/lesson.py [--training-runs 2] [--updates 600] [--people 20]

On loopback, against a server of its own in another process. Everybody presses Start within two
seconds; the runs are as long as `--updates` updates of the smallest shape of the presets, so the table tells what
`--training-runs` changes: who sees first words when (held out below 2.2 nats a letter), and when all are done. The
speaker's browser changes tabs every four seconds; two browsers follow.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import re
import secrets
import shutil
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "benchmarks"), str(Path(__file__).parent)]

import httpx
from page import served
from playwright.async_api import Page as BrowserPage
from playwright.async_api import async_playwright
from trial import kept_by
from wire import Page, Visitor, visit

_WORDS = 2.2  # nats a letter: below it, samples have words
_SMALL = {"train-n_layer": 1, "train-n_embd": 64, "train-batch_size": 8}
_TABS = ("Attention", "Generate", "Start", "Parameters")


class Lesson:
    """What was measured: seconds by name, and what was refused."""

    def __init__(self, address: str, updates: int) -> None:
        self.address, self.updates = address, updates
        self.began = time.monotonic()
        self.took: dict[str, list[float]] = defaultdict(list)
        self.refused: list[str] = []
        self.name = ""  # of the stage
        self.over = False

    def since(self) -> float:
        return time.monotonic() - self.began

    def client(self) -> httpx.AsyncClient:
        limits = httpx.Limits(keepalive_expiry=2.0)  # the server ends what is idle for five seconds
        return httpx.AsyncClient(base_url=self.address, timeout=120, trust_env=False, limits=limits)


async def person(lesson: Lesson, page: Page) -> None:
    """One phone: trains, and meanwhile follows the speaker."""
    async with lesson.client() as client:
        visitor = await visit(client, page)
        workspace = secrets.token_urlsafe(16)
        await asyncio.sleep(2 * random.random())
        pressed = lesson.since()
        event = page.event("train-start", "click")
        changes = {"train-length": "steps", "train-steps": lesson.updates, **_SMALL}
        async for message in visitor.send(event, [workspace, *page.values(event, changes)[1:]]):
            if message["msg"] == "process_completed" and (said := message["output"]["data"][1]):
                lesson.refused.append(str(said))
                return
        follower = asyncio.create_task(audience(lesson, visitor))
        await trained(lesson, visitor, workspace, pressed)
        while not lesson.over:
            await asyncio.sleep(0.5)
        follower.cancel()


async def trained(lesson: Lesson, visitor: Visitor, workspace: str, pressed: float) -> None:
    """Waits for the end of the person's run."""
    waits = words = None
    while True:
        asked = time.monotonic()
        seen = {"workspace": workspace, "run": None, "version": 0, "rows": 0, "looks": 0, "rival": None}
        news: dict[str, Any] = (await visitor.ask("train", "poll", seen)).json()
        lesson.took["a run's news"].append(time.monotonic() - asked)
        if news["queue"] is None and waits is None and news["step"]:
            waits = lesson.since() - pressed
            lesson.took["first update"].append(waits)
        losses = [look["valid"] for look in news["looks"] if look["valid"] is not None]
        if words is None and losses and min(losses) < _WORDS:
            words = lesson.since() - pressed
            lesson.took["first words"].append(words)
        if news["state"] == "ended":
            lesson.took["done"].append(lesson.since() - pressed)
            return
        await asyncio.sleep(0.5)


async def audience(lesson: Lesson, visitor: Visitor) -> None:
    """Asks for the speaker's scene every second."""
    page, version = secrets.token_urlsafe(16), 0
    while True:
        asked = time.monotonic()
        (
            await visitor.ask("hall", "follow", {"name": lesson.name, "page": page, "version": version})
        ).raise_for_status()
        lesson.took["the speaker's scene"].append(time.monotonic() - asked)
        await asyncio.sleep(1)


async def speaker(lesson: Lesson, page: BrowserPage, followers: list[BrowserPage]) -> None:
    """Changes tabs until the lesson is over; notes when each follower has come along."""
    for tab in itertools.cycle(_TABS):
        if lesson.over:
            return
        await page.get_by_role("tab", name=tab, exact=True).click()
        pressed = time.monotonic()

        async def came(other: BrowserPage, tab: str = tab, pressed: float = pressed) -> None:
            chosen = f"#tabs [role=tab][aria-selected=true]:has-text('{tab}')"
            await other.wait_for_selector(chosen, timeout=60_000)
            lesson.took["a browser follows"].append(time.monotonic() - pressed)

        await asyncio.gather(*(came(other) for other in followers))
        await asyncio.sleep(4)


async def lead(page: BrowserPage, address: str) -> str:
    """Opens the speaker's page and leads; returns the stage's name."""
    await page.goto(address + "?tab=start")
    await page.click("#start [data-do=talks]")
    await page.get_by_role("button", name="Lead the room").click()
    await page.get_by_role("button", name="Code for phones").click()
    link = await page.locator(".lens-code p").first.text_content()
    await page.get_by_role("button", name="Close", exact=True).click()
    found = re.search(r"follow=([0-9a-f]+)", link or "")
    if found is None:
        raise SystemExit(f"the code shows no link to follow: {link}")
    return found[1]


async def teach(lesson: Lesson, people: int) -> None:
    async with async_playwright() as playwright, lesson.client() as client:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        pages = [await (await browser.new_context()).new_page() for _ in range(3)]
        lesson.name = await lead(pages[0], lesson.address)
        for page in pages[1:]:
            await page.goto(f"{lesson.address}?tab=start&follow={lesson.name}")
            await page.wait_for_selector(".hall-chip")
        first = (await visit(client)).page
        lesson.began = time.monotonic()
        talking = asyncio.create_task(speaker(lesson, pages[0], pages[1:]))
        classes = [asyncio.create_task(person(lesson, first)) for _ in range(people)]
        while len(lesson.took["done"]) + len(lesson.refused) < people:
            await asyncio.sleep(0.5)
            for task in (*classes, talking):
                if task.done() and task.exception():
                    raise task.exception() or SystemExit
        lesson.over = True
        await asyncio.gather(talking, *classes)
        await browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--training-runs", type=int, default=2)
    parser.add_argument("--updates", type=int, default=600)
    parser.add_argument("--people", type=int, default=20)
    options = parser.parse_args()
    with served("app.py", "--training-runs", str(options.training_runs)) as server:
        time.sleep(5)  # for what a start leaves to do
        before = kept_by(server.process)
        lesson = Lesson(server.address, options.updates)
        asyncio.run(teach(lesson, options.people))
        during = kept_by(server.process)
        time.sleep(30)
        after = kept_by(server.process)
    print(f"{options.people} people, {options.training_runs} runs at a time, {options.updates} updates each")
    print(f"{'seconds':<24}{'n':>6}{'first':>8}{'median':>8}{'95%':>8}{'last':>8}")
    for name in ("first update", "first words", "done", "a run's news", "the speaker's scene"):
        show(name, lesson.took[name])
    show("a browser follows", lesson.took["a browser follows"])
    print(f"refused: {len(lesson.refused)}  {'; '.join(sorted(set(lesson.refused)))[:200]}")
    kept = ((before, "before"), (during, "at the end"), (after, "half a minute later"))
    told = ", ".join(f"{found['MB']:.0f} {when}" for found, when in kept)
    print(f"memory, MB: {told}")


def show(name: str, values: list[float]) -> None:
    values = sorted(values)
    if values:
        print(
            f"{name:<24}{len(values):>6}{values[0]:>8.2f}{statistics.median(values):>8.2f}"
            f"{values[int(0.95 * (len(values) - 1))]:>8.2f}{values[-1]:>8.2f}"
        )


if __name__ == "__main__":
    main()
