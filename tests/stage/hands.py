"""What hands do with a page on the stage."""

from collections.abc import Mapping
from typing import Any, Protocol

from playwright.sync_api import Page

from stage.whole import Act, WholePage


class Opens(Protocol):
    """Opens the page on the stage, as `WholePage` does."""

    def __call__(
        self, query: str = "", scripted: Mapping[str, Any] | None = None, **facts: Any
    ) -> WholePage: ...


def press(key: str) -> Act:
    return lambda page: page.keyboard.press(key)


def click(selector: str, text: str = "") -> Act:
    """On the first that can be seen, and holds the text."""
    return lambda page: (
        page.locator(selector, has_text=text).locator("visible=true").first.dispatch_event("click")
    )


def write(selector: str, text: str) -> Act:
    """As a hand: at the end of what a field holds."""

    def act(page: Page) -> None:
        page.locator(selector).locator("visible=true").first.focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(text)

    return act


def tab(name: str) -> Act:
    return click("[role=tab]", name)


def menu(entry: str) -> Act:
    return lambda page: page.locator("#head .lens-menu button", has_text=entry).dispatch_event(
        "click"
    )


def acts(page: WholePage) -> None:
    """A key of a hand: from now on the page keeps where it was."""
    page.step("a hand acts", press("Shift"))


# The server does not answer, and does again.
AWAY = """(() => {
  const fetches = window.fetch;
  window.fetchesAgain = fetches;
  window.fetch = async (...given) => {
    if (given[1]?.method === 'HEAD') throw new TypeError('away');
    return fetches(...given);
  };
  dispatchEvent(new Event('offline'));
})()"""
BACK = "window.fetch = window.fetchesAgain; dispatchEvent(new Event('online'))"
