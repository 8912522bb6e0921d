"""Talks: rehearsed from the first scene to the last, written on the page, and steered from the speaker's window."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser import settled
from ui.server.talks import read_talk

FILES = sorted(Path(__file__).resolve().parents[2].glob("ui/components/talks/inside-*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_bundled_talk_shows_every_scene_and_presses_what_it_presses(visit, file):
    talk = read_talk(file)[1]
    page = visit("?tab=start")
    page.click("#start [data-do=talks]")
    page.get_by_role("button", name=talk.title).click()
    for number, scene in enumerate(talk.scenes, 1):
        expect(page.locator("#tour .tour-count")).to_have_text(f"{number} of {len(talk.scenes)}")
        expect(page.locator(".tour-target")).to_be_visible()
        expect(page.locator("#tour .tour-say")).to_have_text(scene.say)
        if scene.link.get("start") and scene.link["tab"] == "train":
            expect(page.locator("#train .tr-title")).to_contain_text(re.compile("^(Learning|Ended)"))
        page.keyboard.press("PageDown")
    expect(page.locator("#tour")).to_have_count(0)
    settled(page)


def test_a_talk_is_written_played_and_saved(visit):
    page = visit("?tab=start")
    page.get_by_label("Your sentence").fill("Tom saw a zebra in the park")
    expect(page.locator("#start .st-said")).to_have_text(re.compile("^Arcs|^$"))
    page.click("#start [data-do=talks]")
    page.get_by_role("button", name="Write a talk").click()
    editor = page.locator("#talk-editor")
    editor.get_by_label("Title of the talk").fill("My talk")
    page.get_by_role("tab", name="Attention").click()
    expect(page.locator("#attention .at-name")).to_be_visible()
    settled(page)
    editor.get_by_role("button", name="Add this scene").click()
    expect(editor.locator("li")).to_have_count(1)
    expect(editor.locator("li .te-where")).to_contain_text("text Tom saw a zebra in the park")
    editor.get_by_label("Sentence for the hall, scene 1").fill("Where it looks.")
    editor.get_by_label("Notes for the speaker, scene 1").fill("Point at zebra.")
    page.get_by_role("tab", name="Train", exact=True).click()
    expect(page.locator("#train .tr-tile").first).to_be_visible()
    editor.get_by_role("button", name="Add this scene").click()
    expect(editor.locator("li .te-where").nth(1)).to_contain_text("preset 30 seconds, letters")
    editor.get_by_label("Sentence for the hall, scene 2").fill("How it learns.")
    editor.get_by_label("Move scene up 2").click()
    with page.expect_download() as saved:
        editor.get_by_role("button", name="Save file").click()
    text = saved.value.path().read_text()
    assert text.index("How it learns.") < text.index("Where it looks.\n> Point at zebra.") and "# My talk" in text
    editor.get_by_role("button", name="Play").click()
    expect(page.locator("#tour .tour-say")).to_have_text("How it learns.")
    page.keyboard.press("PageDown")
    expect(page.locator("#tour .tour-say")).to_have_text("Where it looks.")
    expect(page.locator("#attention-text textarea")).to_have_value("Tom saw a zebra in the park")
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
    expect(speaker.locator(".next")).to_contain_text("gives every word a chance")
    speaker.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator("#tour .tour-count")).to_have_text("2 of 7")
    expect(speaker.locator("header")).to_contain_text("2 of 7")
    expect(page.locator(".tour-target")).to_be_visible()
    speaker.keyboard.press("PageDown")  # this scene loads the page anew, and the window stays with it
    expect(page.locator("#tour .tour-count")).to_have_text("3 of 7")
    expect(speaker.locator(".said")).to_contain_text("Guess, append, guess again")
    expect(page.locator(".tour-target")).to_be_visible()
    speaker.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator("#tour .tour-count")).to_have_text("2 of 7")
    page.keyboard.press("Escape")
    expect(speaker.locator(".said")).to_have_text("No talk is open in the other window.")
    settled(page)


def test_a_link_sets_a_form_of_train_and_start_begins_it_once(visit):
    page = visit("?tab=train&train.trick=lr_x100&train.seed=7&train.max_steps=30&train.length=steps&start=1")
    expect(page.get_by_role("combobox", name="Break it")).to_have_value("learning rate × 100")
    expect(page.locator("#train .tr-why")).to_contain_text("Every step overshoots")
    ended = "All steps are done"
    expect(page.locator("#train .tr-title")).to_contain_text(ended)
    expect(page.locator("#train .tr-tile").first).to_contain_text("30")
    page.reload()
    expect(page.locator("#train .tr-title")).to_contain_text(ended)
    settled(page)  # the run is not begun anew
    expect(page.locator("#train .tr-title")).to_contain_text(ended)
