"""A real browser on the served page, with every host but the app's own out of reach."""

from __future__ import annotations

import os
import re
import shutil

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from browser import COUNT_REQUESTS, settled
from serving import served_page

PATIENCE = 180_000  # ms after which what is awaited counts as missing, on the slowest and busiest machine
expect.set_options(timeout=PATIENCE)
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
# What is on screen once a tab has opened.
LANDMARKS = {
    "start": "#start .st-bar",
    "generate": "#distribution .dv-token",
    "attention": "#attention .at-name",
    "parameters": "#breakdown .bd-total",
    "train": "#train .tr-tile",
    "zero-shot": "#zs-view .zs-prompt",
}


def pytest_collection_modifyitems(items):
    for item in items:
        if "e2e" in item.path.parts:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium on this machine (apt-get install chromium)"))


@pytest.fixture(scope="session")
def url():
    with served_page() as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, url):
    """Opens the page; on leaving, no foreign host may have been asked and no script may have failed."""
    contexts, foreign, failures = [], [], []

    def route(request):
        if request.request.url.startswith((url, "data:", "blob:")):
            request.continue_()
        else:
            foreign.append(request.request.url)
            request.abort()

    def open_page(
        query: str = "?tab=generate", width: int = 1280, height: int = 720, *, bypass_csp: bool = False
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, bypass_csp=bypass_csp)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.add_init_script(COUNT_REQUESTS)
        context.route("**/*", route)  # of its popups, too
        page.on("pageerror", lambda error: failures.append(str(error)))
        if query and "tab=" not in query:
            query += "&tab=generate"
        page.goto(url + query)
        tab = re.search(r"tab=([\w-]+)", query)
        expect(page.locator(LANDMARKS[tab[1] if tab else "start"]).first).to_be_visible()
        settled(page)  # its load events run after its first paint
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert foreign == [] and failures == []
