"""A real browser on the served page, with every host but the app's own out of reach."""

import json
import os
import re

import httpx
import pytest
from playwright.sync_api import Page, expect, sync_playwright

from browser import COUNT_REQUESTS, settled
from serving import served
from ui.server.rehearsal import find_browser

# Milliseconds after which what is awaited counts as missing, on the slowest and busiest machine.
PATIENCE = int(os.environ.get("GPTLENS_PATIENCE", "180000"))
expect.set_options(timeout=PATIENCE)
CHROMIUM = os.environ.get("CHROMIUM") or find_browser()
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
            item.add_marker(pytest.mark.timeout(3 * PATIENCE / 1000))
            if CHROMIUM is None:
                item.add_marker(
                    pytest.mark.skip(
                        reason="no Chromium on this machine (apt-get install chromium)"
                    )
                )


@pytest.fixture(scope="session")
def server():
    """The address of the served page, and its services."""
    with served() as found:
        yield found


@pytest.fixture(scope="session")
def url(server):
    return server[0]


@pytest.fixture
def ended_runs(server):
    """Ends the training runs that a test has left: they would slow the next ones down."""
    yield
    server[1].run_manager.stop_all()


@pytest.fixture(scope="session")
def page_register(url):
    """What the page's scripts know of its tabs, views and fields."""
    sent = httpx.get(url).text.replace('\\"', '"')
    return json.JSONDecoder().raw_decode(sent.partition('"register": ')[2])[0]


# No host but this machine can be found.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    # One process draws all pages: to begin another takes a tenth of a load.
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def browser(chromium):
    """For visitors of their own: every context begins with nothing."""
    browser = chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def profile(chromium, tmp_path_factory):
    """Of a visitor who comes again: Chromium has the page's scripts compiled, which halves a
    load.
    """
    folder = str(tmp_path_factory.mktemp("profile"))
    context = chromium.launch_persistent_context(
        folder, executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE
    )
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def visit(request, profile, url, ended_runs):
    """Opens the page; on leaving, no foreign host may have been asked and no script may have
    failed.

    The first visit of a test is by `profile`, of which nothing but scripts is kept; others are by
    other visitors.
    """
    contexts = []
    foreign = []
    failures = []

    def heard(request):
        if not request.url.startswith((url, "data:", "blob:")):
            foreign.append(request.url)

    def open_page(
        query: str = "?tab=generate",
        width: int = 1280,
        height: int = 720,
        *,
        bypass_csp=False,
        keys=True,
    ) -> Page:
        if contexts or bypass_csp:
            contexts.append(request.getfixturevalue("browser").new_context(bypass_csp=bypass_csp))
        else:
            contexts.append(profile)
        context = contexts[-1]
        context.on("request", heard)  # of its popups, too
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.set_default_timeout(PATIENCE)
        page.add_init_script(COUNT_REQUESTS)
        if keys:  # as a visitor has who lets single keys work everywhere
            page.add_init_script(
                "try { sessionStorage['gptlens-look'] ??= '{\"keys\": true}'; } catch {}"
            )
        page.on("pageerror", lambda error: failures.append(str(error)))
        if query and "tab=" not in query:
            query += "&tab=generate"
        page.goto(url + query)
        tab = re.search(r"tab=([\w-]+)", query)
        landmark = (
            "#tabs .lens-component:visible"
            if "view=" in query
            else LANDMARKS[tab[1] if tab else "start"]
        )
        expect(page.locator(landmark).first).to_be_visible()
        settled(page)  # its load events run after its first paint
        return page

    yield open_page
    for context in contexts:
        context.remove_listener("request", heard)
        if context is profile:
            forget(profile, url)
        else:
            context.close()
    assert foreign == [] and failures == []


@pytest.fixture
def unheard(profile, url):
    """A page of `profile` that has opened nothing yet, for a test that watches how it opens."""
    yield profile.new_page()
    forget(profile, url)


def forget(profile, url: str) -> None:
    """Closes the pages of a profile, and removes what they stored."""
    profile.set_offline(False)
    blank = profile.new_page()
    for page in profile.pages:
        if page is not blank:
            page.close()
    storages = {
        "origin": url.rstrip("/"),
        "storageTypes": "cookies,local_storage,indexeddb,service_workers",
    }
    profile.new_cdp_session(blank).send("Storage.clearDataForOrigin", storages)
    profile.clear_cookies()
    blank.close()
