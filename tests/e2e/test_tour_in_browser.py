"""The guided tour, a teacher's own, and a talk whose server is killed amid it."""

import re
import socket
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from browser import COUNT_REQUESTS, settled
from serving import command, served
from ui.server.talks import parse_talk, without_notes
from ui.state.broadcasts import SpokenTalk

TALKS = Path(__file__).resolve().parents[2] / "ui" / "rooms" / "hall" / "talks"
N_STEPS = (TALKS / "tour.txt").read_text(encoding="utf-8").count("?tab=")
N_SHORT = 5
N_OF_WORD = 10
DRAWN = """() => {
  const node = document.querySelector('.tour-target');
  return Boolean(node?.textContent.trim() || node?.matches('canvas, svg') || node?.querySelector('canvas, svg, input'));
}"""
OWN = """# Two things

?tab=attention
@ #attention .at-map
Where a head looks.

?tab=generate&prompt=The+old+boat&temperature=0.3&temperature=9&asked=
@ #[
Low temperature plays safe.
"""


# How much of what a step points at is seen beside the bar, of as much as could be.
SEEN = """() => {
  const {top, bottom, height} = document.querySelector('.tour-target').getBoundingClientRect();
  const free = document.querySelector('#tour').getBoundingClientRect().top;
  return Math.max(0, Math.min(bottom, free) - Math.max(top, 0)) / Math.min(height, free) > 0.9;
}"""


def stands(page, step: int, n: int, what: str = "") -> None:
    """The tour is at this step of so many, and what it speaks of is framed."""
    expect(page.locator("#tour .tour-count")).to_have_text(f"{step} of {n}")
    expect(page.locator(f"{what}.tour-target")).to_be_visible()  # and is the only one


def test_every_step_frames_something_that_is_drawn(visit):
    page = visit("", 390, 844)
    page.emulate_media(reduced_motion="reduce")
    page.click(".lens-more summary")
    page.get_by_role("button", name="Show me around").click()
    for step in range(1, N_SHORT + 1):
        stands(page, step, N_SHORT)
        if step < N_SHORT:
            expect(page.locator("#tour .tour-all")).to_be_hidden()
            page.keyboard.press("PageDown")
    page.get_by_role("button", name=f"All {N_STEPS} steps").click()
    for step in range(1, N_STEPS + 1):
        stands(page, step, N_STEPS)
        page.wait_for_function(DRAWN)  # a tab that opens for the first time loads its script
        page.wait_for_function(SEEN)
        page.keyboard.press("PageDown" if step % 2 else "Space")
    expect(page.locator("#tour")).to_have_count(0)
    expect(page.locator("#start .st-play")).to_be_visible()  # on a live page


def test_the_tour_of_one_word_shows_every_cause_with_its_check(visit):
    page = visit("")
    page.emulate_media(reduced_motion="reduce")
    page.get_by_label("Your sentence").fill("A sentence of my own")
    page.click(".lens-more summary")
    page.get_by_role("button", name="Follow one word").click()
    for step in range(1, N_OF_WORD + 1):
        stands(page, step, N_OF_WORD)
        page.wait_for_function(DRAWN)
        expect(page.locator("#tour .tour-say")).not_to_contain_text("not shown here")
        if step == 1:
            expect(page.locator("#start .st-bar").first).to_contain_text("hat")
        page.keyboard.press("PageDown")
    expect(page.locator("#tour")).to_have_count(0)


def test_the_tour_goes_back_jumps_survives_a_reload_and_is_left(visit):
    page = visit("")
    page.keyboard.press("t")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    expect(page.locator("#tour .tour-count")).to_have_text(f"1 of {N_SHORT}")
    page.locator("#tour .tour-at").fill("3")
    stands(page, 4, N_SHORT, "#attention .at-map")
    settled(page)
    page.reload()
    stands(page, 4, N_SHORT, "#attention .at-map")
    settled(page)
    page.keyboard.press("Escape")
    expect(page.locator("#tour")).to_have_count(0)
    expect(page.locator(".tour-target")).to_have_count(0)


def with_own_tour(visit, file, text: str):
    """A page that has opened a teacher's file."""
    file.write_text(text, encoding="utf-8")
    page = visit("")
    page.keyboard.press("t")
    page.set_input_files("#tour .tour-file", file)
    return page


def test_a_scene_that_is_jumped_to_presses_what_it_presses_and_not_again(visit, tmp_path):
    writes = (
        "?tab=generate&view=Write&prompt=The+cat&max_new_tokens=5&start=1\n@ #stream\nIt writes."
    )
    page = with_own_tour(
        visit,
        tmp_path / "tour.txt",
        f"# Jump\n\n?tab=start\nOne.\n\n?tab=train\nTwo.\n\n{writes}\n",
    )
    expect(page.locator("#tour .tour-count")).to_have_text("1 of 3")
    page.locator("#tour .tour-at").fill("2")
    expect(page.locator("#stream .ts-prompt")).to_have_text("The cat")
    settled(page)
    text = page.locator("#stream .ts-text").inner_text()
    page.keyboard.press("PageUp")
    expect(page.locator("#tour .tour-count")).to_have_text("2 of 3")
    page.keyboard.press("PageDown")
    expect(page.locator("#stream.tour-target")).to_be_visible()
    settled(page)
    assert page.locator("#stream .ts-text").inner_text() == text


def test_a_teacher_s_own_tour_is_a_text_file_or_a_link(visit, tmp_path):
    file = tmp_path / "tour.txt"
    page = with_own_tour(visit, file, "nothing but words")
    said = page.locator("#tour .tour-say")
    expect(said).to_contain_text("has no steps")
    file.write_text(OWN, encoding="utf-8")
    page.set_input_files("#tour .tour-file", file)
    expect(page.locator("#tour .tour-title")).to_have_text("Two things")
    expect(page.locator("#attention .at-map.tour-target")).to_be_visible()
    page.click("#tour .tour-next")
    expect(page.locator("#tour .tour-say")).to_contain_text(
        "Low temperature plays safe. (This step asks for “@ #[”"
    )
    expect(page.locator("#prompt textarea")).to_have_value("The old boat")
    # the link's 9 is refused
    expect(page.locator("#temperature input[type=number]")).to_have_value("0.8")
    settled(page)
    own = "encodeURIComponent(JSON.parse(sessionStorage['gptlens-tour']).own)"
    link = page.evaluate(f"location.origin + '/#tour=' + {own}")
    page.click("#tour .tour-leave")
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#tour .tour-title")).to_have_text("Two things")
    expect(page.locator("#attention .at-map.tour-target")).to_be_visible()
    settled(page)


def test_a_link_with_a_slip_opens_and_says_what_it_could_not_set(visit):
    page = visit("?tab=train&preset=Quick&tempature=1&utm_source=x")
    toast = page.locator(".toast-body")
    expect(toast).to_contain_text(
        "The link's preset: The preset is 'Quick'; choose 30 seconds, letters"
    )
    expect(toast).to_contain_text(
        "'tempature', which this page does not know; did you mean 'temperature'"
    )
    expect(toast).not_to_contain_text("utm")
    settled(page)


TALK = """# Two scenes

?tab=attention&view=Heads
@ #attention .at-map
Each head looks back.

?tab=generate&view=Write&prompt=The+old+boat
@ #stream
It writes.
"""


def test_a_killed_server_leaves_the_scene_and_the_next_one_comes_once_it_is_back(browser, tmp_path):
    file = tmp_path / "talk.txt"
    file.write_text(TALK, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    flags = ["--port", str(port), "--talk", str(file)]
    page = browser.new_context().new_page()
    page.add_init_script(COUNT_REQUESTS)
    with command(tmp_path, flags=flags) as first:
        page.goto(f"{first.address}#talk")
        expect(page.locator("#attention .at-map.tour-target")).to_be_visible()
        settled(page)
        with page.expect_popup() as opened:
            page.click("#tour .tour-speaker")
        speaker = opened.value
        expect(speaker.locator(".count")).to_have_text("1 of 2")
        first.process.kill()
        expect(page.locator(".lens-away")).to_be_visible()
        expect(speaker.locator(".away")).to_be_visible()
        page.keyboard.press("PageDown")  # this scene sets a text, which needs a load of the page
        expect(page.locator("#tour .tour-count")).to_have_text("2 of 2")
        expect(page.locator("#attention .at-map")).to_be_visible()
    with command(tmp_path, flags=flags):
        expect(page.locator("#prompt textarea")).to_have_value("The old boat")
        expect(page.locator("#stream.tour-target")).to_be_visible()
        expect(page.locator(".lens-away")).to_have_count(0)
        expect(speaker.locator(".count")).to_have_text("2 of 2")
        expect(speaker.locator(".away")).to_be_hidden()
    page.context.close()


NOTED = TALK.replace(
    "Each head looks back.", "Each head looks back.\n> Ask who has seen this before."
)


def test_the_notes_are_in_the_speakers_window_and_in_no_other_page(browser):
    notes = tuple(scene.notes for scene in parse_talk(NOTED).scenes)
    spoken = SpokenTalk(without_notes(NOTED), notes, "key-of-the-talk")
    with served("talk", talk=spoken) as (address, _):
        for key, shown in (("key-of-the-talk", notes[0]), ("another-key", "")):
            context = browser.new_context()
            page = context.new_page()
            page.add_init_script(COUNT_REQUESTS)
            with page.expect_response(
                lambda answer: answer.url.rstrip("/") == address.rstrip("/")
            ) as sent:
                page.goto(f"{address}#talk={key}")
            expect(page.locator("#tour .tour-count")).to_have_text("1 of 2")
            settled(page)
            assert notes[0] not in sent.value.text()
            assert "key-of-the-talk" not in page.url  # it is not read over the speaker's shoulder
            with page.expect_popup() as opened:
                page.click("#tour .tour-speaker")
            expect(opened.value.locator(".said")).to_have_text("Each head looks back.")
            expect(opened.value.locator(".notes")).to_have_text(shown)
            page.reload()
            settled(page)
            expect(opened.value.locator(".notes")).to_have_text(shown)
            context.close()


def test_another_page_cannot_act_in_a_session_whose_name_it_knows(browser, url):
    page = browser.new_context().new_page()
    page.add_init_script(COUNT_REQUESTS)
    with page.expect_request(re.compile("session_hash=")) as asked:
        page.goto(url)
    (session,) = parse_qs(urlsplit(asked.value.url).query)["session_hash"]
    settled(page)
    other = browser.new_context()
    assert other.request.get(url).ok  # a page of its own, with its cookie
    answered = other.request.get(f"{url}gradio_api/queue/data?session_hash={session}")
    assert answered.status == 403
    for context in (page.context, other):
        context.close()
