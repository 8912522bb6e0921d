"""What holds for the page as a whole: the picker, the keys, the header, and what survives fast
hands and a reload.
"""

import re
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Page, expect

from browser import COUNT_REQUESTS, GO, choose, enter, open_accordion, settled
from serving import served_page
from ui.forms import FIELDS
from ui.views import CONTINUED, title_of

# Until half a second has passed with hardly a frame drawn.
FEW_FRAMES = """() => new Promise(done => {
  const look = () => {
    const first = requestAnimationFrame(() => {});
    setTimeout(() => (requestAnimationFrame(() => {}) - first < 5 ? done(true) : look()), 500);
  };
  look();
})"""
DONE = re.compile("length reached|ended the text|stopped")


def pick(page: Page, name: str) -> None:
    choose(page, "#model", name)
    expect(page.locator("#uses-generate")).to_contain_text(f"Model on this tab: {name}")


def tab(page: Page, name: str) -> None:
    page.click(f"#tabs > .tab-wrapper button[role=tab]:has-text('{name}')")


def prompt(page: Page) -> str:
    return page.locator("#prompt textarea").input_value()


def written(page: Page) -> str:
    return page.locator("#stream .ts-text").inner_text()


def done(page: Page) -> None:
    settled(page)
    expect(page.locator("#stream .ts-stats")).to_contain_text(DONE)


def test_a_hundred_clicks_leave_one_run_the_prompt_and_no_notice(visit):
    page = visit()
    page.fill("#prompt textarea", "The bird")
    page.evaluate("for (let i = 0; i < 100; i++) document.querySelector('#generate').click()")
    settled(page)
    for _ in range(8):  # and as fast as a hand
        page.click("#generate")
    done(page)
    assert prompt(page) == "The bird" and written(page).startswith("The bird ")
    assert page.locator("#stream .ts-prompt").count() == 1
    page.evaluate("for (let i = 0; i < 100; i++) document.querySelector('#next-token').click()")
    settled(page)
    expect(page.locator(".toast-body")).to_have_count(0)
    page.click("#generate")
    settled(page)
    text = written(page)
    page.context.set_offline(True)
    line = page.locator(".lens-away")
    expect(line).to_contain_text("The server is not answering")
    page.click("#next-token")
    expect(page.locator(".toast-body:visible")).to_have_count(0)
    assert written(page).startswith(text) and page.locator("#tabs").is_visible()
    box = line.bounding_box()
    picker = page.locator("#model").bounding_box()
    assert box is not None and picker is not None and box["y"] > picker["y"] + picker["height"]
    page.context.set_offline(False)
    expect(line).to_have_count(0)
    page.click("#generate")
    done(page)


def test_a_switch_of_models_shows_a_text_by_the_new_one(visit):
    page = visit()
    for name in ("induction", "world"):  # of symbols and of words
        pick(page, name)
        done(page)
        assert written(page).startswith(prompt(page)) and len(written(page)) > len(prompt(page))
        expect(page.locator("#trailing-space")).to_have_count(0)
        expect(page.locator(".toast-body")).to_have_count(0)
    pick(page, "mini")
    settled(page)
    page.fill("#prompt textarea", "The tree")
    settled(page)
    pick(page, "anthology")
    settled(page)
    assert prompt(page) == "The tree" and written(page).startswith("The tree")
    box = page.locator("#prompt textarea")
    box.focus()
    # as Gradio does
    page.evaluate("document.activeElement.value = 'the example of a model that comes late'")
    page.keyboard.press("Control+End")
    page.keyboard.type(" was")
    settled(page)
    assert prompt(page) == "The tree was"


def test_the_picker_and_every_tab_say_which_models_there_are(visit):
    page = visit()
    tab(page, "Zero-shot")
    expect(page.locator("#uses-zero-shot")).to_have_text(
        "Model on this tab: world (picked above: mini)"
    )
    choose(page, "#zs-model", "the model above")
    expect(page.locator("#uses-zero-shot")).to_have_text("Model on this tab: mini")
    tab(page, "Train")
    expect(page.locator("#uses-train")).to_contain_text("a new one")
    page.keyboard.press("1")
    page.click("#model input")
    line = page.locator("[role=option]", has_text="gpt2-xl")
    expect(line).to_contain_text("not available here")
    assert (
        page.evaluate("line => getComputedStyle(line).pointerEvents", line.element_handle())
        == "none"
    )
    expect(page.locator("[role=listbox]")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("[role=listbox]")).to_be_hidden()
    page.click("#model input")  # and opens again
    page.get_by_role("option", name="world").click()
    expect(page.locator("#uses-generate")).to_contain_text("world")


def test_back_and_forward_go_through_the_tabs_views_and_steps_of_a_tour_that_were_open(visit):
    page = visit("")
    box = page.locator("#tabs > .tab-wrapper").bounding_box()
    assert box["y"] + box["height"] <= 100
    opened = page.locator("#tabs [role=tab][aria-selected=true]:visible")

    def stands(*names):
        expect(opened).to_have_text(list(names))

    tab(page, "Generate")
    stands("Generate", "Write")
    page.get_by_role("tab", name="Tokens").click()
    stands("Generate", "Tokens")
    # copying the address is enough
    expect(page).to_have_url(re.compile("tab=generate&view=Tokens"))
    tab(page, "Train")
    stands("Train", "From scratch")
    expect(page).to_have_url(re.compile("tab=train"))
    page.go_back()
    stands("Generate", "Tokens")
    page.reload()
    stands("Generate", "Tokens")
    page.go_back()
    stands("Generate", "Write")
    page.go_back()
    stands("Start")
    page.go_forward()
    stands("Generate", "Write")
    at = page.locator("#tour .tour-count")
    page.keyboard.press("t")
    expect(at).to_have_text(re.compile("^1 of"))
    page.keyboard.press("PageDown")
    expect(at).to_have_text(re.compile("^2 of"))
    page.go_back()
    expect(at).to_have_text(re.compile("^1 of"))
    page.go_back()  # from the first step out of the tour
    expect(at).to_be_hidden()
    tab(page, "Attention")
    page.get_by_role("button", name="Copy link").click()
    expect(page).to_have_url(re.compile("tab=attention"))
    tab(page, "Train")
    stands("Train", "From scratch")
    page.go_back()
    expect(opened.first).to_have_text("Attention")


def write_slowly(page):
    open_accordion(page, "#more")
    # so it cannot end before
    for field, value in (("speed", 10), ("max-new-tokens", 60), ("min-new-tokens", 60)):
        enter(page, f"#{field} input[type=number]", str(value))
    page.fill("#prompt textarea", "The little boat")
    page.click("#generate")


def test_a_reload_amid_a_text_loses_neither_prompt_nor_text(visit):
    page = visit()
    write_slowly(page)
    expect(page.locator("#stream .ts-prompt")).to_have_text("The little boat")
    expect(page.locator("#stream .ts-token").nth(8)).to_be_visible()
    begun = written(page)[:30]
    page.reload()
    expect(page.locator("#stream .ts-prompt")).to_have_text("The little boat")
    settled(page)
    assert prompt(page) == "The little boat" and written(page)[:30] == begun
    count = page.locator("#stream .ts-token").count()
    page.keyboard.press("n")
    expect(page.locator("#stream .ts-token")).to_have_count(count + 1)
    page.fill("#prompt textarea", "The dog saw a")
    settled(page)
    page.click("#model input")
    page.get_by_role("option", name="world").click()
    expect(page.locator("#stream .ts-prompt")).to_have_text("The dog saw a")
    expect(page.locator("#stream .ts-stats")).to_contain_text(re.compile("ended|length reached"))
    settled(page)
    shown = page.locator("#distribution .dv-table").text_content()
    page.reload()
    expect(page.locator("#model input")).to_have_value(re.compile("world"))
    expect(page.locator("#distribution .dv-table")).to_have_text(shown)
    settled(page)
    expect(page.locator("#distribution .dv-table")).to_have_text(shown)
    expect(page.locator("#distribution .dv-after")).to_contain_text("after “")


# As on a busy machine, the name is given back only some time after the reloaded page has asked for
# it.
LATE = """name => {
  const lock = 'gptlens-visit-' + name, after = ms => new Promise(done => setTimeout(done, ms));
  const isAsked = async () => (await navigator.locks.query()).pending.some(one => one.name === lock);
  navigator.locks.request(lock, async () => { while (!(await isAsked())) await after(20); await after(1500); });
}"""


def test_a_duplicated_tab_is_a_visit_of_its_own_and_leaves_the_first_one_its_text(visit):
    page = visit()
    write_slowly(page)
    expect(page.locator("#stream .ts-token").nth(4)).to_be_visible()
    with page.context.expect_page() as opened:
        # a copy of this tab's storage, as the browser's "Duplicate" has
        page.evaluate("window.open(location.href)")
    name = "JSON.parse(sessionStorage.getItem('gptlens-visit')).name"
    held = page.evaluate(name)
    opened.value.wait_for_function(f"held => {name} !== held", arg=held)
    # it goes on writing, to its full length
    expect(page.locator("#stream")).to_contain_text("60 tokens ·")
    opened.value.evaluate(LATE, held)
    page.reload()
    expect(page.locator("#stream .ts-prompt")).to_have_text("The little boat")
    assert page.evaluate(name) == held


# On a phone: a tab, what opens its settings, one of them, and the result.
FOLDED = [
    ("Train", "#train-settings", "#train-length", "#train .tr-tile"),
    ("Zero-shot", "#zs-settings", "#zs-template", "#zs-view .zs-prompt"),
]


def test_on_a_phone_all_tabs_are_in_reach_results_come_first_and_settings_open_on_demand(visit):
    page = visit(width=390, height=844)
    for name in ("Generate", "Attention", "Parameters", "Train", "Zero-shot"):
        box = page.locator(
            f"#tabs > .tab-wrapper [role=tablist] button:has-text('{name}')"
        ).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    more = page.locator("#tabs > .tab-wrapper .overflow-menu")
    assert more.count() == 0 or not more.is_visible()
    for name, opener, setting, result in FOLDED:
        page.set_viewport_size({"width": 390, "height": 844})
        tab(page, name)
        expect(page.locator(result).first).to_be_visible()
        settled(page)
        assert page.locator(result).first.bounding_box()["y"] < 700
        expect(page.locator(setting)).to_be_hidden()
        page.click(opener)
        expect(page.locator(setting)).to_be_visible()
        page.set_viewport_size({"width": 1280, "height": 720})
        expect(page.locator(opener)).to_be_hidden()
        expect(page.locator(setting)).to_be_visible()


def test_the_slider_of_time_shows_every_tab_the_model_as_it_was_and_the_sentence_stays(visit):
    page = visit()
    # what is stored may have been written by other kernels, which round otherwise
    page.click("#generate")
    done(page)
    finished = written(page).partition("The same text as before")[0].strip()
    tab(page, "Start")
    settled(page)
    words, guesses = (page.inner_text(f"#start .{part}") for part in ("st-words", "st-bars"))
    tab(page, "Generate")
    open_accordion(page, "#card")
    page.locator("#moment input[type=range]").focus()
    page.keyboard.press("Home")
    expect(page.locator("#uses-generate")).to_have_text("Model on this tab: mini after 0 updates")
    done(page)
    noise = written(page)
    assert noise.startswith(prompt(page)) and noise != finished
    tab(page, "Start")
    expect(page.locator("#start .st-bars")).not_to_have_text(guesses)
    expect(page.locator("#moment-said")).to_have_text("after 0 updates")
    assert page.inner_text("#start .st-words") == words
    tab(page, "Attention")
    expect(page.locator("#uses-attention")).to_have_text("Model on this tab: mini after 0 updates")
    page.locator("#moment input[type=range]").focus()
    page.keyboard.press("End")
    expect(page.locator("#uses-attention")).to_have_text("Model on this tab: mini")
    settled(page)
    tab(page, "Generate")
    assert written(page).strip() == finished
    pick(page, "world")
    expect(page.locator("#moment")).to_be_hidden()


def test_a_page_that_is_opened_asks_once_and_then_draws_nothing(browser, url):
    page = browser.new_page()
    asked = []
    said = []
    page.on(
        "console",
        lambda message: said.append(message.text) if message.type in ("warning", "error") else None,
    )
    page.on(
        "request",
        lambda request: asked.append(request.url) if "/queue/join" in request.url else None,
    )
    page.add_init_script(COUNT_REQUESTS)
    page.goto(url)
    settled(page)
    page.wait_for_function(FEW_FRAMES)
    assert len(asked) == 1 and said == []
    page.close()


def test_a_link_for_a_frame_shows_one_view_and_one_without_a_tab_opens_generate(visit):
    page = visit("?tab=attention&embed=attention&view=Layers")
    expect(page.locator("#lens .ln-table")).to_be_visible()
    for hidden in ("#head", "footer"):
        expect(page.locator(hidden).first).to_be_hidden()
    assert (
        page.evaluate(
            "document.querySelector('#tabs > .tab-wrapper').getBoundingClientRect().height"
        )
        == 0
    )
    here = page.url.partition("?")[0]
    page.goto(f"{here}?temperature=0.2&top_k=7&prompt=The+old+boat&seed=11&top_p=nan&min_p=99")
    expect(page.locator("#prompt textarea")).to_have_value("The old boat")
    for control, value in (("temperature", "0.2"), ("top-k", "7"), ("top-p", "0.95")):
        expect(page.locator(f"#{control} input[type=number]")).to_have_value(value)
    open_accordion(page, "#more")
    # 99 is refused, as the notice says
    expect(page.locator("#min-p input[type=number]")).to_have_value("0")


PREFIX = "/lens"


def shown_under_prefix(page: Page) -> list[str]:
    """Takes the path off all that the page asks for, as a proxy does: what it has asked for outside
    of that path.
    """
    outside = list[str]()

    def passed(route) -> None:
        path = urlsplit(route.request.url).path
        if path.startswith(f"{PREFIX}/"):
            route.continue_(url=route.request.url.replace(f"{PREFIX}/", "/", 1))
        else:
            outside.append(path)
            route.fulfill(status=404)

    page.route("**/*", passed)
    return outside


def test_a_page_under_a_path_that_its_server_does_not_know_says_so(browser, url):
    page = browser.new_page()
    outside = shown_under_prefix(page)
    page.goto(f"{url.rstrip('/')}{PREFIX}/")
    expect(page.get_by_role("alert").first).to_contain_text(
        f"Start the server with --root-path {PREFIX}."
    )
    page.close()
    assert outside


def test_with_the_path_it_asks_for_nothing_outside_of_it(browser):
    with served_page(root_path=PREFIX) as server:
        page = browser.new_page()
        outside = shown_under_prefix(page)
        page.goto(f"{server.rstrip('/').removesuffix(PREFIX)}{PREFIX}/")
        expect(page.locator("#start .st-bar").first).to_be_visible()
        page.get_by_role("tab", name="Generate").click()
        page.fill("#prompt textarea", "The cat")
        page.click("#generate")
        expect(page.locator("#stream .ts-prompt")).to_have_text("The cat")
        assert page.get_by_text("--root-path").count() == 0
        page.close()
        assert not [path for path in outside if path != "/favicon.ico"]


def test_a_field_that_needs_another_one_s_value_is_seen_with_it_alone(visit, page_register):
    limited = [field for field in page_register["fields"] if "only" in field]
    assert {field["name"] for field in limited} >= {
        "train.max_steps",
        "train.epochs",
        "tune.epochs",
    }
    page = visit("?tab=train")
    for field in limited:
        other, value = field["only"]
        place = {"tab": field["tab"], "view": title_of(field["tab"], field["view"])}
        kind = field["name"].split(".")[0]
        place |= {"goal": kind} if kind in CONTINUED else {}
        for more, is_seen in (({}, False), ({other: FIELDS[other].written(value)}, True)):
            assert page.evaluate(GO, urlencode({**place, **more})) == ""
            settled(page)
            page.evaluate(
                "document.querySelectorAll('#train-form .label-wrap:not(.open)').forEach(one "
                "=> one.click())"
            )
            expect(page.locator(f"#{field['element']}")).to_be_visible(visible=is_seen)
