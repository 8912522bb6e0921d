"""The Zero-shot tab in a real browser."""

import json
import re

from playwright.sync_api import Page, expect

from browser import choose, enter, saved, settled


def view(page: Page, name: str) -> None:
    page.locator(f"#zero-shot-views button[role=tab]:has-text('{name}')").first.click()


def has_prompt(page: Page, text: str) -> None:
    expect(page.locator("#zs-view .zs-prompt")).to_contain_text(text)


def test_it_opens_with_a_finished_answer_and_follows_what_is_typed(visit):
    page = visit("?tab=zero-shot")
    expect(page.locator("#zs-view .zs-prompt .zs-cue")).to_have_text("\nSentiment:")
    expect(page.locator("#zs-view .zs-row")).to_have_count(2)
    expect(page.locator("#zs-stream .ts-note")).to_contain_text("xpected")
    page.fill("#zs-field-0 textarea", "What a wonderful book. I loved it.")
    has_prompt(page, "Review: What a wonderful book. I loved it.")
    settled(page)  # the box of the prompt has it, too
    expect(page.locator("#zs-view .zs-row.best .zs-name")).to_contain_text("positive")
    page.click("#zs-view [data-measure=per_token]")
    expect(page.locator("#zs-view [data-measure=per_token]")).to_have_class(
        re.compile(r"\bchosen\b")
    )
    page.click("#zs-answer")
    expect(page.locator("#zs-stream .ts-text")).to_contain_text("ositive")
    page.fill("#zs-field-0 textarea", "")
    expect(page.locator("#zs-view .zs-message")).to_contain_text("The review is empty")
    has_prompt(page, "What a wonderful book")  # what was there stays


def test_a_task_brings_its_fields_and_examples_stand_in_front_and_a_link_opens_the_same_prompt(
    visit,
):
    page = visit("?tab=zero-shot")
    # and at once another template: both must be in the prompt
    page.fill("#zs-field-0 textarea", "What a day.")
    choose(page, "#zs-template", "Overall")
    has_prompt(page, "What a day. Overall, it was")
    expect(page).to_have_url(re.compile("template=Overall.*body="))
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    has_prompt(page, "What a day. Overall, it was")
    settled(page)
    choose(page, "#zs-task", "Translate")
    expect(page.locator("#zs-view .zs-cue").last).to_have_text(" =")
    enter(page, "#zs-n-examples input[type=number]", "3")
    expect(page.locator("#zs-view .zs-example")).to_have_count(4)  # and one in the legend
    choose(page, "#zs-template", "Translate English to French")
    expect(page.locator("#zs-view .zs-prompt .zs-instruction")).to_have_text(
        "Translate English to French:\n"
    )
    choose(page, "#zs-task", "Answer from a text")
    expect(page.locator("#zs-field-1 textarea")).to_be_visible()
    has_prompt(page, "Q: ")
    before = page.locator("#zs-view .zs-prompt").text_content()
    page.click("#zs-another")
    expect(page.locator("#zs-view .zs-prompt")).not_to_have_text(before or "")


def test_an_edited_prompt_is_what_the_model_reads(visit):
    page = visit("?tab=zero-shot")
    page.click("#zs-uses-start")
    expect(page.locator("#zs-uses .zs-strongest")).to_contain_text("helps most")
    shaded = page.locator("#zs-uses .zs-helps, #zs-uses .zs-hurts")
    shades = shaded.evaluate_all("nodes => nodes.map(node => +node.style.getPropertyValue('--e'))")
    assert max(shades) == 50 and page.locator("#zs-uses .zs-apart").count() >= 1
    enter(page, "#zs-prompt textarea", "3 + 3 = 6\n2 + 3 = 5\n1 + 2 =")
    expect(page.locator("#zs-view .zs-prompt .zs-edited")).to_contain_text("1 + 2 =")
    page.click("#zs-answer")
    expect(page.locator("#zs-stream .ts-stats")).to_contain_text("token")
    page.click("#zs-uses-start")
    expect(page.locator("#zs-uses .zs-prompt span")).to_have_count(14)
    assert saved(page, "#zs-uses", "png").read_bytes()[:4] == b"\x89PNG"


def test_ways_effects_and_models_side_by_side_and_the_scoreboard_counts(visit):
    page = visit("?tab=zero-shot&task=arithmetic&field_0=3+%2B+4&expected=7")
    has_prompt(page, "3 + 4 =")
    # without waiting for any
    for name in ("Ways of asking", "Answer", "Scoreboard", "Ways of asking"):
        view(page, name)
    expect(page.locator("#zs-ways .zs-way")).to_have_count(4)
    expect(page.locator("#zs-ways .zs-way").nth(3).locator(".zs-verdict")).not_to_be_empty()
    assert len(json.loads(saved(page, "#zs-ways", "json").read_bytes())["ways"]) == 4
    page.click("#zs-compare")
    expect(page.locator("#zs-ways .zs-way").nth(3).locator(".zs-verdict")).not_to_be_empty()
    view(page, "Answer")
    page.click("#zs-uses-start")
    expect(page.locator("#zs-uses .zs-changes tbody tr")).to_have_count(3)
    assert b"without the cue" in saved(page, "#zs-uses", "csv").read_bytes()
    view(page, "Scoreboard")
    expect(
        page.locator("#zs-ladder tbody tr").first
    ).to_be_visible()  # it was asked when the view was opened
    page.click("#zs-ladder-start")
    # the rows may still be those of before, and a visitor's newest action ends the one before
    settled(page)
    expect(page.locator("#zs-ladder tbody tr")).to_have_count(2)
    expect(page.locator("#zs-ladder h3")).to_have_text("Expected: 7")
    expect(page.locator("#zs-board h3").first).to_have_text("What people write: world")
    enter(page, "#zs-items input[type=number]", "200")
    page.click("#zs-count")
    expect(page.locator("#zs-board .sh-text").first).to_contain_text("items/s")
    page.click("#zs-count-stop")
    expect(page.locator("#zs-board .sh-text").first).to_contain_text("stopped")
    expect(page.locator("#zs-board tbody tr").first).to_contain_text("world")


def test_changing_tasks_fast_leaves_no_notice_and_no_answer_to_another_input(visit):
    page = visit("?tab=zero-shot")
    for name in ("Sums", "Summarise", "Analogy", "Translate"):
        choose(page, "#zs-task", name)
        settled(page)
    expect(page.locator("#zs-view .zs-cue").last).to_have_text(" =")
    # the answer to another input
    expect(page.locator("#zs-stream")).to_have_attribute("data-stale", "")
    expect(page.locator(".toast-body")).to_have_count(0)
    page.fill("#zs-field-0 textarea", "the green dog")
    expect(page.locator("#zs-expected textarea")).to_have_value("")
    page.click("#zs-answer")
    expect(page.locator("#zs-stream .ts-text")).to_contain_text("the green dog =")
    page.get_by_role("tab", name="Ways of asking").click()
    page.locator("#zs-gpt2 tr", has_text="I am hungry.").get_by_role("button").click()
    has_prompt(page, "I am hungry. =")
    page.locator("#zs-template input").click()
    page.get_by_role("option", name="English and French").click()
    has_prompt(page, "French:")  # the template has come, with its own language
    page.locator("#zs-language input, #zs-language textarea").fill("German")
    has_prompt(page, "German:")
    # what was expected was French
    expect(page.locator("#zs-expected textarea, #zs-expected input")).to_have_value("")
