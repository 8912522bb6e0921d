"""What axe-core finds on every view, and its layout: nothing that keeps somebody out, is cut, or empty."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from layout import PRESENT, faults, letters, stops, things, views

from browser import settled
from ui.views import TABS


def findings(page, within: str | None = None) -> list[str]:
    """Of axe-core, in the whole page or in what a selector finds."""
    found = Axe().run(page, within, {"resultTypes": ["violations"]}).response["violations"]
    grave = [one for one in found if one["impact"] in ("critical", "serious")]
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary'][:300]}" for one in grave for node in one["nodes"]
    ]


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


def tabs(page):
    """Opens every tab, one after the other: their titles."""
    for tab in TABS:
        page.locator("#tabs > .tab-wrapper").get_by_role("tab", name=tab.title).click()
        settled(page)
        yield tab.title


def unnamed(page) -> list[str]:
    page.wait_for_function("() => document.querySelector('#tabs .tabitem:not([style*=none]) > h2')")
    settled(page)
    return page.evaluate(UNNAMED)


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_no_view_has_a_grave_finding_or_a_fault_in_its_layout(visit, theme, width):
    page = visit(f"?tab=start&__theme={theme}", width=width, height=844 if width == 390 else 720, bypass_csp=True)
    found = findings(page)  # of header and footer, too, which are the same on every tab
    for tab in tabs(page):
        for view in views(page):
            kinds = [*findings(page, OPEN), *faults(page), *unnamed(page)]
            found += [f"{tab}, {view}: {kind}" for kind in kinds]
    assert not found, "\n".join(sorted(set(found)))


def test_no_tab_has_a_fault_on_the_wall(visit):
    page = visit(f"?tab=start{PRESENT}", width=1920, height=1080)
    found = [f"{tab}: {fault}" for tab in tabs(page) for fault in faults(page)]
    assert not found, "\n".join(found)


def test_the_first_screen_is_calm(visit):
    page = visit("")
    assert things(page) <= 55
    reached = stops(page)
    assert len(reached) <= 15, reached
    assert letters(page).keys() <= {"12.0", "13.0", "14.0", "16.0", "20.0", "27.0"}


def test_a_grave_finding_and_a_fault_are_found(visit):
    page = visit(bypass_csp=True)
    page.evaluate("document.body.appendChild(document.createElement('button')).style.width = '2em'")
    assert [found for found in findings(page) if found.startswith("button-name")]
    page.evaluate("document.querySelector('#generate').style.cssText = 'width: 20px; overflow: hidden; padding: 0'")
    wide = "document.body.appendChild(document.createElement('div')).style.cssText = 'width: 2000px; height: 1px'"
    page.evaluate(wide)
    assert any("“Generate” is cut" in fault for fault in faults(page))
    assert any("wider than its window" in fault for fault in faults(page))
