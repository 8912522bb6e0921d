"""Every tab on the wall: nothing is cut or empty; `python -m tests.tools.screens` takes pictures of every view."""

import pytest
from screens import PRESENT, faults

from ui.views import TAB_NAMES


@pytest.mark.parametrize("tab", TAB_NAMES)
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
