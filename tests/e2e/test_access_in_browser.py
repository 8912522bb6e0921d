"""What axe-core finds on every view, and its layout: nothing that keeps somebody out, is cut, or
empty.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from axe_playwright_python.sync_playwright import Axe
from layout import faults, letters, stops, things, views
from playwright.sync_api import expect

from browser import settled
from helpers import until
from ui.views import TABS


def findings(page, within: str | None = None, only: str | None = None) -> list[str]:
    """Of axe-core, in the whole page or in what a selector finds, by all of its rules or by one."""
    expect(page.locator("[data-stale]:visible")).to_have_count(0)  # faint until it is answered
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"], "preload": False}  # of what pages of others show
    options |= {"runOnly": [only]} if only else {}
    found = page.evaluate(
        "async ([within, options]) => (await axe.run(within ?? document, options)).violations",
        [within, options],
    )
    grave = [item for item in found if item["impact"] in ("critical", "serious")]
    nodes = [(item["id"], node) for item in grave for node in item["nodes"]]
    return [f"{name}: {node['html'][:200]} {node['failureSummary'][:300]}" for name, node in nodes]


OPEN = "#tabs > .tabitem:not([style*=none])"  # the panel of the open tab


# What a screen reader would miss or hear too often in what is shown now.
UNNAMED = """() => {
  const shown = selector => [...document.querySelectorAll(selector)].filter(node => node.getClientRects().length);
  const panels = shown('#tabs .tabitem[role=tabpanel]').filter(panel => !panel.querySelector(':scope > h2'));
  const tables = shown('#tabs table').filter(one => !one.getAttribute('aria-label') && !one.querySelector('caption'));
  const arrows = shown('#tabs :is(.icon-wrap, .label-wrap .icon):not([aria-hidden=true])');
  return [...panels.map(() => 'a view without a heading'), ...arrows.map(() => 'an arrow that is read'),
    ...shown('#tabs th').filter(one => !one.textContent.trim()).map(one => `an empty heading: ${one.outerHTML}`),
    ...tables.map(one => `a table without a name: ${one.className}`)];
}"""


# Whether the radio buttons of every group that is seen have one name.
NAMED = """() => [...document.querySelectorAll('fieldset:has(input[type=radio])')].every(group =>
  !group.getClientRects().length || new Set([...group.querySelectorAll('input')].map(one => one.name)).size === 1)"""


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


# Windows of a hall -> the smallest letters that can be read from its back.
WALLS = {(1280, 720): 20, (1920, 1080): 24}


def too_small(page, least: float) -> dict[str, str]:
    """Sizes of letters below what a hall can read -> where one stands."""
    return {size: where for size, where in letters(page).items() if float(size) < least - 0.1}


def on_the_wall(page) -> Iterator[str]:
    """What is wrong in large type: faults of the layout, and letters that the back cannot read."""
    for (width, height), least in WALLS.items():
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        if too_small(page, least):  # a figure is drawn anew some time after its window has grown
            with suppress(AssertionError):
                until(lambda least=least: not too_small(page, least), seconds=10)
        yield from (f"{width}: {size} {where}" for size, where in too_small(page, least).items())
    yield from faults(page)


def test_no_view_has_a_grave_finding_or_a_fault_in_its_layout_light_dark_narrow_or_on_the_wall(
    visit,
):
    page = visit("?tab=start&__theme=light", bypass_csp=True)
    found = findings(page)  # of header and footer, too, which are the same on every tab
    with look(page, "d", 390, 844):
        found += findings(page, only="color-contrast")
    for tab in TABS:
        page.locator("#tabs > .tab-wrapper").get_by_role("tab", name=tab.title).click()
        settled(page)
        for view in views(page):
            kinds = [*findings(page, OPEN), *faults(page), *unnamed(page)]
            shown = things(page, "#tabs > .tabitem")
            kinds += [f"{shown} things to press on the first screen"] if shown > MOST_THINGS else []
            with look(page, "d", 390, 844):
                kinds += [*findings(page, OPEN, only="color-contrast"), *faults(page)]
            kinds += [] if page.evaluate(NAMED) else ["the buttons of a choice have several names"]
            with look(page, "p", 1280, 720):
                kinds += [f"on the wall: {fault}" for fault in on_the_wall(page)]
            found += [f"{tab.title}, {view}: {kind}" for kind in kinds]
    assert not found, "\n".join(sorted(set(found)))


def test_the_first_screen_is_calm_and_what_would_be_found_is_found(visit):
    page = visit("", bypass_csp=True)
    assert things(page) <= 55
    reached = stops(page)
    assert len(reached) <= 15, reached
    assert letters(page).keys() <= {"12.0", "13.0", "14.0", "16.0", "20.0", "27.0"}
    page.evaluate("document.body.appendChild(document.createElement('button')).style.width = '2em'")
    assert [found for found in findings(page) if found.startswith("button-name")]
    for name, style in (
        ("A name", "width: 20px; padding: 0; white-space: nowrap"),
        ("", "width: 2000px; height: 1px"),
    ):
        made = (
            f"Object.assign(document.createElement('button'), {{textContent: '{name}', style: "
            f"'{style}'}})"
        )
        page.evaluate(f"document.body.append({made})")
    found = " ".join(faults(page))
    assert "“A name” is cut" in found and "wider than its window" in found


# On the first screen of a view, without header, tabs and footer.
MOST_THINGS = 45


def test_the_buttons_of_a_choice_are_one_group_for_the_keyboard_and_the_ear(visit):
    page = visit("?tab=attention")
    settled(page)
    group = page.get_by_role("radiogroup", name="First token (attention sink)")
    expect(group).to_be_visible()
    page.wait_for_function(NAMED)
    page.locator("#sink input").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#sink input").nth(1)).to_be_checked()
    page.wait_for_function("() => location.search.includes('sink=end-of-text')")


def test_the_first_stop_of_the_keyboard_skips_to_the_sentence(visit):
    page = visit("?tab=start")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    assert skip.bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your sentence")).to_be_focused()
