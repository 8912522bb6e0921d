"""Exercises: asked beside their view, answered by what is chosen there, and kept over a load."""

import re

from playwright.sync_api import expect

from browser import settled


def test_an_exercise_is_asked_beside_its_view_and_a_chosen_head_answers_it(visit):
    page = visit("?tab=attention&exercise=copier")
    bar = page.locator("#exercise")
    expect(bar.locator(".ex-question")).to_contain_text("what came after the same letter last time")
    expect(page.locator("#facts")).to_contain_text("2 layers")
    expect(page.locator("#attention .at-name")).to_be_visible()
    bar.get_by_role("button", name="Hint").click()
    expect(bar.locator(".ex-said")).to_contain_text("second layer")
    expect(bar.locator(".ex-left")).to_be_hidden()
    page.get_by_role("tab", name="Layers").click()
    expect(bar.locator(".ex-left")).to_contain_text("another view")
    bar.get_by_role("button", name="Back to it").click()
    expect(page.locator("#attention .at-name")).to_be_visible()
    expect(bar.locator(".ex-left")).to_be_hidden()
    answer = bar.get_by_label("Your answer")
    answer.fill("0.0")
    bar.get_by_role("button", name="Check").click()
    expect(bar.locator(".ex-said")).to_have_text(re.compile("^Not yet"))
    page.locator("#attention canvas").nth(0).press("Shift+ArrowRight")
    expect(answer).to_have_value(re.compile(r"^1\.\d$"))
    bar.get_by_role("button", name="Check").click()
    expect(bar.locator(".ex-said")).to_have_text(re.compile("^Right. It looks at what came after"))
    expect(bar.locator(".ex-done")).to_have_text("✓ done")
    page.reload()
    expect(bar.locator(".ex-done")).to_have_text("✓ done")
    bar.get_by_role("button", name="Close").click()
    expect(bar).to_have_count(0)
    page.reload()
    settled(page)
    expect(bar).to_have_count(0)


def test_what_is_written_on_start_is_the_answer_and_all_are_listed_there(visit):
    page = visit("?tab=start&exercise=turn-it")
    expect(page.locator("#start .st-bar").first).to_be_visible()
    page.get_by_label("Your sentence").fill(
        "Tom had a blue hat. Lily had a red ball. Tom lost his blue"
    )
    bar = page.locator("#exercise")
    expect(bar.get_by_label("Your answer")).to_have_value(re.compile("blue hat"))
    bar.get_by_role("button", name="Check").click()
    expect(bar.locator(".ex-said")).to_have_text(re.compile("^Right. It guessed “ball”"))
    bar.get_by_role("button", name="Close").click()
    page.click("#start [data-do=exercises]")
    listed = page.locator("#exercise-list li")
    expect(listed.nth(14)).to_be_visible()
    page.get_by_role("button", name="The largest table").click()
    expect(page.locator("#breakdown .bd-total")).to_be_visible()
    expect(page.locator("#exercise .ex-question")).to_contain_text("token embedding of GPT-2")
