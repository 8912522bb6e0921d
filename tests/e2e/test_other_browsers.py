"""Each tab in Firefox and in WebKit: it opens, takes a sentence, does its main thing, and no error
is told. The page is opened once in each browser.
"""

import json

import pytest
from bidi import BrowserMissing, firefox
from conftest import LANDMARKS, PATIENCE
from webdriver import webkit

from ui.views import TABS

SENTENCE = " The old boat"
_RIGHT = "\ue014"  # the arrow key: WebDriver, section 17.4.2
_SEEN = "one => one.getClientRects().length > 0"
_TAB = "#tabs > .tab-wrapper [role=tab]"
_PANEL = "document.querySelector('#tabs > .tabitem:not([style*=none])')"
# Everything that the open tab says, and whether it is still at work.
SAID = f"[...{_PANEL}.querySelectorAll('.lens-component')].filter({_SEEN}).map(one => one.innerText).join()"
IDLE = "!document.querySelector('[aria-busy=true]')"


def the(selector: str) -> str:
    """JavaScript for the first element in sight of the open tab that a selector finds."""
    return f"[...{_PANEL}.querySelectorAll({json.dumps(selector)})].find({_SEEN})"


def centre(page, element: str) -> tuple[float, float]:
    page.evaluate(f"({element}.scrollIntoView({{block: 'center'}}), true)")
    return tuple(
        page.evaluate(
            f"(box => [box.x + box.width / 2, box.y + box.height / 2])({element}.getBoundingClientRect())"
        )
    )


@pytest.fixture(scope="module", params=["firefox", "webkit"])
def page(request, url, tmp_path_factory):
    patience = PATIENCE / 1000
    try:
        if request.param == "firefox":
            opened = firefox(tmp_path_factory.mktemp("firefox"), patience)
        else:
            opened = webkit(patience)
        with opened as page:
            page.open(url)
            yield page
    except BrowserMissing as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.name)
@pytest.mark.usefixtures("ended_runs")
def test_a_tab_takes_a_sentence_and_answers(page, tab):
    button = f"[...document.querySelectorAll({json.dumps(_TAB)})].find(tab => tab.innerText.trim() === {json.dumps(tab.title)})"
    page.wait_for(f"!!{button}")
    page.evaluate(f"({button}.click(), true)")
    landmark = json.dumps(LANDMARKS[tab.name])
    page.wait_for(f"[...document.querySelectorAll({landmark})].some({_SEEN})")
    page.wait_for(IDLE)
    before = page.evaluate(SAID)
    box = the("textarea:not([readonly], [disabled])")
    if page.evaluate(f"!!{box}"):
        page.evaluate(f"({box}.focus(), true)")
        page.type(SENTENCE)
        assert SENTENCE.strip() in page.evaluate(f"{box}.value")
    elif page.evaluate(f"!!{the('input[type=range]')}"):
        page.evaluate(f"({the('input[type=range]')}.focus(), true)")
        page.type(_RIGHT)
    if page.evaluate(f"!!{the('button.primary')}"):
        page.click(*centre(page, the("button.primary")))
    page.wait_for(f"{SAID} !== {json.dumps(before)}")
    page.wait_for(IDLE)
    assert page.errors == []
