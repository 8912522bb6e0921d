"""A room of people in browsers: what the audience answers, and all that its phones show of the
speaker's page.
"""

import json

from playwright.sync_api import Page, expect

from browser import enter, settled
from ui.state.broadcasts import name_of


def leading(visit, query: str = "?tab=start") -> tuple[Page, Page]:
    """The page of a speaker who leads the room, and a phone that follows."""
    speaker = visit(query)
    speaker.click("#start [data-do=talks]")
    speaker.get_by_role("button", name="Lead the room").click()
    expect(speaker.locator(".hall-chip")).to_contain_text("nobody is following yet")
    secret = json.loads(speaker.evaluate("sessionStorage['gptlens-leads']"))
    phone = visit(f"?tab=start&follow={name_of(secret)}", width=390, height=844)
    expect(speaker.locator(".hall-chip")).to_contain_text("Leading 1 page")
    return speaker, phone


def test_the_room_guesses_before_it_sees_the_bars_and_the_leader_sees_who_solved_an_exercise(visit):
    speaker, phone = leading(visit)
    speaker.get_by_role("button", name="in 5 minutes").click()
    settled(speaker)
    expect(speaker.locator("[data-stale]:visible")).to_have_count(0)  # what is asked stays
    bar = speaker.locator("#tour .tour-guesses")
    guesses = phone.locator(".hall-guesses button")
    expect(guesses.last).to_have_text("another")
    assert guesses.all_text_contents()[:-1] == sorted(guesses.all_text_contents()[:-1])
    expect(phone.locator("#start .st-bars")).to_be_hidden()
    said = phone.locator(".hall-said")
    expect(said).to_have_text(speaker.locator("#tour .tour-say").text_content())
    expect(bar).to_have_text("")
    guesses.first.click()
    expect(bar).to_have_text("Guesses from phones: 1")
    guesses.nth(1).click()
    expect(guesses.nth(1)).to_have_attribute("aria-pressed", "true")
    chosen = guesses.nth(1).text_content()
    settled(speaker)
    speaker.keyboard.press("PageDown")
    expect(bar).to_have_text(f"The room guessed: {chosen} (1)")
    expect(guesses).to_have_count(0)
    expect(phone.locator("#start .st-bars")).to_be_visible()
    speaker.keyboard.press("PageDown")
    expect(bar).to_have_text("")
    speaker.keyboard.press("Escape")
    expect(said).to_be_hidden()

    speaker.get_by_role("tab", name="Start").click()
    phone.click("#start [data-do=exercises]")
    phone.get_by_role("button", name="The largest table").click()
    for answer, said in (("768", "Not yet"), ("38597376", "Right")):
        phone.fill("#exercise .ex-field", answer)
        phone.click("#exercise .ex-check")
        expect(phone.locator("#exercise .ex-said")).to_contain_text(said)
    speaker.locator(".hall-chip").get_by_role("button", name="Exercises").click()
    row = speaker.locator(".hall-results tr", has_text="The largest table")
    expect(row.locator("td")).to_have_text(["The largest table", "1", "768 (1)"])
    speaker.locator(".hall-results").get_by_role("button", name="Close").click()
    expect(speaker.locator(".hall-results")).to_have_count(0)


def test_a_phone_shows_settings_switched_off_parts_and_the_conversation_and_keeps_its_own(visit):
    speaker, phone = leading(visit)
    chip = phone.locator(".hall-chip")
    speaker.get_by_role("tab", name="Generate").click()
    temperature = "#temperature input[type=number]"
    enter(speaker, temperature, "0.4")
    expect(phone.locator(temperature)).to_have_value("0.4")
    expect(chip).to_contain_text("Following the speaker.")
    settled(phone)
    expect(phone.locator("#distribution")).to_have_text(
        speaker.locator("#distribution").text_content()
    )
    enter(phone, temperature, "1.3")
    expect(chip).to_contain_text("You have set something of your own here.")
    chip.get_by_role("button", name="Back to the speaker").click()
    expect(phone.locator(temperature)).to_have_value("0.4")
    expect(chip).to_contain_text("Following the speaker.")

    speaker.get_by_role("tab", name="Attention").click()
    settled(speaker)
    speaker.click('#ablation [data-at="5,attention,"]')
    said = speaker.locator("#ablation .ab-head")
    expect(said).to_contain_text("Without layer 5’s attention")
    expect(phone.locator("#ablation .ab-head")).to_have_text(said.text_content())
    speaker.get_by_role("tab", name="Start").click()
    settled(speaker)
    speaker.click("#start [data-do=talks]")  # which stand in the place of the picture
    bars = speaker.locator("#start .st-bars")
    whole = bars.text_content()
    speaker.locator("#start [data-part=mlp-5]").press("Delete")
    expect(bars).not_to_have_text(whole)
    settled(speaker)
    expect(phone.locator("#start .st-bars")).to_have_text(bars.text_content())

    speaker.get_by_role("tab", name="Generate").click()
    speaker.get_by_role("tab", name="Chat").click()
    settled(speaker)
    enter(speaker, "#chat .ch-text", "Tell me about a dog.", key="Enter")
    settled(speaker)
    turns = speaker.locator("#chat .ch-turn")
    expect(turns).to_have_count(2)
    expect(phone.locator("#chat .ch-turn")).to_have_text(turns.all_text_contents())
    enter(phone, "#chat .ch-text", "And a cat?", key="Enter")
    settled(phone)
    own = phone.locator("#chat .ch-turn").all_text_contents()
    assert own[0] == "And a cat?"
    enter(speaker, "#chat .ch-text", "Thank you.", key="Enter")
    settled(speaker)
    expect(turns).to_have_count(4)
    settled(phone)
    assert phone.locator("#chat .ch-turn").all_text_contents() == own


def test_the_audience_s_sentence_goes_through_the_talk(visit):
    page = visit("?tab=start")
    page.click("#start [data-do=talks]")
    page.get_by_role("button", name="in 20 minutes").click()
    ours = page.get_by_role("button", name="With ours")
    expect(page.locator("#tour .tour-count")).to_have_text("1 of 14")
    expect(ours).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(page.locator("#start .st-bar").first).to_be_visible()
    settled(page)
    line = page.locator("#start .st-text")
    line.fill("Anna saw a blue whale and a")
    settled(page)
    expect(ours).to_be_visible()
    for _ in range(2):
        page.locator("#tour .tour-next").click()
    expect(page.locator("#tour .tour-count")).to_have_text("4 of 14")
    expect(page.locator("#prompt textarea")).to_have_value("Lily found a key under the old tree.")
    expect(page.locator("#bring-back")).to_have_count(0)
    ours.click()
    expect(page.locator("#prompt textarea")).to_have_value("Anna saw a blue whale and a")
    expect(page.locator("#stream .ts-text")).to_contain_text("Anna saw a blue whale and a")
    expect(ours).to_have_attribute("aria-pressed", "true")
    settled(page)
    page.locator("#tour .tour-next").click()
    expect(page.locator("#tour .tour-count")).to_have_text("5 of 14")
    expect(ours).to_have_attribute("aria-pressed", "false")
    page.reload()
    expect(page.locator("#tour .tour-count")).to_have_text("5 of 14")
    page.locator("#tour .tour-back").click()
    expect(page.locator("#prompt textarea")).to_have_value("Anna saw a blue whale and a")
    expect(ours).to_have_attribute("aria-pressed", "true")
    settled(page)
    ours.click()
    expect(page.locator("#prompt textarea")).to_have_value("Lily found a key under the old tree.")
    settled(page)
