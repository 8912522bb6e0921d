"""Files saved in a real browser, from every view: each has content, and says what model and text it
is about.
"""

import csv
import io
import json
from urllib.parse import parse_qs, urlsplit

import pytest
from layout import views
from playwright.sync_api import Page

from ui.views import TABS

_SHAPES = ("parameters", "train")  # their files name a shape or a run
_KINDS = ("csv", "json", "txt", "png", "svg", "effects")


def saves(page: Page) -> list[tuple[str, bytes]]:
    """Every file that the open view offers: its name and its bytes."""
    found = []
    for kind in _KINDS:
        buttons = page.locator(f"#tabs [data-do={kind}]")
        for index in range(buttons.count()):
            button = buttons.nth(index)
            menu = button.locator("xpath=ancestor::details[contains(@class, 'lens-save')]")
            if menu.count() and menu.is_visible():
                menu.locator("summary").click()
            if not button.is_visible():
                continue
            with page.expect_download() as download:
                button.click()
            found.append((download.value.suggested_filename, download.value.path().read_bytes()))
    return found


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.name)
def test_every_file_of_a_view_has_content_and_says_what_it_is_about(visit, tab):
    page = visit(f"?tab={tab.name}")
    for view, _ in zip(tab.views or (None,), views(page), strict=True):
        for name, content in saves(page):
            check_file(tab, view, name, content)


def check_file(tab, view, name: str, content: bytes) -> None:
    assert name.startswith("gpt-lens-"), name
    if tab.name not in _SHAPES:
        assert "-mini" in name or "-world" in name, name
    if (view or tab).shows_sentence:
        assert "once-there-was-a" in name, name
    if name.endswith(".csv"):
        *rows, (last, link) = csv.reader(io.StringIO(content.decode("utf-8-sig")))
        assert len([row for row in rows if row]) > 2, name
        assert last == "link" and parse_qs(urlsplit(link).query)["tab"] == [tab.name]
    elif name.endswith(".json") and "run" not in name and "config" not in name:
        assert f"tab={tab.name}" in json.loads(content)["source"]["link"]
    elif name.endswith(".svg") and tab.name not in _SHAPES:
        assert "GPT Lens" in content.decode("utf-8")
    else:
        assert len(content) > 50, name
