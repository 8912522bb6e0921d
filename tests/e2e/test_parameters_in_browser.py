"""The Parameters tab in a real browser."""

import json
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

import gptcore
from browser import GO, choose, enter, saved, settled
from ui.views import title_of


def view(page: Page, name: str) -> None:
    tab = page.locator(f"#parameter-views button[role=tab]:has-text('{name}')").first
    tab.click()


def has_total(page: Page, total: str) -> None:
    expect(page.locator("#breakdown .bd-total")).to_have_text(total)


def test_the_shape_follows_models_sliders_fields_and_presets_and_an_impossible_one_is_a_sentence(
    visit,
):
    page = visit("?tab=parameters")
    has_total(page, "9,617,664")
    expect(page.locator("#breakdown .bd-check")).to_contain_text(
        "matches the real model: 76 tensors"
    )
    page.locator("#shape-n_layer input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    has_total(page, "10,976,784")
    page.locator("#shape-n_head input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    has_total(page, "10,976,784")  # 8 divides 336: heads change no count
    page.keyboard.press("ArrowRight")
    expect(page.locator("#breakdown .bd-message")).to_contain_text(
        "cannot be divided among n_head=9"
    )
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#breakdown .bd-total")).to_be_visible()
    enter(page, "#shape-n_layer input[type=number]", "0")
    expect(page.locator("#shape-n_layer input[type=number]")).to_have_value("1")
    has_total(page, "2,822,064")
    choose(page, "#shape-from", "gpt2-medium")
    has_total(page, "354,823,168")
    expect(page.locator("#shape-n_layer input[type=number]")).to_have_value("24")
    page.locator("#breakdown .bd-open").nth(2).click()
    expect(page.locator("#breakdown .bd-tensor").first).to_contain_text("h.*.attn.c_attn.weight")
    assert b"354823168" in saved(page, "#breakdown", "csv").read_bytes()
    shape = json.loads(saved(page, "#breakdown", "config").read_bytes())
    assert gptcore.GPTConfig.from_dict(shape).n_layer == 24
    expect(page.locator("#breakdown .bd-said")).to_contain_text("gptcore.training --config")
    assert saved(page, "#breakdown", "png").read_bytes()[:4] == b"\x89PNG"
    choose(page, "#model", "induction")
    expect(page.locator("#facts")).to_contain_text("2 layers")
    choose(page, "#shape-from", "the model above")
    has_total(page, "45,952")
    choose(page, "#model", "mini")
    has_total(page, "9,617,664")


def test_every_view_shows_something_real(visit):
    page = visit("?tab=parameters")
    view(page, "Drawing")
    expect(page.locator("#drawing svg")).to_be_visible()
    page.locator("#drawing [id='part-mlp']").last.click()
    expect(page.locator("#drawing .dr-place").first).to_contain_text("gptcore/model.py, line")
    expect(page.locator("#drawing .dr-code").first).to_contain_text("def forward")
    assert b"<svg" in saved(page, "#drawing", "svg").read_bytes()
    expect(page.locator("#anatomy-figure img")).to_be_visible()
    page.click("#experiment label:has-text('Learned positions')")
    expect(page.locator("#anatomy-figure .fg-text")).to_contain_text("position embeddings of mini")
    page.locator("#card > button").click()
    expect(page.locator("#card-text")).to_contain_text("TinyStories")
    page.click("#verify-start")
    expect(page.locator("#checks")).to_contain_text("mini: 9 passed, 0 failed")
    page.keyboard.press("Escape")
    view(page, "Reference")
    expect(page.locator("#cost")).to_contain_text("59,700")
    page.click("#measure-cache")
    expect(page.locator("#measured")).to_contain_text("times faster")
    page.click("#reference-page label:has-text('History')")
    expect(page.locator("#bars .bars path").first).to_be_attached()
    assert b"<svg" in saved(page, "#bars", "svg").read_bytes()
    expect(page.locator("#families")).to_contain_text("174,604,259,328")
    page.click("#reference-page label:has-text('Which number')")
    expect(page.locator("#quoted")).to_contain_text("116,929,536")


def test_one_page_of_a_view_is_seen_and_it_is_short(visit, page_register):
    paged = [field for field in page_register["fields"] if "shows" in field]
    assert {field["name"] for field in paged} == {"reference_page"}
    page = visit("?tab=parameters")
    for field in paged:
        for option in field["shows"]:
            place = {"tab": field["tab"], "view": title_of(field["tab"], field["view"])}
            assert page.evaluate(GO, urlencode({**place, field["name"]: option})) == ""
            settled(page)
            for shown, element in field["shows"].items():
                expect(page.locator(f"#{element}")).to_be_visible(visible=shown == option)
            assert page.evaluate("document.documentElement.scrollHeight") < 3 * 720, option
