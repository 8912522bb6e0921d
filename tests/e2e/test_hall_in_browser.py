"""A room of people: one page leads, another follows, leaves and returns."""

import re

from playwright.sync_api import expect

from browser import settled


def test_a_page_follows_model_tab_view_text_and_head_leaves_and_returns(visit):
    speaker = visit("?tab=start&model=induction")
    speaker.click("#start [data-do=talks]")
    speaker.get_by_role("button", name="Lead the room").click()
    chip = speaker.locator(".hall-chip")
    expect(chip).to_contain_text("nobody yet")
    chip.get_by_role("button", name="Code for phones").click()
    shown = speaker.locator(".lens-code p").first
    expect(shown).to_contain_text("follow=")
    name = re.search(r"follow=([0-9a-f]+)", shown.text_content() or "")
    assert name
    expect(speaker.locator(".lens-code svg")).to_be_visible()
    speaker.get_by_role("button", name="Close", exact=True).click()

    phone = visit(f"?tab=start&follow={name[1]}", width=390, height=844)
    expect(phone.locator(".hall-chip")).to_contain_text("Following the speaker")
    expect(chip).to_contain_text("1 page")
    expect(phone.locator("#facts")).to_contain_text("45,952 parameters")
    loads = []
    phone.on("domcontentloaded", lambda _: loads.append(1))
    speaker.click("#model input")
    speaker.get_by_role("option", name=re.compile("^mini")).click()
    speaker.get_by_role("tab", name="Attention").click()
    expect(speaker.locator("#attention .at-name")).to_be_visible()
    expect(phone.locator("#attention .at-name")).to_be_visible()
    speaker.locator("#attention-text textarea").fill("Tom saw a zebra. Tom gave food to the")
    expect(phone.locator("#attention-text textarea")).to_have_value("Tom saw a zebra. Tom gave food to the")
    expect(phone.locator("#model input")).to_have_value(re.compile("^mini"))
    assert loads == []
    phone.locator("#attention-text textarea").fill("A text of mine")
    expect(phone.locator(".hall-chip")).to_contain_text("with a text of your own")
    speaker.locator("#attention-text textarea").fill("Tom saw a lion. Tom gave food to the")
    expect(phone.locator("#attention-text textarea")).to_have_value("Tom saw a lion. Tom gave food to the")
    expect(phone.locator(".hall-chip")).not_to_contain_text("of your own")
    settled(speaker)
    speaker.locator("#attention canvas").nth(0).press("Shift+ArrowRight")
    chosen = speaker.locator("#attention .at-name").text_content() or ""
    expect(phone.locator("#attention .at-name")).to_have_text(chosen)

    phone.get_by_role("button", name="Leave").click()
    expect(phone.locator(".hall-chip")).to_contain_text("On your own")
    phone.get_by_role("tab", name="Start").click()
    speaker.get_by_role("tab", name="Layers").click()
    phone.reload()
    expect(phone.locator(".hall-chip")).to_contain_text("On your own")
    phone.get_by_role("button", name="Return to the speaker").click()
    expect(phone.locator("#attention").or_(phone.locator("#lens")).first).to_be_attached()
    expect(phone.get_by_role("tab", name="Layers")).to_have_attribute("aria-selected", "true")

    speaker.reload()
    expect(chip).to_contain_text("1 page")
    chip.get_by_role("button", name="End").click()
    expect(phone.locator(".hall-chip")).to_contain_text("no longer leads")
