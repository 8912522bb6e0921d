"""What axe-core finds on every view, and its layout: nothing that keeps somebody out, is cut, or empty."""

from collections.abc import Iterator
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from layout import faults, letters, stops, things, views

from browser import settled
from ui.views import TABS


def findings(page, within: str | None = None, only: str | None = None) -> list[str]:
    """Of axe-core, in the whole page or in what a selector finds, by all of its rules or by one."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": [only]} if only else {})
    found = Axe().run(page, within, options).response["violations"]
    grave = [one for one in found if one["impact"] in ("critical", "serious")]
    nodes = [(one["id"], node) for one in grave for node in one["nodes"]]
    return [f"{name}: {node['html'][:200]} {node['failureSummary'][:300]}" for name, node in nodes]


OPEN = "#tabs > .tabitem:not([style*=none])"  # the panel of the open tab


# What a screen reader would miss or hear too often in what is shown now.
UNNAMED = """() => {
  const shown = selector => [...document.querySelectorAll(selector)].filter(node => node.getClientRects().length);
  const panels = shown('#tabs .tabitem[role=tabpanel]').filter(panel => !panel.querySelector(':scope > h2'));
  const tables = shown('#tabs table').filter(one => !one.getAttribute('aria-label') && !one.querySelector('caption'));
  const arrows = shown('#tabs :is(.icon-wrap, .label-wrap .icon):not([aria-hidden=true])');
  return [...panels.map(() => 'a view without a heading'), ...arrows.map(() => 'an arrow that is read'),
    ...tables.map(one => `a table without a name: ${one.className}`)];
}"""


def unnamed(page) -> list[str]:
    page.wait_for_function("() => document.querySelector('#tabs .tabitem:not([style*=none]) > h2')")
    settled(page)
    return page.evaluate(UNNAMED)


@contextmanager
def look(page, key: str, width: int, height: int) -> Iterator[None]:
    """The page as a key and a window show it; afterwards as before."""
    page.keyboard.press(key)
    page.set_viewport_size({"width": width, "height": height})
    settled(page)
    yield
    page.keyboard.press(key)
    page.set_viewport_size({"width": 1280, "height": 720})


def test_no_view_has_a_grave_finding_or_a_fault_in_its_layout_light_dark_narrow_or_on_the_wall(visit):
    page = visit("?tab=start&__theme=light", bypass_csp=True)
    found = findings(page)  # of header and footer, too, which are the same on every tab
    with look(page, "d", 390, 844):
        found += findings(page, only="color-contrast")
    for tab in TABS:
        page.locator("#tabs > .tab-wrapper").get_by_role("tab", name=tab.title).click()
        settled(page)
        for view in views(page):
            kinds = [*findings(page, OPEN), *faults(page), *unnamed(page)]
            with look(page, "d", 390, 844):
                kinds += [*findings(page, OPEN, only="color-contrast"), *faults(page)]
            found += [f"{tab.title}, {view}: {kind}" for kind in kinds]
        with look(page, "p", 1920, 1080):
            found += [f"{tab.title}, on the wall: {fault}" for fault in faults(page)]
    assert not found, "\n".join(sorted(set(found)))


def test_the_first_screen_is_calm_and_what_would_be_found_is_found(visit):
    page = visit("", bypass_csp=True)
    assert things(page) <= 55
    reached = stops(page)
    assert len(reached) <= 15, reached
    assert letters(page).keys() <= {"12.0", "13.0", "14.0", "16.0", "20.0", "27.0"}
    page.evaluate("document.body.appendChild(document.createElement('button')).style.width = '2em'")
    assert [found for found in findings(page) if found.startswith("button-name")]
    for name, style in (("A name", "width: 20px; padding: 0; white-space: nowrap"), ("", "width: 2000px; height: 1px")):
        made = f"Object.assign(document.createElement('button'), {{textContent: '{name}', style: '{style}'}})"
        page.evaluate(f"document.body.append({made})")
    found = " ".join(faults(page))
    assert "“A name” is cut" in found and "wider than its window" in found
