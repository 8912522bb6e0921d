"""Recording what happens on the page, and replaying it: the model is not asked again."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from browser import settled
from talk import TARGET

TALK = json.loads(TARGET.read_text(encoding="utf-8"))


def record_a_text(page, prompt):
    page.locator("#title").click()
    page.keyboard.press("r")
    expect(page.locator("#replay")).to_contain_text("Recording")
    page.fill("#prompt textarea", prompt)
    page.click("#generate")
    expect(page.locator("#stream .ts-prompt")).to_have_text(prompt)
    expect(page.locator("#stream .ts-stats")).to_contain_text("ended")
    page.locator("#replay").get_by_role("button", name="Done").click()
    return page.inner_text("#stream .ts-text")


def test_a_text_is_recorded_replayed_without_the_model_and_left_for_what_is_live(visit):
    page = visit("?tab=generate&seed=5")
    first = record_a_text(page, "The bird")
    page.fill("#prompt textarea", "The car")
    page.click("#generate")
    expect(page.locator("#stream .ts-prompt")).to_have_text("The car")
    expect(page.locator("#stream .ts-stats")).to_contain_text("ended")
    settled(page)
    live = page.inner_text("#stream .ts-text")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("#replay").get_by_role("button", name="Replay it").click()
    expect(page.locator("#replay")).to_contain_text("Replay")
    page.locator("#replay select").select_option("at once")
    expect(page.locator("#replay").get_by_role("button", name="Again")).to_be_visible()
    expect(page.locator("#stream .ts-text")).to_have_text(first, use_inner_text=True)
    expect(page.locator("#prompt textarea")).to_have_value("The bird")
    page.locator("#stream .ts-token").first.click()
    page.locator("#stream .ts-detail button").first.click()  # a choice that the recording does not know
    expect(page.locator("#replay")).to_contain_text("This is a replay")
    assert not [url for url in asked if "queue/join" in url or "component_server" in url]
    page.keyboard.press("Escape")
    expect(page.locator("#stream .ts-text")).to_have_text(live, use_inner_text=True)
    expect(page.locator("#prompt textarea")).to_have_value("The car")
    expect(page.locator("#replay")).to_contain_text("Recorded")  # it is neither saved nor thrown away yet


def test_a_saved_recording_opens_as_a_talk_and_a_broken_file_says_so(visit, tmp_path):
    page = visit("?tab=generate&seed=5")
    first = record_a_text(page, "The boat")
    page.locator("#replay input").fill("A boat, and what comes next.")
    with page.expect_download() as download:
        page.locator("#replay").get_by_role("button", name="Save").click()
    kept = tmp_path / "talk.json"
    download.value.save_as(kept)
    page.locator("#replay").get_by_role("button", name="Discard").click()
    expect(page.locator("#replay")).to_have_count(0)
    page.keyboard.press("t")
    broken = tmp_path / "broken.json"
    broken.write_text(kept.read_text()[:500])
    page.locator("#tour .tour-file").set_input_files(broken)
    expect(page.locator("#tour .tour-say")).to_contain_text("cut off")
    page.locator("#tour .tour-file").set_input_files([kept, kept])
    expect(page.locator("#tour .tour-say")).to_have_text("A boat, and what comes next.")
    expect(page.locator("#tour .tour-count")).to_have_text("1 of 2")
    page.locator("#replay select").select_option("at once")
    expect(page.locator("#stream .ts-text")).to_have_text(first, use_inner_text=True)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as one talk").click()
    assert len(json.loads(download.value.path().read_text())["steps"]) == 2
    page.keyboard.press("Escape")
    expect(page.locator("#replay")).to_have_count(0)
    other = json.loads(kept.read_text())
    other["steps"][0]["recording"]["events"] = [["value", 0, "stream", 0, "not a record\n"]]
    broken.write_text(json.dumps(other))
    page.keyboard.press("t")
    page.locator("#tour .tour-file").set_input_files(broken)
    expect(page.locator("#replay")).to_contain_text("does not fit this page")


def test_the_bundled_talk_plays_every_step_as_it_was_recorded(visit):
    page = visit("?tab=start")
    page.click("#start [data-do=talks]")
    page.get_by_role("button", name="A recorded talk").click()
    shown = {
        1: ("#stream .ts-stats", "ended"),
        2: ("#attention .at-name", "Layer 4 · head 2"),
        3: ("#train .tr-tile", "update"),
        4: ("#zs-stream .ts-stats", "token"),
    }
    for step, (place, words) in shown.items():
        expect(page.locator("#tour .tour-count")).to_have_text(f"{step} of {len(shown)}")
        page.locator("#replay select").select_option("at once")
        expect(page.locator("#replay").get_by_role("button", name="Again")).to_be_visible()
        expect(page.locator(place).first).to_contain_text(words)
        if step == 1:
            expect(page.locator("#stream .ts-prompt")).to_have_text("The dragon was sad because")
        if step == 3:
            polls = [event[5] for event in TALK["steps"][2]["recording"]["events"] if event[3] == "poll"]
            assert polls[-1]["step"] > 100
            expect(page.locator("#train .tr-tile b").first).to_have_text(f"{polls[-1]['step']:,}")
        page.click("#tour .tour-next")
    expect(page.locator("#tour")).to_have_count(0)
    expect(page.locator("#replay")).to_have_count(0)
