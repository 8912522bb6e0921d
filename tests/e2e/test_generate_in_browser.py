"""The Generate tab in a real browser."""

import json
import re

from playwright.sync_api import Page, expect

from browser import choose, enter, open_accordion, saved, settled

DONE = re.compile("length reached|ended the text|stopped|stop string")


def text(page: Page, where: str = "#stream") -> str:
    return page.locator(f"{where} .ts-text").inner_text()


def finished(page: Page, where: str = "#stream") -> str:
    expect(page.locator(f"{where} .ts-stats")).to_have_text(DONE)
    return page.locator(f"{where} .ts-stats").inner_text()


def generate(page: Page, prompt: str) -> str:
    page.fill("#prompt textarea", prompt)
    # The figures of the text before must not be taken for those of the new one.
    page.evaluate("document.querySelector('#stream .ts-stats').textContent = ''")
    page.click("#generate")
    expect(page.locator("#stream .ts-prompt")).to_have_text(prompt)
    return finished(page)


def set_number(page: Page, control: str, value: str) -> None:
    enter(page, f"{control} input[type=number]", value)
    expect(page.locator(f"{control} input[type=range]")).to_have_value(value)


def test_a_finished_example_a_new_text_its_sliders_files_and_surprises(visit):
    page = visit()
    assert len(text(page)) > 100
    box = page.locator("#stream .ts-text").bounding_box()
    assert box["width"] > 300 and box["y"] + box["height"] < 720
    assert page.locator("#distribution .dv-token").nth(8).bounding_box()["y"] < 720
    generate(page, "Once upon a time, there was a big dog")
    assert text(page).startswith("Once upon a time, there was a big dog")
    assert "tokens/s" in finished(page)
    before = page.locator("#distribution .dv-table").inner_text()
    page.locator("#temperature input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#distribution .dv-table")).not_to_have_text(before)
    page.click("#preset-0")
    expect(page.locator("#temperature input[type=number]")).to_have_value("0")
    expect(page.locator("#distribution .dv-head").last).to_contain_text("1 candidate")
    data = json.loads(saved(page, "#stream", "json").read_text(encoding="utf-8"))
    assert data["text"] == data["prompt"] + "".join(token["text"] for token in data["tokens"])
    for kind in ("csv", "svg", "png"):
        with page.expect_download() as download:
            page.click("#distribution .lens-save summary")
            page.click(f"#distribution button[data-do={kind}]")
        # a pick closes the menu
        expect(page.locator("#distribution .lens-save")).not_to_have_attribute("open", "")
        assert download.value.path().stat().st_size > 300
        assert download.value.suggested_filename.startswith("gpt-lens-next-token-mini-")
    settled(page)  # a field that is filled while its tab opens is set back
    page.fill("#prompt textarea", "Once upon a time there was a girl.")
    page.click("#surprise input")
    expect(page.locator("#scored .ts-text")).to_contain_text("girl.")
    expect(page.locator("#scored .ts-stats")).to_contain_text("bits per byte")


def test_pointing_shows_alternatives_and_a_click_on_one_writes_on_from_there_as_does_one_on_an_ended_text(
    visit,
):
    page = visit()
    generate(page, "The little cat")
    before = page.locator("#stream .ts-token").all_inner_texts()
    page.locator("#stream .ts-token").nth(5).hover()
    expect(page.locator("#stream .ts-detail")).to_contain_text("probability")
    page.locator("#stream .ts-token").nth(5).click()
    page.locator("#stream .ts-detail button:not(.chosen)").first.click()
    expect(page.locator("#stream .ts-token").nth(5)).not_to_have_text(before[5])
    finished(page)
    assert page.locator("#stream .ts-token").all_inner_texts()[:5] == before[:5]
    page.click("#undo")
    expect(page.locator("#stream .ts-token").nth(5)).to_have_text(before[5])
    page.locator("#stream .ts-text").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#stream .ts-token.locked")).to_have_count(1)
    assert page.locator("#stream .ts-token").nth(1).get_attribute("class").endswith("locked")
    page.keyboard.press("Escape")
    expect(page.locator("#stream .ts-token.locked")).to_have_count(0)
    count = page.locator("#stream .ts-token").count()
    page.keyboard.press("n")
    expect(page.locator("#stream .ts-token")).to_have_count(count + 1)
    page.keyboard.press("g")
    expect(page.locator("#stream .ts-token")).not_to_have_count(count + 1)
    settled(page)
    before = text(page)
    count = page.locator("#stream .ts-token").count()
    page.fill("#prompt textarea", "Something else")
    page.click("#stream [data-do=onward]")
    expect(page.locator("#stream .ts-token").nth(count)).to_be_visible()
    settled(page)
    assert (
        text(page).startswith(before[:200])
        and page.input_value("#prompt textarea") == "The little cat"
    )
    page.get_by_role("tab", name="Attention").click()  # the page has one sentence
    expect(page.locator("#attention-text textarea")).to_have_value("The little cat")


def test_stop_ends_a_text_long_before_its_end_and_keeps_it(visit):
    page = visit()
    open_accordion(page, "#more")
    set_number(page, "#speed", "2")  # the hundred tokens would take fifty seconds
    set_number(page, "#min-new-tokens", "100")
    page.fill("#prompt textarea", "The tree")
    page.click("#generate")
    expect(page.locator("#stream .ts-prompt")).to_have_text("The tree")
    expect(page.locator("#stream .ts-token").nth(5)).to_be_visible()
    written = page.locator("#stream .ts-token").count()
    page.click("#stop")
    expect(page.locator("#stream .ts-stats")).to_contain_text("stopped")
    assert written <= page.locator("#stream .ts-token").count() < 100
    page.click("#generate")
    expect(page.locator("#stream .ts-token").nth(5)).to_be_visible()
    expect(page.locator("#stream .ts-stats")).not_to_contain_text("stopped")
    page.locator("#title").click()
    page.keyboard.press("s")
    expect(page.locator("#stream .ts-stats")).to_contain_text("stopped")


def test_slips_are_noticed_and_nothing_is_lost(visit):
    page = visit()
    choose(page, "#model", "gpt2 · not")
    expect(page.locator(".toast-body").first).to_contain_text("on this machine")
    expect(page.locator("#model input")).to_have_value(re.compile("mini"))
    generate(page, "The sun")
    generate(page, "<img src=x onerror=alert(1)> ${1+1} {{value}}")
    assert page.locator("#stream .ts-text img").count() == 0
    assert "<img src=x onerror=alert(1)> ${1+1} {{value}}" in text(page)
    before = text(page)
    page.fill("#prompt textarea", "word " * 400)
    page.click("#generate")
    expect(page.locator(".toast-body", has_text="this model reads 256")).to_be_visible()
    assert text(page) == before
    assert "Traceback" not in page.content()


def test_five_strategies_stream_side_by_side_a_row_sets_the_sliders_and_the_cut_can_be_dragged(
    visit,
):
    page = visit()
    page.get_by_role(
        "tab", name="Compare strategies"
    ).first.click()  # which writes by itself the first time
    for place in range(5):
        finished(page, f"#compared-{place}")
    settled(page)
    page.fill("#prompt textarea", "Once upon a time there was a mouse")
    page.click("#compare-start")
    for place in range(5):
        expect(page.locator(f"#compared-{place}")).to_contain_text("a mouse")
        finished(page, f"#compared-{place}")
    texts = [text(page, f"#compared-{index}") for index in range(5)]
    assert all(t.startswith("Once upon a time") for t in texts) and len(set(texts)) > 1
    expect(page.locator("#strategies .sg-bar")).to_have_count(8 * 6)
    before = page.locator("#strategies .sg-bar").nth(0).inner_text()
    page.get_by_label("temperature, column 1").fill("2")
    expect(page.locator("#strategies .sg-bar").nth(0)).not_to_have_text(before)
    settled(page)  # the texts above are written
    page.locator("#strategies .sg-curve").scroll_into_view_if_needed()
    box = page.locator("#strategies .sg-curve").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.45)
    page.mouse.up()
    p = float(page.locator("#strategies .sg-slide input").input_value())
    assert 0.4 < p < 0.7
    page.get_by_role("button", name="Use this p").click()
    expect(page.locator("#top-p input[type=number]")).to_have_value(str(p))
    page.get_by_role("tab", name="Compare strategies", exact=True).click()
    page.locator("#strategies tr", has_text="No-repeat").get_by_role("button").click()
    expect(page.locator("#temperature input[type=number]")).to_have_value("0")
    # what a strategy leaves out is off
    expect(page.locator("#top-p input[type=number]")).to_have_value("1")
    expect(page.locator("#distribution")).to_be_visible()


def test_the_look_is_turned_by_keys_and_survives_a_reload(visit):
    page = visit("?tab=generate&__theme=light")
    body = page.locator("body")
    size = "getComputedStyle(document.querySelector('#stream .ts-text')).fontSize"
    before = page.evaluate(size)
    page.keyboard.press("p")
    assert float(page.evaluate(size)[:-2]) > float(before[:-2])
    page.keyboard.press("d")
    settled(page)
    page.reload()
    settled(page)
    for look in ("dark", "present"):
        expect(body).to_have_class(re.compile(rf"\b{look}\b"))
    cover = "getComputedStyle(document.body, '::after').backgroundColor"
    page.keyboard.press("b")
    assert page.evaluate(cover) == "rgb(0, 0, 0)"
    page.keyboard.press("b")
    assert page.evaluate(cover) != "rgb(0, 0, 0)"


def test_a_text_is_cut_and_merged_another_steered_beside_the_plain_one_and_a_conversation_goes_on(
    visit,
):
    page = visit("?tab=generate")
    page.get_by_role("tab", name="Tokens").click()
    expect(page.locator("#tokens .tk-row")).to_have_count(4)
    page.locator("#tokens .tk-text").fill("zebra zebra")
    mini = page.locator("#tokens .tk-row", has_text="children's stories")
    expect(mini.locator(".tk-chip")).not_to_have_count(13)
    first = page.locator("#tokens .tk-two section").first
    # its answer comes by itself, and sets the slider
    expect(first.locator(".tk-cut")).to_contain_text("zeb")
    first.locator("input[type=range]").fill("0")
    expect(first.locator(".tk-chip")).to_have_count(len("zebra zebra"))
    learn = page.locator("#tokens .tk-two section").last
    learn.locator("textarea").fill("banana banana banana")
    expect(learn.locator(".tk-said")).to_contain_text("times")
    learn.locator("input[type=range]").fill("1")
    expect(learn.locator(".tk-list li")).to_have_text(["“a” + “n”, 6 times"])
    page.click("#generate-views button[role=tab]:has-text('Steer')")
    expect(page.locator("#steer-said")).to_contain_text("nats per token")
    texts = [page.locator(f"#steer-{side} .ts-text").inner_text() for side in ("plain", "steered")]
    assert texts[0] != texts[1] and texts[0].split()[:5] == texts[1].split()[:5]
    page.locator("#steer-strength input[type=number]").fill("2")
    page.click("#steer-start")
    expect(page.locator("#steer-said")).to_contain_text("At ×2 the writing")
    expect(page).to_have_url(re.compile("view=Steer.*strength=2"))
    page.get_by_role("tab", name="Chat").click()
    said = page.locator("#chat .ch-said")
    turns = page.locator("#chat .ch-turn")
    page.click("#chat .ch-starters button:has-text('Hello! What can you do?')")
    expect(said).to_contain_text("just continues your text")
    expect(turns).to_have_count(2)
    assert page.locator("#chat .ch-plain").inner_text().startswith("Hello! What can you do?")
    page.click("#chat [data-do=again]")
    expect(page.locator("#chat .ch-both .ch-turn")).to_have_count(2)
    expect(said).to_contain_text("just continues your text")
    enter(page, "#chat .ch-text", "Tell me a story about a cat.", "Enter")
    expect(turns).to_have_count(4)  # the answer that was kept, and the next two turns
    expect(page.locator("#chat .ch-used")).to_contain_text("of 256 tokens of its window")
    expect(said).to_contain_text("just continues your text")
    assert "User: Hello! What can you do?" in saved(page, "#chat", "save").read_text(
        encoding="utf-8"
    )
    page.click("#chat [data-do=new]")
    expect(turns).to_have_count(0)
    enter(page, "#chat .ch-text", "word " * 700, "Enter")
    expect(said).to_contain_text("Shorten it")
    expect(page.locator("#chat .ch-text")).to_have_value(("word " * 700).strip())
