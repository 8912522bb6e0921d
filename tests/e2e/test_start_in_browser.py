"""The first screen: a sentence to play with, the machine at work on it, and questions."""

import re

from playwright.sync_api import expect

from browser import settled
from ui.views import QUESTIONS

WORDS = "#start .st-word"
RED = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"


def test_a_word_is_changed_and_the_story_goes_on_from_it(visit):
    page = visit("")
    before = page.inner_text("#start .st-words")
    page.locator(WORDS).nth(3).click(force=True)  # the field lies over the words
    other = page.locator("#start .st-other").first
    chosen = other.evaluate("node => node.firstChild.textContent")
    other.click()
    expect(page.locator(WORDS)).to_have_count(4 + 12)
    assert page.locator(WORDS).nth(3).inner_text().strip() == chosen.strip()
    expect(page.locator("#start .st-play")).to_have_text("Let it write")
    page.click("#start [data-do=again]")
    expect(page.locator("#start .st-words")).to_have_text(before.strip())
    settled(page)  # nor does the changed sentence come back
    expect(page.locator("#start .st-words")).to_have_text(before.strip())
    field = page.get_by_label("Your sentence")  # other words are offered at the cursor, too
    field.press("Home")
    for _ in range(len("Once there was")):
        page.keyboard.press("ArrowRight")
    expect(page.locator(f"{WORDS}.from")).to_have_text(" was")
    page.keyboard.press("Alt+ArrowDown")
    others = page.locator("#start .st-others button")
    expect(others.first).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_be_focused()
    expect(others).to_have_count(0)
    page.keyboard.type(" once")
    expect(page.locator(WORDS).nth(3)).to_have_text(" once")
    assert field.input_value().startswith("Once there was once a queen")


def test_it_writes_by_itself_until_it_is_stopped_or_something_is_typed(visit):
    page = visit("")
    count = page.locator(WORDS).count()
    page.keyboard.press("n")
    expect(page.locator(WORDS)).to_have_count(count + 1)
    page.keyboard.press("g")
    expect(page.locator("#start .st-play")).to_have_text("Pause")
    expect(page.locator(WORDS).nth(count + 1)).to_be_visible()
    page.keyboard.press("s")
    expect(page.locator("#start .st-play")).to_have_text("Let it write")
    settled(page)
    count = page.locator(WORDS).count()
    page.click("#start .st-play")
    # by itself, after twelve words
    expect(page.locator("#start .st-play")).to_have_text("Let it write")
    expect(page.locator(WORDS)).to_have_count(count + 12)
    page.click("#start .st-play")
    expect(page.locator(WORDS).nth(count + 12)).to_be_visible()
    field = page.locator("#start .st-text")
    field.click()
    page.keyboard.press("ControlOrMeta+a")
    field.press_sequentially("The dog saw a cat", delay=60)
    settled(page)
    # what is written meanwhile does not take its place
    expect(field).to_have_value("The dog saw a cat")
    expect(page.locator("#start .st-play")).to_have_text("Let it write")
    expect(page.locator(WORDS)).to_have_count(5)


def test_one_sentence_and_one_chosen_head_are_everywhere(visit):
    page = visit("")
    sentence = page.get_by_label("Your sentence")
    sentence.fill(RED)
    expect(page.locator("#start .st-bar .st-name").first).to_have_text("ball")
    expect(page.locator("#start .st-conclusion")).to_contain_text("The last block decides: “ball”")
    page.get_by_role("tab", name="Attention").click()
    expect(page.locator("#attention-text textarea")).to_have_value(RED)
    expect(page.locator("#attention .at-body")).to_contain_text("head")
    page.locator("#attention-text textarea").fill("The old king had a")
    page.get_by_role("tab", name="Generate").click()
    expect(page.locator("#prompt textarea")).to_have_value("The old king had a")
    page.get_by_role("tab", name="Start").click()
    expect(sentence).to_have_value("The old king had a")
    expect(page.locator(WORDS).last).to_have_text(" a")
    settled(page)
    page.reload()
    expect(sentence).to_have_value("The old king had a")
    sentence.fill(RED)
    expect(page.locator("#start .st-bar .st-name").first).to_have_text("ball")
    page.locator("[data-part=attention-5]").focus()
    expect(page.locator("#start .mc-said")).to_contain_text(
        "Attention of layer 5: 7 heads look back"
    )
    for _ in range(2):  # off and on; the head is chosen
        page.locator("[data-part=head-5]").press("Delete")
        settled(page)
    page.get_by_role("tab", name="Attention").click()
    grid = page.locator("#attention [aria-label*='is chosen']").first
    expect(grid).to_have_attribute("aria-label", re.compile(r"Layer 5 · head \d"))
    grid.press("ArrowLeft")
    chosen = re.search(r"head (\d)", grid.get_attribute("aria-label"))[1]
    page.get_by_role("tab", name="Start").click()
    page.locator("[data-part=attention-5]").hover()
    expect(page.locator("#start .mc-said")).to_contain_text(f"Head {chosen} look")


def test_the_token_that_is_chosen_is_chosen_in_every_view_and_in_the_link(visit):
    page = visit("")
    page.locator("#start .mc-box svg [data-part=token-6]").click()
    page.click(".lens-more summary")
    page.get_by_role("button", name="Copy a link to this view").click()
    expect(page.locator(".lens-more-said")).to_contain_text("address bar")
    assert "token=6" in page.url and "tab=start" in page.url
    page.get_by_role("tab", name="Attention").click()
    page.click("#attention-views button[role=tab]:has-text('Layers')")
    expect(page.locator("#lens td.chosen")).to_have_attribute("data-at", "6,6")
    page.reload(wait_until="commit")
    page.get_by_role(
        "tab", name="Start"
    ).click()  # the page, still opening, is about to go to the link's tab
    expect(page.locator("#start .mc-name.now")).to_have_text("lived")
    expect(page.locator("#start .mc-name.now")).to_be_visible()


def test_a_model_of_letters_guesses_letters_and_says_which_it_lacks(visit):
    page = visit("?model=shakespeare-char&tab=start")
    expect(page.locator("#start .st-said")).to_contain_text("36 attention heads")
    name = page.locator("#start .st-bar .st-name").first.inner_text()
    assert len(name.strip()) <= 1 or name in ("␣", "⏎")
    guesses = page.inner_text("#start .st-bars")
    page.get_by_label("Your sentence").fill("Où est-il?")
    expect(page.locator("#start .st-said")).to_contain_text("ù")
    # the last is the sign of the next letter
    expect(page.locator("#start .st-words")).to_have_text("Où est-il? ?")
    assert page.inner_text("#start .st-bars") == guesses
    page.click("#start [data-do=next]")  # nor do guesses about the text before take its place
    settled(page)
    expect(page.locator("#start .st-text")).to_have_value("Où est-il?")
    expect(page.locator("#start .st-said")).to_contain_text("ù")


def test_the_end_of_gradios_loading_screen_ends_no_frame_of_others(visit):
    page = visit("")
    apart = page.context.new_cdp_session(page)
    count = "document.documentElement?.setAttribute('n', n++)"
    counting = f"let n = 0; (function next() {{{count}; requestAnimationFrame(next)}})()"
    apart.send("Page.enable")
    apart.send(
        "Page.addScriptToEvaluateOnNewDocument", {"source": counting, "worldName": "an extension"}
    )
    page.reload()
    expect(page.locator("#start .st-bar").first).to_be_visible()
    settled(page)
    count = int(page.locator("html").get_attribute("n"))
    page.wait_for_function(f"Number(document.documentElement.getAttribute('n')) > {count}")


def test_on_a_phone_field_and_words_break_alike_and_a_part_of_the_upright_picture_opens_its_view(
    visit,
):
    page = visit("", width=390, height=844)
    german = "Es war ein Bär und ein Fuß.  Two spaces, unbelievable-long-words"
    for text in (german, "a\nb\n\n", "x" * 120, "日本 🎉 ok"):
        page.get_by_label("Your sentence").fill(text)
        settled(page)
        fits = page.locator("#start .st-text").evaluate(
            "node => [node.scrollHeight, node.clientHeight]"
        )
        assert fits[0] <= fits[1] + 1, (text, fits)
    page.get_by_label("Your sentence").fill(RED)
    expect(page.locator("#start .mc-box svg.upright [data-part^=guess-]")).to_have_count(6)
    page.locator("[data-part=norm]").click()
    expect(page.locator("#attention-text textarea")).to_have_value(RED)
    expect(page.locator("#lens .ln-table thead th").last).to_have_text("␣blue")


def chances(page) -> list[float]:
    """What the bars show, in percent."""
    shown = page.locator("#start .st-bar .st-p").all_inner_texts()
    return [float(re.sub("[^0-9.]", "", text.partition("→")[2] or text) or 0) for text in shown]


def test_a_head_switched_off_in_the_picture_takes_the_castle_away(visit):
    page = visit("")
    settled(page)
    before = chances(page)
    expect(page.locator("#start .st-bar .st-name").first).to_have_text("castle")
    head = page.locator("#start [data-part=head-5]")
    head.focus()
    expect(page.locator("#start .mc-said")).to_have_text(
        re.compile("Layer 5, head 6 looks mostly at “queen”")
    )
    page.keyboard.press("Delete")
    said = page.locator("#start .st-conclusion")
    expect(said).to_contain_text("Without layer 5, head 6, “castle” falls from 5")
    expect(said).to_contain_text("“house” takes first place")
    expect(page.locator("#start [data-part=head-5]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#start [data-part=head-5]")).to_be_focused()
    after = chances(page)
    assert after[0] < before[0] and "→" in page.locator("#start .st-bar .st-p").first.inner_text()
    page.wait_for_function("() => location.search.includes('without=L5H6')")
    page.locator("#start [data-part=mlp-0]").click()
    expect(said).to_contain_text("Without L5H6 and layer 0’s MLP")
    page.click("#start [data-do=whole]")
    expect(said).to_contain_text("The last block decides: “castle”")
    assert chances(page) == before
    expect(page.locator("#start [data-do=whole]")).to_be_hidden()


def test_every_question_shows_what_answers_it(visit):
    """Each is asked on the page's first sentence, as a visitor would who has written none."""
    page = visit("")
    for question in QUESTIONS:
        page.evaluate("async () => (await lensModule('shared/view/store.js')).setSentence('')")
        page.get_by_role("tab", name="Start", exact=True).click()
        page.get_by_label("Search the questions").fill(question.text)
        page.locator("#start .st-question", has_text=question.text).first.click()
        expect(page.locator(question.sees).locator("visible=true").first).to_be_visible()
        if question.head is not None:
            expect(page.locator("#attention .at-name")).to_have_text(
                "Layer {} · head {}".format(*question.head)
            )


def test_control_z_takes_back_a_phrase_or_a_guess_in_one_step(visit):
    page = visit("")
    field = page.get_by_label("Your sentence")
    first = field.input_value()
    field.press("End")
    page.keyboard.insert_text(" house by the")  # at once: on a slow machine keys would be phrases
    expect(page.locator(WORDS).last).to_have_text(" the")
    settled(page)
    page.locator("#start .st-bar").first.click()
    expect(page.locator(WORDS).last).not_to_have_text(" the")
    field.focus()
    page.keyboard.press("ControlOrMeta+z")
    expect(field).to_have_value(f"{first} house by the")
    page.keyboard.press("ControlOrMeta+z")
    expect(field).to_have_value(first)
