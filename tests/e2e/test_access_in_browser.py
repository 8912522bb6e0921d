"""What axe-core finds on every view, and its layout: nothing that keeps somebody out, is cut, or empty."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from calm import letters, stops, things
from screens import faults, views

from browser import settled
from ui.views import TAB_NAMES


def findings(page) -> list[str]:
    found = Axe().run(page).response["violations"]
    grave = [one for one in found if one["impact"] in ("critical", "serious")]
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary'][:300]}" for one in grave for node in one["nodes"]
    ]


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


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
@pytest.mark.parametrize("tab", TAB_NAMES)
def test_no_view_has_a_grave_finding_or_a_fault_in_its_layout(visit, tab, theme, width):
    page = visit(f"?tab={tab}&__theme={theme}", width=width, height=844 if width == 390 else 720, bypass_csp=True)
    found = findings(page)
    for view in views(page):
        found += [*findings(page), *(f"{view}: {fault}" for fault in [*faults(page), *unnamed(page)])]
    assert not found, "\n".join(sorted(set(found)))


def test_the_first_screen_is_calm(visit):
    page = visit("")
    assert things(page) <= 55
    reached = stops(page)
    assert len(reached) <= 15, reached
    assert letters(page).keys() <= {"12.0", "13.0", "14.0", "16.0", "20.0", "27.0"}


def test_a_grave_finding_is_found(visit):
    page = visit(bypass_csp=True)
    page.evaluate("document.body.appendChild(document.createElement('button')).style.width = '2em'")
    assert [found for found in findings(page) if found.startswith("button-name")]
