"""How calm the page is, in numbers: `python -m tests.tools.calm [--json]`.

Things to click on Start's first screen, tab stops before the guesses, views, sizes of type and the smallest, and where
each view's first figure begins at three sizes of the window. A browser test holds Start to its numbers.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does

from playwright.sync_api import Browser, Page, sync_playwright

from browser import COUNT_REQUESTS, settled
from serving import served_page
from ui.views import TABS

SIZES = ((1280, 720), (1920, 1080), (390, 844))
_MOST_STOPS = 120  # presses of Tab that are tried

# What can be clicked or typed into, on the part of the page that the window shows.
_THINGS = """
() => [...document.querySelectorAll(
    'button, a[href], input, textarea, select, summary, [role=button], [role=tab], [tabindex="0"]')]
  .filter(node => {
    const box = node.getBoundingClientRect();
    return node.checkVisibility({opacityProperty: true, visibilityProperty: true})
      && !node.closest('[aria-hidden=true], .visually-hidden, .off-screen') && box.width > 1 && box.height > 1
      && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  }).length
"""

# Sizes of the letters that are seen, in pixels of the screen: what a drawing shrinks counts as it stands there.
_TYPE = """
() => {
  const sizes = {};
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text; (text = walk.nextNode()); ) {
    const node = text.parentElement;
    if (!text.data.trim() || !node.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    if (node.closest('script, style, .visually-hidden, .off-screen, option')) continue;
    const box = node.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue;
    const matrix = node.ownerSVGElement ? node.getScreenCTM() : null;
    const size = parseFloat(getComputedStyle(node).fontSize) * (matrix ? Math.hypot(matrix.c, matrix.d) : 1);
    const name = (Math.round(size * 10) / 10).toFixed(1);
    sizes[name] ??= `${node.className?.baseVal ?? node.className}: ${text.data.trim().slice(0, 30)}`;
  }
  return sizes;
}
"""

# Where the first thing that shows something begins, from the top of the page.
_FIGURE = """
() => {
  const drawn = '#tabs canvas, #tabs svg, #tabs table, #tabs img, #tabs [data-figure]';
  const tops = [...document.querySelectorAll(drawn)].filter(node => {
    const box = node.getBoundingClientRect();
    return node.checkVisibility() && (node.dataset.figure !== undefined || (box.width > 150 && box.height > 60));
  }).map(node => node.getBoundingClientRect().top + scrollY);
  return tops.length ? Math.round(Math.min(...tops)) : -1;
}
"""


@dataclass
class Calm:
    """What was counted.

    Attributes:
        things: to click or to type into on Start's first screen, 1280 x 720.
        stops: presses of Tab from the top of the page until a guess has the focus.
        views: of all tabs.
        sizes: of type over all views, in pixels -> where one stands; without those of presenter mode.
        figures: "tab, view" -> top of its first figure in pixels, by width of the window; -1: none.
    """

    things: int = 0
    stops: int = 0
    views: int = sum(len(tab.views) or 1 for tab in TABS)
    sizes: dict[str, str] = field(default_factory=dict)
    figures: dict[str, dict[int, int]] = field(default_factory=dict)


def places() -> Iterator[tuple[str, str]]:
    """(name, query) of every view."""
    for tab in TABS:
        for view in tab.views:
            yield f"{tab.title}, {view.title}", f"tab={tab.name}&view={quote(view.title)}"
        if not tab.views:
            yield tab.title, f"tab={tab.name}"


def things(page: Page) -> int:
    """To click or to type into, on the part of the page that the window shows."""
    return page.evaluate(_THINGS)


def letters(page: Page) -> dict[str, str]:
    """Sizes of the letters that are seen, in pixels of the screen -> where one stands."""
    return page.evaluate(_TYPE)


# What has the focus, in words; "" for a guess of Start.
_FOCUS = """
() => {
  const node = document.activeElement;
  if (node?.closest('.st-bars')) return '';
  return `${node?.tagName} ${node?.id} ${node?.getAttribute('aria-label') ?? node?.textContent.trim().slice(0, 40)}`;
}
"""


def stops(page: Page) -> list[str]:
    """What has the focus at each press of Tab from the top of the page until a guess of Start has it, which is last."""
    page.evaluate("() => { document.activeElement?.blur(); getSelection().removeAllRanges(); scrollTo(0, 0); }")
    reached: list[str] = []
    while len(reached) < _MOST_STOPS and (not reached or reached[-1]):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(_FOCUS))
    return reached


def measured(browser: Browser, address: str) -> Calm:
    """Opens every view at every size."""
    found = Calm()
    for width, height in SIZES:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.add_init_script(COUNT_REQUESTS)
        for name, query in places():
            page.goto(f"{address}?{query}")
            page.wait_for_selector("#tabs [role=tab]")
            settled(page)
            found.figures.setdefault(name, {})[width] = page.evaluate(_FIGURE)
            found.sizes |= {size: f"{name}: {at}" for size, at in letters(page).items()} | found.sizes
            if name == TABS[0].title and width == SIZES[0][0]:
                found.things, found.stops = things(page), len(stops(page))
        page.close()
    return found


def main() -> int:
    """Prints the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="as JSON, whole")
    given = parser.parse_args()
    os.environ["GPTLENS_QUIET"] = "1"
    with sync_playwright() as play, served_page() as address:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"))
        found = measured(browser, address)
        browser.close()
    if given.json:
        print(json.dumps(asdict(found), indent=1))
        return 0
    print(f"things on Start's first screen {found.things}, tab stops before the guesses {found.stops}")
    print(f"views {found.views}, sizes of type {len(found.sizes)}, smallest {min(map(float, found.sizes))} px")
    for size in sorted(found.sizes, key=float):
        print(f"  {size:>5} px  {found.sizes[size]}")
    for name, tops in found.figures.items():
        print(f"  {name:34} first figure at y = {', '.join(f'{top} ({width})' for width, top in tops.items())}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
