"""What visitors have written themselves, in a real browser: it is offered back where something else
took its place.
"""

import pytest
from playwright.sync_api import expect

from browser import choose, enter, settled
from ui.views import TABS

MINE = "We sold the boat and bought a"


def test_an_exercise_that_takes_the_place_of_the_visitor_s_sentence_offers_it_back(visit):
    page = visit("?tab=start")
    page.fill("#start .st-text", MINE)
    settled(page)
    expect(page.locator("#bring-back")).to_have_count(0)
    page.locator("#start .st-play").focus()
    page.keyboard.press("e")
    page.locator("#exercise").wait_for()
    settled(page)
    back = page.locator("#bring-back").get_by_role("button", name="Bring back")
    expect(back).to_contain_text(MINE)
    back.click()
    settled(page)
    expect(page.locator("#bring-back")).to_have_count(0)
    assert (
        page.evaluate("async () => (await lensModule('shared/view/store.js')).sentence()") == MINE
    )


@pytest.mark.parametrize(
    ("link", "field", "replace"),
    [
        ("?tab=zero-shot", "#zs-field-0 textarea", "button:has-text('Another input'):visible"),
        (
            "?tab=generate&view=Tokens",
            "#tokens textarea >> nth=0",
            "button:has-text('Numbers'):visible",
        ),
    ],
)
def test_a_field_that_an_example_fills_offers_what_was_typed(visit, link, field, replace):
    page = visit(link)
    enter(page, field, MINE)
    settled(page)
    page.locator(field).press("End")
    page.keyboard.type("!")  # as a visitor types
    page.keyboard.press("Tab")
    settled(page)
    page.locator(replace).first.click()
    settled(page)
    expect(page.locator(field)).not_to_have_value(f"{MINE}!")
    page.locator("#bring-back").get_by_role("button", name="Bring back").click()
    expect(page.locator(field)).to_have_value(f"{MINE}!")


BOXES = "#start .st-text, #prompt textarea, #attention-text textarea"


def test_a_text_that_ends_with_a_space_is_noticed_wherever_the_sentence_stands(visit):
    page = visit("?tab=start")
    line = page.locator("#trailing-space")
    with_sentence = [
        tab for tab in TABS if any(view.shows_sentence for view in tab.views or (tab,))
    ]
    assert len(with_sentence) == 3
    blanks = [(" ", "space"), ("\u00a0", "no-break space"), (" ", "space")]
    for tab, (blank, kind) in zip(with_sentence, blanks, strict=True):
        page.locator("#tabs > .tab-wrapper").get_by_role("tab", name=tab.title).click()
        settled(page)
        box = page.locator(BOXES).locator("visible=true").first
        box.fill(MINE + blank)
        expect(line).to_contain_text(f"ends with a {kind}. Most tokens begin with their own")
        line.get_by_role("button").click()
        expect(box).to_have_value(MINE)
        expect(line).to_have_count(0)
        box.fill(f"{MINE} ")
        expect(line).to_be_visible()
        box.fill(f"{MINE} car")
        expect(line).to_have_count(0)  # who goes on writing is left alone
    page.get_by_role("tab", name="Start", exact=True).click()
    page.fill("#start .st-text", f"{MINE} ")
    expect(line).to_be_visible()
    choose(page, "#model", "anthology")  # of letters, to which a space is one of them
    settled(page)
    expect(line).to_have_count(0)
