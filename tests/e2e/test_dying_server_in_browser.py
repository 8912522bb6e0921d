"""A talk whose server is killed amid it, and started again: the hall sees the scene, and then the next one."""

import socket

from playwright.sync_api import expect

from browser import COUNT_REQUESTS, settled
from serving import command

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
    file.write_text(TALK)
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
