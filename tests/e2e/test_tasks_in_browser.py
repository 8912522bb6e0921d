"""What a newcomer wants in the first minutes, by mouse: each takes three clicks at most."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from browser import settled

MOST = 3  # clicks


class Mouse:
    """A visitor who clicks, moves handles and types; clicks are counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, target: Locator) -> None:
        target.first.click()
        self.clicks += 1

    def tab(self, name: str) -> None:
        self.click(
            self.page.locator("#tabs > .tab-wrapper").get_by_role("tab", name=name, exact=True)
        )

    def view(self, name: str) -> None:
        self.click(self.page.locator("#tabs > .tabitem").get_by_role("tab", name=name, exact=True))

    def button(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True).locator("visible=true"))


def next_word_and_why(mouse: Mouse) -> None:
    expect(mouse.page.locator("#start .st-bar .st-name").first).to_have_text("castle")
    mouse.button("Why this word?")
    expect(mouse.page.locator("#why .conclusion").first).to_contain_text(
        "“castle” rather than “house”"
    )


def which_head_copies(mouse: Mouse) -> None:
    mouse.page.get_by_label("Search the questions").fill("copy")
    mouse.click(mouse.page.locator("#start .st-question", has_text="Which heads copy"))
    expect(mouse.page.locator("#attention .at-body")).to_contain_text("L5H4")
    expect(mouse.page.locator("#attention .at-name")).to_have_text("Layer 5 · head 4")


def wilder_then_the_same_again(mouse: Mouse) -> None:
    page = mouse.page
    page.get_by_label("Temperature").first.fill("1.8")
    mouse.button("Let it write")
    expect(page.locator("#start [data-do=same]")).to_be_visible()
    written = page.inner_text("#start .st-words")
    mouse.button("Same again")
    expect(page.locator("#start [data-do=same]")).to_be_hidden()
    expect(page.locator("#start [data-do=same]")).to_be_visible()
    assert page.inner_text("#start .st-words") == written


def how_many_parameters_has_gpt2_small(mouse: Mouse) -> None:
    mouse.tab("Parameters")
    mouse.click(mouse.page.get_by_label("Start from"))
    mouse.click(mouse.page.get_by_role("option", name="gpt2", exact=True))
    expect(mouse.page.locator("#breakdown .bd-total")).to_contain_text("124,439,808")


def train_for_half_a_minute(mouse: Mouse) -> None:
    mouse.tab("Train")
    mouse.button("Start")
    expect(mouse.page.locator("#train")).to_contain_text(re.compile("update|Starting|queue"))
    expect(mouse.page.locator("#train .tr-title")).not_to_contain_text("Recorded example")


def train_on_my_own_text(mouse: Mouse) -> None:
    mouse.page.get_by_label("Search the questions").fill("my own text")
    mouse.click(mouse.page.locator("#start .st-question", has_text="Can I train it further"))
    expect(mouse.page.locator("#tune-start")).to_be_visible()


def judge_my_review(mouse: Mouse) -> None:
    mouse.tab("Zero-shot")
    mouse.page.locator("#zs-field-0 textarea").fill("I hated this film.")
    mouse.button("Answer")
    expect(mouse.page.locator("#zs-view")).to_contain_text("negative")


def switch_a_head_off(mouse: Mouse) -> None:
    mouse.click(mouse.page.locator("#start [data-part=head-5] .mc-reach"))
    expect(mouse.page.locator("#start .st-conclusion")).to_contain_text("Without layer 5, head 6")


def chat(mouse: Mouse) -> None:
    mouse.tab("Generate")
    mouse.view("Chat")
    field = mouse.page.locator("#chat textarea").first
    field.fill("Hello! How are you?")
    field.press("Enter")
    expect(mouse.page.locator("#chat")).to_contain_text("just continues your text")


def share_a_link(mouse: Mouse) -> None:
    mouse.click(mouse.page.locator(".lens-more > summary"))
    mouse.button("Copy a link to this view")
    expect(mouse.page.locator(".lens-more-said")).to_contain_text(re.compile("opied|address bar"))


# In an order in which none changes what the next one begins with.
TASKS: list[Callable[[Mouse], None]] = [
    next_word_and_why,
    how_many_parameters_has_gpt2_small,
    judge_my_review,
    chat,
    share_a_link,
    switch_a_head_off,
    which_head_copies,
    wilder_then_the_same_again,
    train_for_half_a_minute,
    train_on_my_own_text,
]


def test_a_newcomer_gets_there_in_three_clicks(visit):
    page = visit("?tab=start", keys=False)
    clicks = {}
    for task in TASKS:
        page.get_by_role("tab", name="Start", exact=True).click()
        settled(page)
        mouse = Mouse(page)
        task(mouse)
        clicks[task.__name__] = mouse.clicks
    assert max(clicks.values()) <= MOST, clicks
