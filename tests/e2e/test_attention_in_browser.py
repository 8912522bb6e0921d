"""The Attention tab in a real browser."""

import io
import re
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import gptcore
from browser import choose, saved, settled
from helpers import until

TEXT = "Tom saw a cat. Tom saw a dog. Tom saw"
LONG = 'One day, Lily lost her hat. Tom said, "Do not cry, Lily. I will help you find your'


def visit_attention(visit, query: str = "", **size: int) -> Page:
    return visit("?tab=attention" + query, **size)


def name(page: Page, where: str = "#attention") -> str:
    return page.locator(f"{where} .at-name").inner_text()


def write(page: Page, text: str) -> None:
    page.fill("#attention-text textarea", text)


def detail(page: Page, words: str | re.Pattern[str]) -> None:
    expect(page.locator("#attention .at-detail")).to_contain_text(words)


def open_model(page: Page, model: str) -> None:
    choose(page, "#model", model)
    expect(page.locator("#facts")).to_contain_text("2 layers × 4 heads")


def pixels(page: Page, selector: str) -> int:
    """How many different colours a canvas shows."""
    return page.evaluate(
        """selector => { const c = document.querySelector(selector), d = new Uint32Array(
        c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer); return new Set(d).size; }""",
        selector,
    )


def test_it_opens_on_one_interesting_head_and_shows_others_in_three_ways(visit):
    page = visit_attention(visit)
    assert name(page) != "Layer 0 · head 0"
    expect(page.locator("#attention .at-role")).to_contain_text(
        "of its attention is on the first token"
    )
    assert pixels(page, "#attention .at-map") > 20 and pixels(page, "#attention .at-grid") > 20
    box = page.locator("#attention .at-map").bounding_box()
    assert box["width"] > 300 and box["y"] + box["height"] < 720
    before = name(page)
    grid = page.locator("#attention .at-grid")
    grid.hover(position={"x": 40, "y": 40})
    expect(page.locator("#attention .at-name")).to_have_text("Layer 0 · head 0")
    page.mouse.move(2, 2)
    expect(page.locator("#attention .at-name")).to_have_text(before)
    grid.click(position={"x": 40, "y": 40})
    page.mouse.move(2, 2)
    expect(page.locator("#attention .at-name")).to_have_text("Layer 0 · head 0")
    page.click("#attention [data-view=steps]")
    expect(page.locator("#attention .at-sums table")).to_be_visible()
    for canvas in ("scores", "masked", "softmax"):
        assert pixels(page, f"#attention .at-{canvas}") > 10
    rows = page.locator("#attention .at-sums tbody tr").all_inner_texts()
    shares = [float(row.split("\t")[-1]) for row in rows]
    assert shares == sorted(shares, reverse=True) and 0.3 < sum(shares) <= 1.001
    page.click("#attention [data-view=lines]")
    expect(page.locator("#attention .at-lines path").first).to_be_attached()
    page.locator("#attention .at-word").last.hover()
    expect(page.locator("#attention .at-lines-said")).to_contain_text("looks at")
    page.set_viewport_size({"width": 390, "height": 844})
    for view in ("map", "lines", "steps"):
        page.click(f"#attention [data-view={view}]")
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


PICTURE = "() => document.querySelector('#attention .at-map').toDataURL()"


def test_the_keyboard_alone_chooses_heads_and_cells_and_the_zoom_stays(visit):
    page = visit_attention(visit, f"&text={quote(LONG)}")
    page.locator("#attention .at-grid").focus()
    for key in ("ArrowUp", "ArrowRight"):
        before = name(page)
        page.keyboard.press(key)
        expect(page.locator("#attention .at-name")).not_to_have_text(before)
    page.locator("#attention .at-map").focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp"):  # from the last cell of the last token
        page.keyboard.press(key)
    detail(page, re.compile(r"reading token .* → looked at .*: 0\.\d{4}"))
    whole = page.evaluate(PICTURE)
    page.keyboard.press("+")
    page.keyboard.press("+")
    settled(page)
    zoomed = page.evaluate(PICTURE)
    colours = pixels(page, "#attention .at-map")
    assert zoomed != whole
    before = name(page)
    page.keyboard.press("Shift+ArrowDown")
    expect(page.locator("#attention .at-name")).not_to_have_text(before)
    page.keyboard.press("Shift+ArrowUp")
    expect(page.locator("#attention .at-name")).to_have_text(before)
    settled(page)
    # the exact map comes after a preview
    until(lambda: abs(pixels(page, "#attention .at-map") - colours) <= 10)
    zoomed = page.evaluate(PICTURE)
    page.keyboard.press("0")
    settled(page)
    assert page.evaluate(PICTURE) != zoomed
    page.keyboard.press("Escape")
    detail(page, "Point at a cell")
    box = page.locator("#attention .at-map").bounding_box()
    page.mouse.move(box["x"] + 120, box["y"] + box["height"] * 0.72)
    detail(page, "no. 2")
    write(page, "Tom saw")  # which shrinks under the mouse
    detail(page, "Point at a cell")
    page.mouse.move(2, 2)
    write(page, TEXT)
    lm = gptcore.load()
    ids = lm.tokenizer.encode(TEXT)
    expect(page.locator("#attention .at-message")).to_be_hidden()
    settled(page)
    layer, head = (int(part) for part in re.findall(r"\d+", name(page)))
    page.locator("#attention .at-map").focus()
    page.keyboard.press("ArrowDown")  # the last token looking at itself
    expected = float(gptcore.attention_patterns(lm.model, ids)[layer, head, -1, -1])
    detail(page, f"no. {len(ids) - 1}) → looked at")
    shown = float(re.search(r": ([\d.]+)", page.locator("#attention .at-detail").inner_text())[1])
    assert shown == pytest.approx(expected, abs=1e-4)
    page.keyboard.press("ArrowUp")
    detail(page, "a token cannot look ahead")
    before = name(page)
    write(page, "")
    expect(page.locator("#attention .at-message")).to_contain_text("text is empty")
    write(page, "a")
    expect(page.locator("#attention .at-message")).to_contain_text("single token")
    write(page, "Lily saw Max. Lily saw")
    expect(page.locator("#attention .at-name")).to_be_visible()
    assert name(page) == before


def test_the_induction_model_shows_its_heads(visit):
    page = visit_attention(visit)
    open_model(page, "induction")
    expect(page.locator("#attention-text textarea")).to_have_value("kitten kitten kitt")
    settled(page)
    page.click("#attention [data-do=induction]")
    expect(page.locator("#attention .at-said")).to_contain_text(
        "4 induction heads; the clearest is Layer 1 · head"
    )
    expect(page.locator("#attention .at-role")).to_contain_text(
        "what came after this token last time"
    )
    write(page, "kitten, kitten")
    expect(page.locator("#attention .at-message")).to_contain_text("not ','")
    write(page, "mat and " * 12)
    expect(page.locator("#attention .at-note")).to_contain_text("the end is shown")
    page.click("#keep-end label:has-text('beginning')")
    expect(page.locator("#attention .at-note")).to_contain_text("the beginning is shown")


def test_sink_modes_and_what_excites_a_neuron(visit):
    page = visit_attention(visit)
    page.click("#sink label:has-text('in front')")
    page.locator("#attention .at-map").focus()
    settled(page)
    page.click("#attention [data-view=lines]")
    expect(page.locator("#attention .at-word").first).to_have_text("<|endoftext|>")
    page.get_by_role("tab", name="Layers").click()
    page.locator("#one-neuron .label-wrap").click()
    expect(page.locator("#neurons .u-shaded").first).to_be_visible()
    first = page.locator("#neurons .nr-peak").inner_text()
    page.locator("#neurons .nr-top button").nth(1).click()
    expect(page.locator("#neurons .nr-peak")).not_to_have_text(first)
    page.locator("#attention-text textarea").fill("A dog, a cat, a dog, a cat")
    expect(page.locator("#neurons .nr-text")).to_contain_text("dog, a cat")
    expect(page.locator("#neurons .nr-size")).to_have_count(6)


def test_files_hold_the_maps(visit):
    page = visit_attention(visit)
    settled(page)
    layer, head = (int(part) for part in re.findall(r"\d+", name(page)))
    with np.load(
        io.BytesIO(saved(page, "#attention", "npz").read_bytes()), allow_pickle=False
    ) as arrays:
        attention = arrays["attention"]
        chosen = (int(arrays["layer"]), int(arrays["head"]))
    assert chosen == (layer, head) and attention.shape[:2] == (6, 7)
    table = [
        line.split('","')
        for line in saved(page, "#attention", "csv").read_text(encoding="utf-8-sig").splitlines()
    ]
    assert float(table[attention.shape[-1]][1]) == pytest.approx(
        float(attention[layer, head, -1, 0]), abs=2e-5
    )
    assert saved(page, "#attention", "png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert b"<svg" in saved(page, "#attention", "svg").read_bytes()


def test_switching_off_changes_the_next_token_here_alone_and_no_switch_is_lost_during_a_trial(
    visit,
):
    page = visit_attention(visit)
    page.keyboard.press("1")
    expect(page.locator("#distribution .dv-token").first).to_be_visible()
    distribution = page.locator("#distribution .dv-table").text_content()
    page.keyboard.press("2")
    page.click("#attention [data-do=off]")
    expect(page.locator("#ablation .ab-head")).to_contain_text("Without L")
    page.locator("#ablation [data-at='0,mlp,']").press("Space")
    expect(page.locator("#ablation .ab-head")).to_contain_text("layer 0’s MLP")
    page.click("#try-all")
    expect(page.locator("#ablation .ab-said")).to_contain_text("One at a time")
    page.click("#ablation [data-do=none]")
    expect(page.locator("#ablation .ab-head")).to_contain_text("Everything is on")
    page.click("#tabs button[role=tab]:has-text('Generate')")
    page.locator("#temperature input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    settled(page)
    assert page.locator("#distribution .dv-table").text_content() == distribution
    page.click("#tabs button[role=tab]:has-text('Attention')")
    write(page, "The cat sat on the mat. " * 20)
    settled(page)
    page.click("#try-all")
    page.click("#ablation [data-at='3,head,3']")
    expect(page.locator("#ablation .ab-said")).to_contain_text("One at a time")
    expect(page.locator("#ablation .ab-head")).to_contain_text("L3H3")
    page.click("#ablation [data-at='5,head,6']")
    expect(page.locator("#ablation .ab-head")).to_contain_text("L5H6")
    page.click("#ablation [data-at='5,head,6']")
    expect(page.locator("#ablation .ab-head")).not_to_contain_text("L5H6")
    open_model(page, "induction")
    expect(page.locator("#ablation button[data-at]")).to_have_count(2 * 5)
    # effects were those of the other model
    expect(page.locator("#ablation button[data-at] small")).to_have_count(0)
    expect(page.locator("#ablation .ab-said")).to_have_text("")
    expect(page.locator("#ablation .ab-message")).to_be_hidden()


def test_a_link_opens_this_very_view(visit):
    page = visit_attention(visit)
    write(page, "red blue red blue red blue red blue red blue red")
    page.click("#sink label:has-text('left out')")
    settled(page)
    page.locator("#attention .at-grid").focus()
    page.keyboard.press("ArrowLeft")
    wanted = name(page)
    page.locator("#attention .at-map").focus()
    for key in ("ArrowLeft", "ArrowLeft", "+"):
        page.keyboard.press(key)
    page.click("#attention [data-view=steps]")
    page.click("#attention [data-do=link]")
    expect(page.locator("#attention .at-said")).to_contain_text("address bar")
    again = visit(page.evaluate("location.search"))
    expect(again.locator("#attention .at-name")).to_have_text(wanted)
    assert again.locator("#sink input:checked").get_attribute("value") == "without the first token"
    settled(again)
    expect(again.locator("#attention-text textarea")).to_have_value(re.compile("red blue"))
    expect(again.locator("#attention [data-view=steps]")).to_have_attribute("aria-pressed", "true")
    assert (
        again.locator("#attention .at-detail").inner_text()
        == page.locator("#attention .at-detail").inner_text()
    )
    assert pixels(again, "#attention .at-softmax") == pixels(page, "#attention .at-softmax")


def test_why_a_word_is_asked_from_start_its_circuit_and_of_a_written_token(visit):
    page = visit("")
    page.get_by_label("Your sentence").fill(
        "Tom saw a zebra. Lily saw a lion. Tom gave food to the"
    )
    expect(page.locator("#start .st-bars .st-name").first).to_have_text("zebra")
    page.keyboard.press("Escape")
    page.locator("#start [data-do=why]").click()
    expect(page.locator("#why .wy-body > .conclusion")).to_contain_text("“zebra” rather than")
    expect(page.locator("#why tbody tr")).to_have_count(12)
    expect(page.locator("#why .wy-real").filter(has_text="−").first).to_be_visible()
    expect(page.locator("#why .ct .conclusion").first).to_contain_text("“zebra” rather than")
    first = page.locator("#why .ct-next b").inner_text()
    page.locator("#why .ct-node.head").last.click()
    expect(page.locator("#why .ct-said")).to_contain_text(
        "1 switched off: the preference changes by"
    )
    expect(page.locator("#why .ct-next b")).not_to_have_text(first)
    page.get_by_role("button", name="All on").last.click()
    expect(page.locator("#why .ct-next b")).to_have_text(first)
    with page.expect_download() as download:
        page.locator("#why [data-save=svg]").click()
    assert download.value.suggested_filename.startswith("gpt-lens-circuit-mini-")
    page.click("#why .fm summary")
    expect(page.locator("#why .fm .conclusion")).to_contain_text("It came to prefer “zebra”")
    page.locator("#why .wy-word").select_option(index=1)
    expect(page.locator("#why .wy-body > .conclusion")).not_to_contain_text("“zebra” rather than")
    page.get_by_role("tab", name="Generate").click()
    page.get_by_role("tab", name="Write").click()
    page.locator("#generate").click()
    settled(page)
    token = page.locator("#stream .ts-token").filter(has_text=re.compile("[a-z]")).first
    word = token.inner_text().strip()
    token.click()
    page.keyboard.press("w")
    expect(page.locator("#why .wy-body > .conclusion")).to_contain_text(f"“{word}”")
    expect(page.locator("#attention-text textarea")).to_have_value(re.compile("gave food to the"))


def test_the_real_gpt2_is_there_without_its_weights(visit):
    page = visit("")
    page.click("#model input")
    page.locator("[role=option]", has_text="gpt2 · recorded, five texts").click()  # opens the view
    expect(page.locator("#recorded-picture .conclusion")).to_contain_text(
        "Layer 4, head 11 has the strongest look"
    )
    expect(page.locator("#recorded-picture [data-part^=attention]")).to_have_count(12)
    # all other views need weights
    expect(page.locator("#model input")).to_have_value("mini · writes children’s stories")
    expect(page.locator("#recorded-heads .conclusion")).to_contain_text(
        "132 rest on the first token"
    )
    page.locator("#recorded-text label").nth(2).click()
    expect(page.locator("#recorded-next")).to_contain_text("“planet”")


def test_why_is_asked_of_a_run_s_own_sample_and_waits_until_its_model_is_open(visit):
    page = visit("?tab=train")
    expect(page.locator("#train .tr-text")).to_contain_text("The bell was")
    page.locator("#train [data-do=why]").click()
    expect(page.locator("#attention-text textarea")).to_have_value(re.compile("^The bell was"))
    expect(page.locator("#why .wy-body > .conclusion")).to_contain_text("rather than")
    expect(page.locator("#why .ct-body > .conclusion")).to_contain_text("rather than")


def test_two_sentences_are_compared_and_cells_are_carried_over(visit):
    page = visit("?tab=attention", height=900)
    page.get_by_role("tab", name="Two sentences").click()
    expect(page.locator("#patching .conclusion")).to_contain_text(
        "it moves to the last token, “the”"
    )
    cell = page.locator("#patching .pt-cell.full").last
    cell.focus()
    expect(page.locator("#patching .pt-detail")).to_contain_text("% of the way from")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#patching .pt-detail")).to_contain_text("before block 1")
    expect(page.locator("#patching .pt-next .ct-bar").first).to_contain_text("lion")
    page.locator("#patching .pt-table tr").last.locator("td").nth(3).click()
    expect(page.locator("#patching .pt-next .ct-bar").first).to_contain_text("zebra")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#patching .pt-next .ct-bar").first).to_contain_text("lion")
    expect(page.locator("#patching .pt-cell.waits")).to_have_count(0)
    page.fill("#pair-b textarea", "Lily")
    page.click("#pair-start")
    expect(page.locator("#patching .pt-message")).to_contain_text("and B 1")
    page.fill("#pair-a textarea", "Tom saw a cat.")
    page.fill("#pair-b textarea", "Tom saw a very big cat.")
    page.click("#pair-start")
    expect(page.locator("#attention-difference .at-message")).to_contain_text(
        "maps can be subtracted"
    )
    page.fill("#pair-b textarea", "Tom saw a dog.")
    page.click("#pair-start")
    expect(page.locator("#attention-difference .at-role")).to_contain_text("of its attention moved")
    assert pixels(page, "#attention-difference .at-map") > 5
    page.click("#attention-views button[role=tab]:has-text('Layers')")
    settled(page)  # a field that is filled while its view opens may be set back
    write(page, TEXT)
    expect(page.locator("#lens thead th").last).to_have_text("␣saw")
    page.locator("#lens td[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#lens .ln-detail")).to_contain_text("The whole model’s choice")
