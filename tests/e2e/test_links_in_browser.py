"""A link is what its sender saw: every field and every piece of state of every view, set and opened
by another visitor.

The views, their fields and their pieces are those of the page's register: what is added is tried
without a line here.
"""

import json
import re
from urllib.parse import quote_plus, urlencode

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
    shared = {"text": TEXT, "layer": "3", "head": "0", "token": "5"} if is_of_sentence else {}
    told = {**{name: PIECES[name] for name in (view or tab).state}, **shared, **place(tab, view)}
    return values, told, {**query, **told}


def check_state(page, values: dict[str, object], told: dict[str, str]) -> None:
    held = dict(zip(values, page.evaluate(VALUES, list(values)), strict=True))
    assert {name: value for name, value in held.items() if value != values[name]} == {}
    state = page.evaluate(STATE)
    assert {name: state.get(name) for name in told} == {**told, **numbers(told)}


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.name)
def test_a_link_sets_all_that_a_view_holds_and_says_it_again(visit, register, tab):
    """Of each tab the view that holds most is opened by a load, the others without one; then each
    goes back to its defaults.
    """
    links = {view: link_to(register, tab, view) for view in tab.views or (None,)}
    fullest, (values, told, link) = max(links.items(), key=lambda found: len(found[1][2]))
    page = visit("?" + urlencode(link))
    expect(page.locator(".toast-body")).to_have_count(0)
    check_state(page, values, told)
    page.evaluate("window.isSamePage = true")
    for view, (values, told, link) in links.items():
        if view is not fullest:
            assert page.evaluate(GO, urlencode(link)) == ""
            settled(page)
            check_state(page, values, told)
            check_defaults(page, tab, view, values, told, link)
    check_defaults(page, tab, fullest, *links[fullest])
    assert page.evaluate("window.isSamePage")


def check_defaults(page, tab, view, values, told, link) -> None:
    """A link that names the view alone leaves nothing of one that sets everything."""
    assert page.evaluate(GO, urlencode({**place(tab, view), "model": "mini"})) == ""
    settled(page)
    state = page.evaluate(STATE)
    set_by_link = {**{name: link[name] for name in values}, **told}
    names = [*values, *(view or tab).state]
    left = {name for name in names if str(state.get(name)) == set_by_link[name]}
    assert left <= ({"cell"} if "token" in state else set())  # of the row of a chosen token


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
_SHOWN = f"text={quote_plus(TEXT)}"
OPENED = [
    "?tab=start&model=world&text=The+capital+of",
    f"?tab=start&without=L5H6&start_temperature=1.80&start_top_k=3&{_SHOWN}",
    "?tab=generate&view=Write&prompt=The+old+boat&temperature=0.3",
    f"?tab=attention&view=Heads&layer=3&head=1&draws=lines&off=L5H6&{_SHOWN}",
    f"?tab=attention&view=Why+this+word%3F&{_SHOWN}",
    "?tab=parameters&view=Count&shape_from=gpt2&shape.n_layer=24",
    "?tab=zero-shot&view=Answer&task=translate&field_0=the+red+cat",
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
