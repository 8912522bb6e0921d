"""Every view fits its window, cuts no label and is not empty; `python -m tests.screens` takes the pictures."""

import pytest
from screens import PRESENT, TABS, faults, views


@pytest.mark.parametrize(("width", "height", "extra"), [(1280, 720, ""), (390, 844, "&__theme=dark")])
@pytest.mark.parametrize("tab", TABS)
def test_no_view_has_a_fault_in_its_layout(visit, tab, width, height, extra):
    page = visit(f"?tab={tab}{extra}", width=width, height=height)
    found = [f"{view}: {fault}" for view in views(page) for fault in faults(page)]
    assert not found, "\n".join(sorted(set(found)))


@pytest.mark.parametrize("tab", TABS)
def test_no_view_has_a_fault_on_the_wall(visit, tab):
    page = visit(f"?tab={tab}{PRESENT}", width=1920, height=1080)
    assert not faults(page)


def test_a_fault_is_found(visit):
    page = visit()
    page.evaluate("document.querySelector('#generate').style.cssText = 'width: 20px; overflow: hidden; padding: 0'")
    page.evaluate(
        "document.body.appendChild(document.createElement('div')).style.cssText = 'width: 2000px; height: 1px'"
    )
    assert any("“Generate” is cut" in fault for fault in faults(page))
    assert any("wider than its window" in fault for fault in faults(page))
