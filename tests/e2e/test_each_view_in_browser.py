"""Every view of every tab: what stands on it and is no answer any more says so at once, and its
files have content and say what model and text they are about.

The views are those of the register, the components and their needs those of the open page: what is
added is tried without a line here.
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


# Changes each need of each component that has been started, looks at the component in the same
# moment, and puts the need back. Gives [id, need, whether the component is marked].
CHANGED = """async () => {
  const {answerOf} = await lensModule('shared/view/ask.js');
  const store = await lensModule('shared/view/store.js');
  const put = (name, value) => {
    if (name === 'head') store.chooseHead(value);
    else if (name === 'token') store.chooseToken(value);
    else store.holdFields([name], [value]);
  };
  const other = name => (name === 'head' ? [98, 99] : name === 'token' ? 9999 : 'of another question');
  const isMarked = element => ['data-stale', 'data-withheld'].some(name => element.hasAttribute(name));
  const found = [];
  for (const element of document.querySelectorAll('.lens-component[id]')) {
    const answer = answerOf(element.id);
    if (!answer.element) continue;
    for (const need of answer.needs) {
      const names = need.split('|');
      const name = names.find(one => store.valueOf(one) !== 'the model above') ?? names.at(-1);
      const before = store.valueOf(name);
      const wasMarked = isMarked(answer.element);
      put(name, other(name));
      found.push([element.id, need, !wasMarked && isMarked(answer.element)]);
      put(name, before);
    }
  }
  return found;
}"""


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.name)
def test_a_view_marks_what_is_stale_and_its_files_say_what_they_are_about(visit, tab):
    page = visit(f"?tab={tab.name}")
    for view, name in zip(tab.views or (None,), views(page), strict=True):
        check_marks(page, name)
        for file, content in saves(page):
            check_file(tab, view, file, content)


def check_marks(page: Page, view: str) -> None:
    """Whatever a component depends on marks it from the moment that it changes."""
    found = page.evaluate(CHANGED)
    unmarked = [(name, need) for name, need, is_marked in found if not is_marked]
    assert found and unmarked == [], view


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
