"""The Train tab in a real browser."""

import json
import re
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from browser import choose, enter, saved, settled
from ui.lenses.train.handlers import assistant

# A model that learns in no time; what it learns is tested elsewhere.
TINY = "?tab=train&train.n_layer=1&train.n_head=2&train.n_embd=32&train.batch_size=8&train.length=steps"
SMALL = f"{TINY}&train.max_steps=40"
LONG = f"{TINY}&train.max_steps=100000"
LEARNING = re.compile("^Learning")
ENDED = re.compile("^Ended")


def title(page: Page):
    return page.locator("#train .tr-title")


def tile(page: Page, name: str):
    return page.locator(f"#train .tr-tile:has(span:text-is('{name}')) b")


def start(page: Page) -> None:
    page.click("#train-start")
    expect(title(page)).to_have_text(LEARNING)


def train_further(page: Page, goal: str = "") -> None:
    """Opens the form that trains a model further, for a goal; its parts hear clicks."""
    page.click("#train-kinds button[role=tab]:has-text('Continue')")
    if goal:
        page.click(f"#train-goal label:has-text('{goal}')")
    settled(page)


def keep_titles(page: Page) -> None:
    """Keeps all that the title says from now on, in `titles`."""
    page.evaluate("""() => {
      window.titles = [];
      const title = document.querySelector('#train .tr-title');
      const first = title.textContent; // a slow machine may write it once more
      new MutationObserver(() => title.textContent === first || window.titles.push(title.textContent))
        .observe(title, {childList: true});
    }""")


def stop(page: Page) -> None:
    page.click("#train [data-cmd=stop]")
    expect(title(page)).to_have_text(ENDED)


def test_it_opens_with_a_recorded_run_that_can_be_scrubbed(visit):
    page = visit("?tab=train")
    expect(title(page)).to_contain_text("Recorded example · Anthology")
    expect(tile(page, "update")).to_have_text("3,023")
    last = page.inner_text("#train .tr-text")
    page.locator("#train .tr-scrub").focus()
    page.keyboard.press("Home")
    expect(page.locator("#train .tr-at")).to_contain_text("untrained")
    assert page.inner_text("#train .tr-text") != last
    expect(page.locator("#train .tr-heads canvas")).to_have_count(16)
    page.fill("#train .tr-next", "t")
    expect(page.locator("#train .tr-chance")).to_contain_text("“t”")
    for button in ("csv", "json", "png", "svg"):
        assert saved(page, "#train", button).stat().st_size > 1000
    page.click("#train-corpus input")
    page.click("[role=option]:has-text('Your own text')")
    page.fill("#train-written textarea", "too short")
    page.click("#train-start")
    expect(page.locator("#train-said")).to_contain_text("Give more text")
    assert page.input_value("#train-written textarea") == "too short"
    expect(title(page)).to_contain_text("Recorded example")
    train_further(page)
    page.click("#tune-length label:has-text('steps')")
    enter(page, "#tune-steps input", "3")
    page.click("#tune-start")
    expect(title(page)).to_contain_text("mini tuned on Anthology")
    expect(title(page)).to_contain_text("All steps are done")


def test_a_run_learns_live_is_followed_survives_a_reload_and_ends_with_a_row(visit):
    page = visit(LONG)
    keep_titles(page)
    start(page)
    said = page.evaluate("window.titles")
    assert said[0] == "Starting…" and not [item for item in said if item.startswith("Ready")]
    page.keyboard.press("g")  # amid a run it says so, and begins nothing anew
    expect(page.locator("#train .tr-message")).to_contain_text("A run is in progress")
    expect(tile(page, "update")).not_to_have_text("0")
    page.click("#train [data-do=link]")
    code = page.locator(".lens-code")
    expect(code.locator("svg")).to_be_visible()
    expect(code).to_contain_text("Start the app with --lan")
    phone = page.context.new_page()
    phone.goto(code.locator("p").first.inner_text())
    expect(title(phone)).to_have_text(LEARNING)
    expect(phone.locator("#train [data-cmd=stop]")).to_be_hidden()
    expect(phone.locator("#train-form")).to_be_hidden()
    phone.close()
    code.locator("button").click()
    expect(code).to_have_count(0)
    page.reload()
    expect(title(page)).to_have_text(LEARNING)
    page.fill("#train .tr-guess", "1.5")
    page.click("#train [data-cmd=pause]")
    expect(title(page)).to_have_text(re.compile("^Paused"))
    before = int(tile(page, "update").inner_text().replace(",", ""))
    page.click("#train [data-cmd=step][data-n='10']")
    expect(tile(page, "update")).to_have_text(f"{before + 10:,}")
    page.click("#train [data-cmd=resume]")
    expect(title(page)).to_have_text(LEARNING)
    stop(page)
    expect(page.locator("#train .tr-guessed")).to_contain_text("You guessed 1.5; it ended at")
    expect(page.locator("#train .tr-runs tbody tr")).to_have_count(1)


def test_a_race_shows_both_runs_on_one_clock(visit):
    page = visit(LONG)
    page.click("#train-rival input")
    page.click("[role=option]:has-text('the other optimiser')")
    start(page)
    race = page.locator("#train .tr-race")
    expect(race).to_contain_text(re.compile(r"Muon \d.* AdamW \d.* leads by"))
    expect(page.locator("#train .tr-mine")).to_have_text("Muon")
    expect(page.locator("#train .tr-rival-name")).to_have_text("AdamW")
    assert len(page.inner_text("#train .tr-rival-text")) > 20
    stop(page)
    expect(page.locator("#train .tr-runs tbody tr")).to_have_count(2)
    page.locator("#train .tr-scrub").focus()
    page.keyboard.press("Home")
    expect(page.locator("#train .tr-at")).to_contain_text("after 0 updates")
    short = page.locator("#train .tr-rival-text")
    expect(short).not_to_have_text("")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_second_run_says_what_changed_and_a_phone_follows_by_link(visit):
    page = visit(SMALL)
    page.click("#train-start")
    expect(title(page)).to_contain_text("All steps are done")
    page.click("#train-more button")
    settled(page)
    enter(page, "#train-rate input", "0.001")
    page.click("#train-start")
    expect(page.locator("#train .tr-runs tbody tr")).to_have_count(2)
    expect(page.locator("#train .tr-runs .tr-now")).to_contain_text("learning rate 0.001")
    expect(title(page)).to_contain_text("All steps are done")
    page.click("#train [data-do=control]")
    phone = visit(page.evaluate("location.search"), 390, 844)
    expect(
        phone.locator("#train [data-cmd=again]")
    ).to_be_visible()  # the buttons of a run that has ended
    expect(phone.locator("#train .tr-runs tbody tr")).to_have_count(2)
    assert phone.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    expect(phone.locator("#train-start")).to_be_visible()  # who may control the run may start one
    page.reload()
    expect(page.locator("#train .tr-runs tbody tr")).to_have_count(2)
    expect(
        page.locator("#train-start")
    ).to_be_visible()  # its owner keeps the form, with the address that was shared


def test_the_trained_model_opens_in_the_other_tabs_and_as_a_zip(visit):
    page = visit(SMALL)
    page.click("#train-start")
    expect(title(page)).to_contain_text("All steps are done")
    page.click("#train [data-open=generate]")
    expect(page.locator("#facts")).to_contain_text("vocabulary of 74 (characters)")
    expect(page.locator("#uses-generate")).to_contain_text("Anthology")
    page.fill("#prompt textarea", "The ")
    page.click("#generate")
    expect(page.locator("#stream .ts-token").nth(5)).to_be_visible()
    page.click("#tabs button[role=tab]:has-text('Train')")
    page.click("#train [data-open=parameters]")
    expect(page.locator("#breakdown .bd-total")).to_have_text("17,184")
    page.click("#tabs button[role=tab]:has-text('Train')")
    page.click("button:has-text('Files')")
    with page.expect_download() as download:
        page.click("#train-zip")
    made = download.value.path()
    with zipfile.ZipFile(made) as folder:
        config = json.loads(folder.read("model/config.json"))
    assert config["n_embd"] == 32 and config["training"]["steps"] == 40
    named = Path(made).with_suffix(".zip")
    named.write_bytes(Path(made).read_bytes())
    with page.expect_file_chooser() as chooser:
        page.click("#train-open")
    chooser.value.set_files(named)
    expect(page.locator("#facts")).to_contain_text("vocabulary of 74 (characters)")
    expect(page.locator("#model input")).to_have_value(re.compile("uploaded"))


def test_a_shape_comes_from_the_parameters_tab(visit):
    page = visit("?tab=parameters")
    choose(page, "#shape-from", "nano")
    expect(page.locator("#breakdown .bd-name")).to_contain_text("nano")
    page.click("#shape-to-train")
    expect(page.locator("#train-start")).to_be_visible()
    page.click("#train-more button")
    expect(page.locator("#train-n_embd input[type=number]")).to_have_value("48")
    expect(page.locator("#train-n_positions input[type=number]")).to_have_value("128")
    page.click("#tabs button[role=tab]:has-text('Parameters')")
    choose(page, "#shape-from", "gpt2-xl")
    expect(page.locator("#breakdown .bd-name")).to_contain_text("gpt2-xl")
    page.click("#shape-to-train")
    expect(page.locator(".toast-body")).to_contain_text("number of layers is 48")


def test_labels_are_learned_and_told_and_a_refusal_stays_with_its_form(visit):
    page = visit("?tab=train")
    train_further(page, "Labels")
    # its own recorded example
    expect(page.locator("#train .tr-title")).to_contain_text("tuned on 2 labels")
    page.fill("#labels-lines textarea", "")
    page.click("#labels-start")
    expect(page.locator("#labels-said")).to_contain_text("empty")
    train_further(page, "Your text")
    expect(page.locator("#labels-said")).to_be_hidden()
    expect(page.locator("#tune-said")).to_have_text("")
    train_further(page, "Labels")
    animals = ("cat", "dog", "fox", "bird", "cow", "hen")
    who = [f"{size} {word}" for size in ("big", "little", "old") for word in animals]
    lines = "\n".join(
        f"sad, the {item} is lost in the rain\nhappy, the {item} is glad in the sun" for item in who
    )
    page.fill("#labels-lines textarea", lines)
    page.click("#labels-length label:has-text('steps')")
    enter(page, "#labels-steps input", "12")
    page.click("#labels-start")
    expect(title(page)).to_contain_text("mini tuned on 2 labels")
    expect(title(page)).to_contain_text("All steps are done")
    expect(tile(page, "accuracy")).to_have_text("100%")
    page.fill("#train .tr-line", "the dog is lost in the rain")
    expect(page.locator("#train .tr-told")).to_contain_text(re.compile("sad >?9"))
    settled(page)
    page.reload()
    # it comes back to the form of its run
    expect(page.locator("#labels-steps input")).to_have_value("12")


def test_a_gpt_is_taught_to_answer_and_learns_from_the_audience_s_choices(visit, monkeypatch):
    for name, n in (("_N_INSTRUCTIONS", 300), ("_HELD_OUT", 12)):
        monkeypatch.setattr(assistant, name, n)
    monkeypatch.setattr(assistant, "_LEAST_UPDATES", 6)
    page = visit("?tab=train")
    train_further(page, "Assistant")
    expect(title(page)).to_contain_text("Recorded example · mini: instructions")
    settled(page)  # a press right after the form is mounted is lost
    page.click("#duel [data-do=begin]")
    expect(page.locator("#duel .du-said")).to_contain_text("First teach it to answer")
    page.click("#assistant-prefer")
    expect(page.locator("#assistant-said")).to_contain_text("press “1 · Teach it to answer” first")
    page.click("#assistant-length label:has-text('30 s')")
    page.click("#assistant-teach")
    expect(title(page)).to_have_text(LEARNING)
    expect(tile(page, "update")).not_to_have_text("0")
    stop(page)
    page.click("#duel [data-do=begin]")
    for chosen in range(4):
        expect(page.locator("#duel .du-said")).to_contain_text(f"{chosen} choice")
        page.click(f"#duel [data-choice='{chosen % 2}']")
    expect(page.locator("#duel .du-said")).to_contain_text("4 choices")
    page.click("#assistant-chooser label:has-text('you, below')")
    page.click("#assistant-prefer")
    expect(title(page)).to_have_text(re.compile("^Ended.*preferences"))
    expect(page.locator("#train .tr-message")).to_contain_text("4 choices of the audience")
    page.click("#assistant-compare")
    expect(page.locator("#assistant-told")).to_contain_text(
        re.compile(r"Before: \d of 3.* After 1: .* After 2: ")
    )
    for index in range(3):
        assert page.locator(f"#assistant-answer-{index} .ts-text").inner_text().strip()
    page.reload()
    expect(page.locator("#train-kinds [role=tab][aria-selected=true]")).to_have_text("Continue")
    expect(page.locator("#train-goal input:checked")).to_have_value("assistant")
    expect(page.locator("#assistant-length input:checked")).to_have_value("30")
