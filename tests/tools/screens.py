"""Pictures of every view, and what is wrong with their layout: `python -m tests.tools.screens FOLDER`.

Three sizes in light and dark, and the presenter's mode. The browser tests look for the same faults in some of these.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does

from playwright.sync_api import Page, sync_playwright

from browser import COUNT_REQUESTS, settled
from serving import served_page
from ui.views import TAB_NAMES

SIZES = ((1280, 720), (1920, 1080), (390, 844))
PRESENT = "&present=1"

# Labels that do not fit their box, views with nothing in them, and a page that is wider than its window.
_FAULTS = """
() => {
  const found = [];
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 1) found.push(`the page is ${wide} px wider than its window`);
  const scrolls = node => {
    for (let up = node; up; up = up.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(up).overflowX)) return true;
    return false;
  };
  const labels = 'button, h1, h2, h3, legend, label > span, [data-testid=block-info], [role=tab], .tr-tile span';
  for (const node of document.querySelectorAll(labels)) {
    if (!node.getClientRects().length || node.clientWidth <= 1 || !node.innerText?.trim() || scrolls(node)) continue;
    // What is one pixel wide is there for screen readers alone.
    if (node.closest('.off-screen, .visually-hidden, [aria-hidden=true]')) continue;
    const over = node.scrollWidth - node.clientWidth;
    if (over > 1) found.push(`“${node.innerText.trim().slice(0, 40)}” is cut by ${over} px`);
  }
  for (const panel of document.querySelectorAll('[role=tabpanel]')) {
    if (!panel.getClientRects().length || panel.querySelector('[role=tabpanel]')) continue;
    const drawn = [...panel.querySelectorAll('canvas, svg, img, input, textarea')].some(n => n.getClientRects().length);
    if (!drawn && panel.innerText.trim().length < 40) found.push(`a view has only “${panel.innerText.trim()}” in it`);
  }
  return [...new Set(found)];
}
"""


def faults(page: Page) -> list[str]:
    """What is wrong with the layout of what is open, as sentences."""
    return page.evaluate(_FAULTS)


def views(page: Page) -> Iterator[str]:
    """Opens every view of the open tab, one after the other: their names; "" for a tab that has one."""
    tabs = page.locator("#tabs > .tabitem:visible [role=tab]")
    if not tabs.count():
        yield ""
    for place in range(tabs.count()):
        tabs.nth(place).click()
        settled(page)
        yield tabs.nth(place).inner_text().strip()


def _modes() -> Iterator[tuple[str, int, int, str]]:
    """(name, width, height, what stands in the link)."""
    for width, height in SIZES:
        for theme in ("light", "dark"):
            yield f"{width}-{theme}", width, height, f"&__theme={theme}"
    yield "1920-presenter", 1920, 1080, "&__theme=light" + PRESENT


def main() -> int:
    """Takes the pictures; 1 where a layout has a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the pictures")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    bad = 0
    with served_page() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for mode, width, height, extra in _modes():
            page = browser.new_page(viewport={"width": width, "height": height})
            page.add_init_script(COUNT_REQUESTS)
            for tab in TAB_NAMES:
                page.goto(f"{url}?tab={tab}{extra}")
                page.wait_for_selector(f"#uses-{tab}", state="attached")
                settled(page)
                for view in views(page):
                    name = "-".join(filter(None, (mode, tab, "".join(c for c in view if c.isalnum()).lower())))
                    page.screenshot(path=folder / f"{name}.png", full_page=True)
                    for fault in faults(page):
                        bad += 1
                        print(f"{name}: {fault}", flush=True)
            page.close()
        browser.close()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
