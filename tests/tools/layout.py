"""What stands on an open page, and what is wrong with its layout."""

from collections.abc import Iterator

from playwright.sync_api import Page

from browser import settled

_MOST_STOPS = 120  # presses of Tab that are tried

# Labels that do not fit their box, views with nothing in them, and a page that is wider than its
# window.
_FAULTS = """
() => {
  const found = [];
  const scrolls = node => {
    for (let up = node; up; up = up.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(up).overflowX)) return true;
    return false;
  };
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 1) found.push(`the page is ${wide} px wider than its window`);
  for (const field of document.querySelectorAll('#tabs :is(.block, .lens-component, .tabitem, button)')) {
    const box = field.getBoundingClientRect();
    if (!field.getClientRects().length || box.right <= innerWidth + 2 || box.left < 0 || scrolls(field)) continue;
    found.push(`“${(field.id || field.innerText || field.className).trim().slice(0, 40)}” ends beyond the window`);
  }
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
    """Opens every view of the open tab, one after the other: their names; "" for a tab that has
    one.
    """
    tabs = page.locator("#tabs > .tabitem:visible [role=tab]")
    if not tabs.count():
        yield ""
    for index in range(tabs.count()):
        tabs.nth(index).click()
        settled(page)
        yield tabs.nth(index).inner_text().strip()


# What can be clicked or typed into, on the part of the page that the window shows. A grid whose
# cells the arrow keys go through is one thing: the cell that Tab reaches.
_THINGS = """
selector => [...document.querySelectorAll(
    'button, a[href], input, textarea, select, summary, [role=button], [role=tab], [tabindex="0"]')]
  .filter(node => {
    const box = node.getBoundingClientRect();
    return node.checkVisibility({opacityProperty: true, visibilityProperty: true})
      && node.closest(selector) && node.tabIndex >= 0
      && !node.closest('[aria-hidden=true], .visually-hidden, .off-screen') && box.width > 1 && box.height > 1
      && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  }).length
"""

# Sizes of the letters that are seen, in pixels of the screen: what a drawing shrinks counts as it
# stands there.
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


def things(page: Page, within: str = "body") -> int:
    """To click or to type into, on the part of the page that the window shows."""
    return page.evaluate(_THINGS, within)


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
    """What has the focus at each press of Tab from the top of the page until a guess of Start has
    it, which is last.
    """
    page.evaluate(
        "() => { document.activeElement?.blur(); getSelection().removeAllRanges(); scrollTo(0, "
        "0); }"
    )
    reached: list[str] = []
    while len(reached) < _MOST_STOPS and (not reached or reached[-1]):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(_FOCUS))
    return reached
