"""A room of people: talks, rehearsed and steered from the speaker's window; one page leads, another
follows.
"""

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from browser import settled
from ui.server.rehearsal import lacking
from ui.server.talks import read_talk
from ui.state.broadcasts import name_of

FILE = Path(__file__).resolve().parents[2] / "ui" / "rooms" / "hall" / "talks" / "inside-20.txt"


def test_the_long_talk_shows_every_scene_in_large_letters_and_presses_what_it_presses(visit):
    talk = read_talk(FILE)[1]
    page = visit("?tab=start&present=1", width=1920, height=1080)
    page.click("#start [data-do=talks]")
    page.get_by_role("button", name=talk.title).click()
    loads = []
    page.on("domcontentloaded", lambda _: loads.append(1))
    for number, scene in enumerate(talk.scenes, 1):
        expect(page.locator("#tour .tour-count")).to_have_text(f"{number} of {len(talk.scenes)}")
        expect(page.locator(".tour-target")).to_be_visible()
        expect(page.locator("#tour .tour-say")).to_have_text(scene.say)
        if scene.link.get("start") and scene.link["tab"] == "train":
            expect(page.locator("#train .tr-title")).to_contain_text(
                re.compile("^(Learning|Ended)")
            )
        settled(page)
        assert lacking(page, scene) == [], f"scene {number}"
        assert loads == [], f"scene {number}"
        page.keyboard.press("PageDown")
    expect(page.locator("#tour")).to_have_count(0)
    settled(page)


def test_the_speaker_s_window_shows_notes_and_turns_the_hall_s(visit):
    page = visit("?tab=start")
    page.click("#start [data-do=talks]")
    page.get_by_role("button", name="in 5 minutes").click()
    expect(page.locator("#tour .tour-count")).to_have_text("1 of 7")
    expect(page.locator(".tour-target")).to_be_visible()
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Speaker’s window").click()
    speaker = opened.value
    expect(speaker.locator(".notes")).to_contain_text("Ask the hall")
    expect(speaker.locator(".next")).to_contain_text(
        "every possible next word with its probability"
    )
    speaker.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator("#tour .tour-count")).to_have_text("2 of 7")
    expect(speaker.locator("header")).to_contain_text("2 of 7")
    expect(page.locator(".tour-target")).to_be_visible()
    speaker.keyboard.press("PageDown")
    expect(page.locator("#tour .tour-count")).to_have_text("3 of 7")
    expect(speaker.locator(".said")).to_contain_text("Guess, append, guess again")
    expect(page.locator(".tour-target")).to_be_visible()
    speaker.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator("#tour .tour-count")).to_have_text("2 of 7")
    page.keyboard.press("Escape")
    expect(speaker.locator(".said")).to_have_text("No talk is open in the other window.")
    settled(page)


def test_a_link_sets_a_form_of_train_and_start_begins_it_once(visit):
    tiny = "train.n_layer=1&train.n_head=2&train.n_embd=32&train.batch_size=8&train.max_steps=30&train.length=steps"
    page = visit(f"?tab=train&train.trick=lr_x100&train.seed=7&{tiny}&start=1")
    expect(page.get_by_role("combobox", name="Spoil one setting")).to_have_value(
        "learning rate × 100"
    )
    expect(page.locator("#train .tr-why")).to_contain_text("Every step overshoots")
    ended = "All steps are done"
    expect(page.locator("#train .tr-title")).to_contain_text(ended)
    expect(page.locator("#train .tr-tile").first).to_contain_text("30")
    page.reload()
    expect(page.locator("#train .tr-title")).to_contain_text(ended)
    settled(page)  # the run is not begun anew
    expect(page.locator("#train .tr-title")).to_contain_text(ended)


def test_a_phone_shows_the_text_and_the_run_of_the_speaker(visit):
    speaker = visit("?tab=start&prompt=The+old+boat&max_new_tokens=12&seed=3")
    speaker.click("#start [data-do=talks]")
    speaker.get_by_role("button", name="Lead the room").click()
    expect(speaker.locator(".hall-chip")).to_contain_text("nobody is following yet")
    name = speaker.evaluate("sessionStorage['gptlens-leads']")
    phone = visit(f"?tab=start&follow={name_of(json.loads(name))}", width=390, height=844)
    expect(phone.locator(".hall-chip")).to_contain_text("Following the speaker")
    speaker.get_by_role("tab", name="Generate").click()
    expect(phone.locator("#stream")).to_be_visible()
    speaker.click("#generate")
    settled(speaker)
    written = speaker.locator("#stream .ts-text").text_content()
    expect(phone.locator("#stream .ts-text")).to_have_text(written)
    expect(phone.locator("#stream")).not_to_have_attribute("data-stale", "")
    speaker.click("#next-token")  # it grows
    settled(speaker)
    longer = speaker.locator("#stream .ts-text").text_content()
    assert longer != written and longer.startswith(written)
    expect(phone.locator("#stream .ts-text")).to_have_text(longer)

    hands_off = speaker.get_by_role("button", name="Hands off")
    hands_off.click()
    expect(hands_off).to_have_attribute("aria-pressed", "true")
    expect(phone.locator(".hall-chip")).to_contain_text("Hands off")
    phone.click("#generate")
    phone.keyboard.press("g")  # which presses it, too
    phone.locator("#prompt textarea").press_sequentially("x")
    settled(phone)
    expect(phone.locator("#stream .ts-text")).to_have_text(longer)
    expect(phone.locator("#prompt textarea")).to_have_value("The old boat")
    hands_off.click()
    expect(phone.locator(".hall-chip")).not_to_contain_text("Hands off")
    phone.locator("#prompt textarea").fill("Mine")  # one's own again
    expect(phone.locator(".hall-chip")).to_contain_text("with a text of your own")

    speaker.get_by_role("tab", name="Train").click()
    speaker.click("#train-start")
    title = speaker.locator("#train .tr-title")
    expect(title).to_contain_text("Learning")
    expect(phone.locator("#train .tr-title")).to_contain_text("Learning")
    expect(phone.locator("#train [data-cmd=stop]")).to_be_hidden()  # who follows looks
    speaker.locator("#train [data-cmd=stop]").click()
    expect(title).to_contain_text("Ended")
    expect(phone.locator("#train .tr-title")).to_have_text(title.text_content())
    sample = speaker.locator("#train .tr-text").first.text_content()
    expect(phone.locator("#train .tr-text").first).to_have_text(sample)
    phone.get_by_role("button", name="Leave").click()
    expect(phone.locator("#train .tr-title")).to_contain_text("Recorded example")


def test_a_page_follows_model_tab_view_text_and_head_leaves_and_returns(visit):
    speaker = visit("?tab=start&model=induction")
    speaker.click("#start [data-do=talks]")
    speaker.get_by_role("button", name="Lead the room").click()
    chip = speaker.locator(".hall-chip")
    expect(chip).to_contain_text("nobody is following yet")
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
    expect(phone.locator("#attention-text textarea")).to_have_value(
        "Tom saw a zebra. Tom gave food to the"
    )
    expect(phone.locator("#model input")).to_have_value(re.compile("^mini"))
    assert loads == []
    phone.locator("#attention-text textarea").fill("A text of mine")
    expect(phone.locator(".hall-chip")).to_contain_text("with a text of your own")
    speaker.locator("#attention-text textarea").fill("Tom saw a lion. Tom gave food to the")
    expect(phone.locator("#attention-text textarea")).to_have_value(
        "Tom saw a lion. Tom gave food to the"
    )
    expect(phone.locator(".hall-chip")).not_to_contain_text("of your own")
    settled(speaker)
    speaker.locator("#attention canvas").nth(0).press("Shift+ArrowRight")
    chosen = speaker.locator("#attention .at-name").text_content() or ""
    expect(phone.locator("#attention .at-name")).to_have_text(chosen)

    phone.locator("#attention-text textarea").fill("A text of mine")
    speaker.get_by_role(
        "tab", name="Layers"
    ).click()  # the speaker's text is the same: theirs stays
    expect(phone.get_by_role("tab", name="Layers")).to_have_attribute("aria-selected", "true")
    expect(phone.locator(".hall-chip")).to_contain_text("with a text of your own")
    expect(phone.get_by_role("button", name="Back to the speaker")).to_be_hidden()
    phone.get_by_role("tab", name="Parameters").click()
    expect(phone.locator(".hall-chip")).to_contain_text("You are looking elsewhere")
    phone.get_by_role("button", name="Back to the speaker").click()
    expect(phone.get_by_role("tab", name="Layers")).to_have_attribute("aria-selected", "true")
    expect(phone.locator("#attention-text textarea")).to_have_value(
        "Tom saw a lion. Tom gave food to the"
    )
    expect(phone.locator(".hall-chip")).to_have_text(re.compile(r"Following the speaker\.\s*Leave"))

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
    with speaker.expect_popup() as opened:  # a duplicated tab has a copy of what this one has kept
        speaker.evaluate("window.open('?tab=parameters')")
    expect(opened.value.locator(".hall-chip")).to_contain_text("nobody is following yet")
    expect(phone.get_by_role("tab", name="Layers")).to_have_attribute("aria-selected", "true")
    opened.value.close()
    chip.get_by_role("button", name="End").click()
    expect(phone.locator(".hall-chip")).to_contain_text("no longer leads")
