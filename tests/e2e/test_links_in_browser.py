"""A link is what its sender saw: every field and every piece of state of every view, set and opened
by another visitor.

The views, their fields and their pieces are those of the page's register: what is added is tried
without a line here.
"""

import json
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from browser import GO, PIECES, settled
from helpers import other_values
from ui.forms import FIELDS
from ui.shared.fields import Rows
from ui.views import STATE_NAMES, TABS

TEXT = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
# Fields whose values hang on each other, or on what is on this machine.
CHOSEN = {
    "off": "L3H1,L0-mlp",
    "chat_model": "world",
    "chat_plain": "world",
    "asked": "mini",
    "model_b": "assistant",
    "task": "translate",
    "template": "Translate English to French",
    "body": "{english}: {answer}",
    "zs.rungs": ["mini"],
    "zs.players": ["mini"],
    "pair_a": "Tom had a ball. Tom gave his",
    "pair_b": "Tom had a book. Tom gave his",
    "shape_from": "gpt2",
    "shape.n_head": 2,
    "shape.n_embd": 64,
}
# Which another choice of the same view fills in or rules out: each is tried in a link of its own.
APART = {"keep_seed", "zs.prompt", "train.rival", "preset", "goal", "recorded"}
STATE = "async () => (await lensModule('shared/view/link.js')).stateOfView()"
VALUES = """async names => {
  const {valueOf} = await lensModule('shared/view/store.js');
  return names.map(valueOf);
}"""


def place(tab, view) -> dict[str, str]:
    return {"tab": tab.name} | ({"view": view.title} if view else {})


def fields_of_view(register, tab, view) -> list[str]:
    name = view.name if view else ""
    return [
        item["name"] for item in register if item["tab"] == tab.name and item["view"] in ("", name)
    ]


def chosen(name: str) -> object:
    """A value that is not the one the page is sent with."""
    if name in CHOSEN:
        return CHOSEN[name]
    return other_values(FIELDS[name])[-1]


@pytest.fixture(scope="module")
def register(page_register) -> list[dict[str, str]]:
    return page_register["fields"]


def test_every_piece_of_state_that_a_view_declares_has_a_value_here():
    assert set(PIECES) == set(STATE_NAMES)


def link_to(register, tab, view) -> tuple[dict[str, object], dict[str, str], dict[str, str]]:
    """Another value of every field of a view, and a link that sets them: (values, what is set
    besides them, the whole link).
    """
    names = [name for name in fields_of_view(register, tab, view) if name not in APART]
    names = [name for name in names if not isinstance(FIELDS[name], Rows)]
    values = {name: chosen(name) for name in names}
    query = {name: FIELDS[name].written(value) for name, value in values.items()}
    is_of_sentence = (view or tab).shows_sentence
    shared = {"text": TEXT, "layer": "3", "head": "1", "token": "5"} if is_of_sentence else {}
    told = {**{name: PIECES[name] for name in (view or tab).state}, **shared, **place(tab, view)}
    return values, told, {**query, **told}


def check_state(page, values: dict[str, object], told: dict[str, str]) -> None:
    held = dict(zip(values, page.evaluate(VALUES, list(values)), strict=True))
    assert {name: value for name, value in held.items() if value != values[name]} == {}
    state = page.evaluate(STATE)
    assert {name: state.get(name) for name in told} == {**told, **numbers(told)}


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.name)
def test_a_load_of_a_link_sets_all_that_a_view_holds_and_says_it_again(visit, register, tab):
    """Of each tab the view that holds most; the others are gone to without a load, below."""
    links = [link_to(register, tab, view) for view in tab.views or (None,)]
    values, told, link = max(links, key=lambda found: len(found[2]))
    page = visit("?" + urlencode(link))
    settled(page)
    expect(page.locator(".toast-body")).to_have_count(0)
    check_state(page, values, told)


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.name)
def test_a_page_goes_to_a_link_without_a_load_and_back_to_the_defaults(visit, register, tab):
    page = visit("?tab=parameters" if tab.name == "start" else "?tab=start")
    page.evaluate("window.isSamePage = true")
    for view in tab.views or (None,):
        values, told, link = link_to(register, tab, view)
        assert page.evaluate(GO, urlencode(link)) == ""
        settled(page)
        check_state(page, values, told)
        assert page.evaluate(GO, urlencode({**place(tab, view), "model": "mini"})) == ""
        settled(page)
        state = page.evaluate(STATE)
        set_by_link = {**{name: link[name] for name in values}, **told}
        names = [*values, *(view or tab).state]
        left = {name for name in names if str(state.get(name)) == set_by_link[name]}
        assert left <= ({"cell"} if "token" in state else set())  # of the row of a chosen token
    assert page.evaluate("window.isSamePage")


def numbers(told: dict[str, str]) -> dict[str, int]:
    """Layer, head and token are numbers on the page."""
    return {name: int(told[name]) for name in ("layer", "head", "token") if name in told}


# What of the page can be seen, frame by frame: components with a content that says of none that it
# may be out of date.
RECORD = """
window.frames_ = [];
const SAID = '.conclusion, .bd-total, .at-name, .st-bar, .dv-token, .ts-prompt, .tk-row b, .sh-section h3, .zs-prompt';
const record = () => {
  const seen = [];
  for (const node of document.querySelectorAll('.lens-component')) {
    if (!node.getClientRects().length || node.matches('[data-withheld], [data-stale], [aria-busy]')) continue;
    if (node.closest('[data-withheld], [data-stale]')) continue;
    const said = [...node.querySelectorAll(SAID)];
    const text = said.filter(one => one.getClientRects().length).map(one => one.textContent.trim()).join('|');
    if (node.id && text.replaceAll('|', '')) seen.push([node.id, text]);
  }
  window.frames_.push(Object.fromEntries(seen));
  requestAnimationFrame(record);
};
requestAnimationFrame(record);
"""
OPENED = [
    "?tab=start&text=" + TEXT.replace(" ", "+"),
    "?tab=start&model=world&text=The+capital+of",
    "?tab=start&without=L5H6",
    "?tab=start&start_temperature=1.80&start_top_k=3&text=" + TEXT.replace(" ", "+"),
    "?tab=generate&view=Write&prompt=The+old+boat&temperature=0.3",
    "?tab=attention&view=Heads&layer=3&head=1&draws=lines&text=" + TEXT.replace(" ", "+"),
    "?tab=attention&view=Why+this+word%3F&text=" + TEXT.replace(" ", "+"),
    "?tab=parameters&view=Count&shape_from=gpt2&shape.n_layer=24",
    "?tab=parameters&view=Reference&model=world",
    "?tab=zero-shot&view=Answer&task=translate&field_0=the+red+cat",
    "?tab=attention&view=Heads&off=L5H6&text=" + TEXT.replace(" ", "+"),
]


# A view with pages of which one is seen, on a processor of a sixth of the speed: the frame between
# its elements and its script is long.
SLOWLY = "?tab=parameters&view=Reference&reference_page=numbers"


@pytest.mark.parametrize("query", [*OPENED, SLOWLY])
def test_a_page_that_is_opened_by_a_link_shows_nothing_but_what_the_link_says(unheard, url, query):
    """From the first frame on: no other view, and no answer that is not the one that stands there
    in the end.
    """
    page = unheard
    if query == SLOWLY:
        device = page.context.new_cdp_session(page)
        device.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    page.add_init_script(RECORD)
    page.goto(url + query)
    page.wait_for_function("() => document.querySelector('#tabs [role=tab]')")
    page.wait_for_function(
        """() => {
          const last = window.frames_.slice(-40);
          const same = last.length === 40 && last.every(one => JSON.stringify(one) === JSON.stringify(last[0]));
          return same && Object.keys(last[0]).length > 0 && !document.querySelector('[aria-busy=true]');
        }"""
    )
    frames = page.evaluate("window.frames_")
    end = frames[-1]
    wanted = re.search(r"tab=([\w-]+)", query)[1]
    others = {name for frame in frames for name in frame if name not in end}
    assert others == set(), f"{wanted}: {others}"
    wrong = [
        (name, text)
        for frame in frames
        for name, text in frame.items()
        if not settles(text, end[name])
    ]
    assert wrong == [], json.dumps([wrong[0], end[wrong[0][0]]]) if wrong else ""


def settles(text: str, end: str) -> bool:
    """Whether a part of the answer was there before the whole: some of its pieces, or the beginning
    of one.
    """
    pieces = end.split("|")
    return all(any(whole.startswith(piece) for whole in pieces) for piece in text.split("|"))
