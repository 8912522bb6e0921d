"""Records the bundled talk in a browser, each step as a speaker would: `python -m tests.tools.talk`

Everything in it comes from the bundled models, and is written anew by each call.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does

from playwright.sync_api import Page, expect, sync_playwright

from browser import COUNT_REQUESTS, open_accordion, settled
from serving import served_page

TARGET = Path(__file__).resolve().parents[2] / "ui" / "components" / "talks" / "example.talk"
TITLE = "GPT in one minute"


def _write(page: Page) -> None:
    open_accordion(page, "#more")
    page.fill("#speed input[type=number]", "12")
    page.fill("#prompt textarea", "The dragon was sad because")
    page.click("#generate")
    expect(page.locator("#stream .ts-prompt")).to_have_text("The dragon was sad because")
    expect(page.locator("#stream .ts-stats")).to_contain_text("ended", timeout=120_000)
    expect(page.locator("#distribution .dv-token").first).to_be_visible()


def _attend(page: Page) -> None:
    page.fill("#attention-text textarea", "Tom and Ann went out. Ann saw a cat and Tom and Ann went home.")
    settled(page)
    grid = page.locator("#attention .at-grid")
    expect(page.locator("#attention .at-role")).to_contain_text("token just before")
    page.wait_for_timeout(4000)  # a listener's look at the overview, and at the head that it opens with
    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#attention .at-role")).to_contain_text("came after this token last time")
    page.wait_for_timeout(4000)


def _train(page: Page) -> None:
    expect(page.locator("#train .tr-tile").first).to_be_visible()
    page.click("#train-start")
    expect(page.locator("#train .tr-title")).to_contain_text("Learning", timeout=60_000)
    expect(page.locator("#train .tr-title")).to_contain_text("Ended", timeout=300_000)
    page.wait_for_timeout(1500)


def _ask(page: Page) -> None:
    page.wait_for_timeout(2500)  # to read the prompt
    for review in ("I loved every minute of this play.", "I was bored by every minute of this play."):
        page.fill("#zs-field-0 textarea", review)
        settled(page)
        page.wait_for_timeout(1500)
        page.click("#zs-answer")
        expect(page.locator("#zs-stream .ts-prompt")).to_contain_text(review, timeout=120_000)
        expect(page.locator("#zs-stream .ts-stats")).to_contain_text("stop string found", timeout=120_000)
        settled(page)
        page.wait_for_timeout(3500)  # to read the answer


# (the link, the sentence, what is done while it is recorded)
STEPS: tuple[tuple[str, str, Callable[[Page], None]], ...] = (
    (
        "tab=generate",
        "A GPT writes one token after another. The orange ones surprised the model itself.",
        _write,
    ),
    (
        "tab=attention",
        "Every square is a head. This one looks at the token before; the other finds what came next last time.",
        _attend,
    ),
    ("tab=train", "The same kind of model, from noise: watch the loss fall and words appear.", _train),
    (
        "tab=zero-shot&model=world&task=sentiment&template=Opinion and feeling (held out)",
        "A task by its prompt alone, in a wording that it never read while it was trained: which word is likelier?",
        _ask,
    ),
)


def record(page: Page, url: str, link: str, act: Callable[[Page], None]) -> dict[str, object]:
    """One step of the talk, from the file that the page saves."""
    page.goto(f"{url}?{link}")
    expect(page.locator("#tabs > .tabitem:visible").first).to_be_visible()
    settled(page)  # a page does much by itself when it opens
    page.locator("#title").click()
    page.keyboard.press("r")
    expect(page.locator("#replay")).to_contain_text("Recording")
    act(page)
    page.get_by_role("button", name="Done").click()
    with page.expect_download() as download:
        page.locator("#replay").get_by_role("button", name="Save").click()
    return json.loads(download.value.path().read_text())["steps"][0]["recording"]


def main() -> None:
    """Writes the talk to `TARGET`."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    steps = []
    with served_page() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.add_init_script(COUNT_REQUESTS)
        for link, sentence, act in STEPS:
            recording = record(page, url, link, act)
            tab = link.partition("&")[0]
            steps.append({"say": sentence, "link": tab, "recording": recording})
            print(f"{tab}: {recording['length'] / 1000:.0f} s, {len(json.dumps(recording)) / 1000:.0f} kB")
        browser.close()
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps({"kind": "gptlens-talk", "version": 1, "title": TITLE, "steps": steps}), "utf-8")


if __name__ == "__main__":
    main()
