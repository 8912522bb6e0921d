"""What visitors do with the page as a whole: with its keys, menus, links, talks and rooms.

Each is played on the stage, and what comes of every step is kept in `tests/recorded/page`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from page_answers import load
from playwright.sync_api import Page

from stage.whole import Act, WholePage

TEXT = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
_KEYS = "sessionStorage['gptlens-look'] = '{\"keys\": true}'"
_OWN_TALK = """# Two things

?tab=attention&view=Heads&text=Tom+saw+a+dog&layer=2&head=1
@ #attention .at-name
Where a head looks.
> Wait for the room.

?tab=generate&prompt=The+old+boat&temperature=0.3&hide=%23distribution&press=%23generate
@ #distribution
Guess what comes next.

?tab=train&model=world&start=1
@ #nowhere
What is not there.

?tab=start&token=2&once=.st-search&see=%23start
@ #start .st-bars
The end.
"""


class Opens(Protocol):
    """Opens the page on the stage, as `WholePage` does."""

    def __call__(
        self, query: str = "", scripted: Mapping[str, Any] | None = None, **facts: Any
    ) -> WholePage: ...


def press(key: str) -> Act:
    return lambda page: page.keyboard.press(key)


def click(selector: str, text: str = "") -> Act:
    """On the first that can be seen, and holds the text."""
    return lambda page: (
        page.locator(selector, has_text=text).locator("visible=true").first.dispatch_event("click")
    )


def write(selector: str, text: str) -> Act:
    """As a hand: at the end of what a field holds."""

    def act(page: Page) -> None:
        page.locator(selector).locator("visible=true").first.focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(text)

    return act


def tab(name: str) -> Act:
    return click("[role=tab]", name)


def menu(entry: str) -> Act:
    return lambda page: page.locator("#head .lens-menu button", has_text=entry).dispatch_event(
        "click"
    )


def acts(page: WholePage) -> None:
    """A key of a hand: from now on the page keeps where it was."""
    page.step("a hand acts", press("Shift"))


def keys(opens: Opens) -> str:
    page = opens()
    page.step("a key acts nowhere yet", press("d"))
    page.step("on a figure it does", "document.querySelector('#start svg').tabIndex = 0")
    page.step("focus on it", "document.querySelector('#start svg').focus()")
    page.step("on a figure", press("d"))
    page.step("leaves it", "document.activeElement.blur()")
    page.step("help", press("?"))
    page.step("everywhere", click("#key-list button", "Let keys work everywhere"))
    page.step("closes", press("Escape"))
    for name in ("Start", "Generate", "Attention", "Train", "Zero-shot"):
        page.step(name, tab(name))
        for key in "gnswq":
            page.step(f"{name}, {key}", press(key))
            page.step("back", tab(name))
    for key in [*"0123456pPdDbb.", "ArrowRight", "PageDown", "Control+g", "Alt+d"]:
        page.step(key, press(key))
    page.step("black", press("b"))
    page.step("a click ends it", click("[role=tab]", "Start"))
    page.step("large", press("p"))
    for key in ("PageDown", "PageDown", "PageUp"):
        page.step(f"large, {key}", press(key))
    page.step("Generate", tab("Generate"))
    page.step("writes", write("#prompt textarea", " g?d"))
    page.step("a remote from a field", press("PageDown"))
    page.step("back", tab("Generate"))
    page.step("writes again", write("#prompt textarea", " n"))
    page.step("leaves the field", press("Escape"))
    page.step("the card", click("#card .label-wrap"))
    page.step("closes the card", press("Escape"))
    return page.ended()


def clicks(opens: Opens) -> str:
    page = opens("?tab=generate")
    page.step("Generate", tab("Generate"))
    for selector in ("#generate", "#next-token"):
        for apart, detail in ((30, 2), (100, 2), (300, 2), (1, 1), (1, 0)):
            # the time of an event is the browser's own
            page.step(
                f"{selector}, {apart} ms apart, click {detail}",
                f"""(async () => {{
                  const button = document.querySelector('{selector}');
                  const at = (time, detail) => {{
                    const how = {{bubbles: true, cancelable: true, detail}};
                    const event = new MouseEvent('click', how);
                    Object.defineProperty(event, 'timeStamp', {{value: time}});
                    button.dispatchEvent(event);
                  }};
                  window.clicked = (window.clicked ?? 0) + 10_000;
                  at(window.clicked, 1);
                  at(window.clicked + {apart}, {detail});
                  window.heard = log.filter(line => line.includes('clicks')).length;
                  note('of two clicks', window.heard);
                }})()""",
            )
    page.step("opens a menu", "document.querySelector('#head .lens-menu').open = true")
    page.step("a click elsewhere closes it", click("#head #title"))
    page.step("opens it again", "document.querySelector('#head .lens-menu').open = true")
    page.step("a click in it does not", click("#head .lens-menu div.u-panel"))
    page.step("Escape does", press("Escape"))
    page.step("the first stop", lambda shown: shown.locator(".lens-skip").focus())
    page.step("skips", click(".lens-skip"))
    return page.ended()


def menus(opens: Opens) -> str:
    page = opens("?tab=attention&view=Layers")
    entries = page.shown.locator("#head .lens-menu button").evaluate_all(
        "nodes => nodes.map(node => node.firstChild.textContent)"
    )
    for entry in entries:
        page.step(entry, menu(entry))
        page.step("a dialog ends", press("Escape"))
        page.step("a tour ends", press("Escape"))
    page.step(
        "a word",
        "document.querySelector('.term')?.dispatchEvent("
        "new PointerEvent('pointerover', {bubbles: true}))",
    )
    page.step(
        "no word", "document.body.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
    )
    return page.ended()


def tour(opens: Opens) -> str:
    page = opens()
    page.step("begins", menu("Show me around"))
    for _ in range(4):
        page.step("on", press("PageDown"))
    page.step("back", press("PageUp"))
    page.step("on", press(" "))
    page.step("all of it", click("#tour .tour-all"))
    at = page.shown.locator("#tour .tour-at")
    for _ in range(int(at.get_attribute("max") or 0)):
        page.step("on", click("#tour .tour-next"))
    page.step(
        "to a place",
        lambda _: at.evaluate(
            "node => { node.value = 3; node.dispatchEvent(new Event('change', {bubbles: true})); }"
        ),
    )
    page.step("leaves", press("Escape"))
    page.step("one word", menu("Follow one word"))
    page.step("writes a sentence", write("#start .st-text", " and then"))
    page.step("leaves the field", press("Escape"))
    for _ in range(3):
        page.step("on", click("#tour .tour-next"))
        page.step("with ours", "document.querySelector('#tour .tour-ours:not([hidden])')?.click()")
    page.step("without", "document.querySelector('#tour .tour-ours:not([hidden])')?.click()")
    page.step("back", click("#tour .tour-back"))
    page.step("leaves", click("#tour .tour-leave"))
    return page.ended()


def own_tour(opens: Opens) -> str:
    page = opens(f"#tour={quote(_OWN_TALK)}", model="mini")
    acts(page)
    page.step("its link", click("#tour .tour-link"))
    page.step("a window", click("#tour .tour-speaker"))
    for _ in range(3):
        page.step("on", click("#tour .tour-next"))
    page.step(
        "the window turns it",
        """new BroadcastChannel(JSON.parse(sessionStorage['gptlens-speaker']))
          .postMessage({kind: 'turn', by: -1})""",
    )
    page.step(
        "the window is there",
        """new BroadcastChannel(JSON.parse(sessionStorage['gptlens-speaker']))
          .postMessage({kind: 'ready'})""",
    )
    page.step("the browser's Back", "history.back()")
    page.step("ends", press("Escape"))
    return page.ended()


def no_tour(opens: Opens) -> str:
    page = opens(f"#tour={quote('no steps at all')}")
    page.step("goes on", press("PageDown"))
    page.step("leaves", click("#tour .tour-leave"))
    return page.ended()


def talk(opens: Opens) -> str:
    notes = {"speaker_notes": [["Say hello.", "", "", "Bye."]]}
    page = opens("#talk=abc", notes, talk=_OWN_TALK, model="mini", large=True)
    page.step("on", press("PageDown"))
    page.step(
        "guesses",
        "import(lensBase + '/rooms/hall/view/tour.js').then(m => m.showGuesses("
        "[['sun', 2], ['moon', 5], ['sea', 0]]))",
    )
    page.step("on", press("PageDown"))
    page.step("the server is away", _AWAY)
    page.step("and back", _BACK)
    page.step("leaves", press("Escape"))
    page.step("talks", menu("Talks"))
    for entry in ("Two things", "in 5 minutes", "in 20 minutes"):
        page.step(entry, click("#start .u-list button", entry))
        page.step("on", press("PageDown"))
        page.step("leaves", press("Escape"))
        page.step("talks", menu("Talks"))
    return page.ended()


_AWAY = """(() => {
  const fetches = window.fetch;
  window.fetchesAgain = fetches;
  window.fetch = async (...given) => {
    if (given[1]?.method === 'HEAD') throw new TypeError('away');
    return fetches(...given);
  };
  dispatchEvent(new Event('offline'));
})()"""
_BACK = "window.fetch = window.fetchesAgain; dispatchEvent(new Event('online'))"


def connection(opens: Opens) -> str:
    page = opens()
    page.step("away", _AWAY)
    page.step("still away", "0")
    page.step("back", _BACK)
    page.step(
        "a proxy's error",
        "window.fetch = async () => new Response('', {status: 502});"
        "dispatchEvent(new Event('online'))",
    )
    page.step("back", _BACK)
    return page.ended()


def leads(opens: Opens) -> str:
    def led(**more: Any) -> dict[str, Any]:
        return {"name": "room", "known": 0, "followers": 0, "said": "", "guesses": [], **more}

    said = "the model is not on their server"
    answers = [led(), led(followers=1), led(followers=7, known=3), led(followers=7, said=said)]
    code = {
        "code": ["<svg></svg>"],
        "results": [[{"title": "Count", "solved": 3, "wrong": [["7", 2], ["a", 1]]}]],
    }
    page = opens("", {"lead": [*answers, None, *answers], **code})
    page.step("talks", menu("Talks"))
    page.step("leads", click("#start .u-list button", "Lead the room"))
    page.step("a head", "store.chooseHead([2, 3])")
    page.step("a token", "store.chooseToken(4)")
    page.step("a sentence", "store.setSentence('Tom saw a dog')")
    page.step("another tab", tab("Attention"))
    page.step("a long text", "store.holdFields(['off'], ['x'.repeat(3000)])")
    page.step("hands off", click(".hall-chip button", "Hands off"))
    page.step("the code", click(".hall-chip button", "Code for phones"))
    page.step("closes it", press("Escape"))
    page.step("the exercises", click(".hall-chip button", "Exercises"))
    page.step("a talk", menu("Show me around"))
    page.step("on", press("PageDown"))
    page.step("ends", press("Escape"))
    page.step("Generate", tab("Generate"))
    page.step("leads no more", click(".hall-chip button", "End"))
    return page.ended()


_SCENE = {
    "tab": "Attention", "view": "Heads", "model": "mini", "text": "Tom saw a dog", "head": [2, 1],
    "token": 1, "run": "", "link": "tab=attention&view=Heads&text=Tom+saw+a+dog&draws=lines",
    "hands_off": False, "say": "Where it looks.", "point": "#attention .at-name", "hide": "",
    "asks": [], "chat": [],
}  # fmt: skip


def follows(opens: Opens) -> str:
    def said(version: int, scene: Any = None, **more: Any) -> dict[str, Any]:
        return {"state": "on", "version": version, "scene": scene, "written": None, **more}

    page = opens("?follow=room", {"follow": [said(1, _SCENE), said(1)]})

    def shows(what: str, version: int, **more: Any) -> None:
        page.answer("follow", said(version, {**_SCENE, **more}), said(version))
        page.step(what, "0")

    guessing = {"hide": "#attention .at-map", "asks": ["sun", "moon"], "head": [0, 3]}
    shows("the speaker asks", 2, **guessing)
    page.step("guesses", click(".hall-guesses button", "moon"))
    page.step("guesses otherwise", click(".hall-guesses button", "sun"))
    shows("the speaker tells", 3, head=[0, 3], say="")
    page.step("sets a field", "store.holdFields(['sink'], ['left out'])")
    page.step("is brought back", click(".hall-chip button", "Back to the speaker"))
    page.answer("follow", said(4, _SCENE), said(4))
    page.step("the scene comes", "0")
    page.step("writes a text", "store.setSentence('A text of my own')")
    page.step("chooses a head", "store.chooseHead([5, 5])")
    page.step("goes elsewhere", tab("Parameters"))
    page.step("is brought back", click(".hall-chip button", "Back to the speaker"))
    shows("the speaker goes on", 5, text="Tom saw a cat")
    link = "tab=attention&view=Heads&sink=left+out&zoom=1-2-3-4"
    shows("the speaker sets a field", 6, link=link, hands_off=True)
    box = page.shown.locator("#sink").bounding_box()
    assert box is not None
    page.step("may not touch", lambda shown: shown.mouse.click(box["x"] + 20, box["y"] + 30))
    page.step("nor press a key", press("p"))
    page.step("but look", press("Tab"))
    shows("another view", 7, tab="Generate", view="Write", link="tab=generate&view=Write&top_k=7")
    lines = '{"kind":"text"}\n'
    written = {"number": 3, "start": 0, "lines": lines}
    page.answer("follow", said(7, written=written), said(7))
    page.step("the speaker writes", "0")
    shows("another model, a run", 8, model="world", run="r1", link="tab=attention&view=Heads")
    for name, reply in (
        ("the speaker is away", said(8, state="away")),
        ("no answer", None),
        ("the speaker has left", said(8, state="left")),
    ):
        page.answer("follow", reply)
        page.step(name, "0")
    page.step("leaves", click(".hall-chip button", "Leave"))
    page.step("returns", click(".hall-chip button", "Return to the speaker"))
    return page.ended()


def exercise(opens: Opens) -> str:
    first = load("functions")["Exercises.exercises"][0]
    wrong = {"right": False, "said": "Higher.", "reason": ""}
    right = {"right": True, "said": "It is.", "reason": "As measured."}
    checked = {"check": [wrong, wrong, wrong, wrong, {**wrong, "right": None}, None, right]}
    solved = {"solution": [{"said": "42", "reason": "By counting."}]}
    page = opens(f"?{first['link']}&exercise={first['name']}", {**checked, **solved})
    page.step("writes", write("#exercise .ex-field", "12"))
    for _ in range(7):
        page.step("checks", click("#exercise .ex-check"))
    for button in ("Hint", "Answer", "Copy link"):
        page.step(button, click("#exercise button", button))
    page.step("leaves", tab("Parameters"))
    page.step("goes back", click("#exercise .ex-left button"))
    page.step("the next", click("#exercise button", "Next"))
    page.step("closes", click("#exercise button", "Close"))
    page.step("the list", menu("All exercises"))
    page.step("one of it", click("#start .u-list button"))
    page.step("one about this view", "document.querySelector('#exercise button').blur()")
    return page.ended()


def texts(opens: Opens) -> str:
    page = opens("?tab=generate")
    page.step("Generate", tab("Generate"))
    page.step("writes", write("#prompt textarea", " He said "))
    page.step("Attention", tab("Attention"))
    page.step("takes the space away", click("#trailing-space button"))
    page.step("writes there", write("#attention-text textarea", " and"))
    page.step("Start", tab("Start"))
    page.step("another's text comes", "store.setSentence('Something else')")
    page.step("brings it back", click("#bring-back button"))
    page.step("Generate again", tab("Generate"))
    page.step("Chat", tab("Chat"))
    page.step("writes a system line", write("#chat-system textarea", " Be kind to all."))
    page.step("leaves the field", press("Escape"))
    page.step(
        "it is filled in", "document.querySelector('#chat-system textarea').value = 'by an example'"
    )
    page.step("closes the offer", click("#bring-back button", "×"))
    page.step("Why", "import(lensBase + '/shared/view/why.js').then(m => m.askWhy('Tom saw'))")
    return page.ended()


def places(opens: Opens) -> str:
    page = opens()
    acts(page)
    for name in ("Generate", "Tokens", "Attention", "Layers", "Two sentences", "Train"):
        page.step(name, tab(name))
    for _ in range(4):
        page.step("back", "history.back()")
    page.step("forward", "history.forward()")
    page.step("the address", menu("Copy a link"))
    link = {"tab": "zero-shot", "text": TEXT, "token": "3", "layer": "2", "head": "1"}
    for way in (
        {**link, "choose": "Compare"},
        {"tab": "attention", "view": "Heads", "sink": "left out", "see": "#recorded"},
        {"tab": "attention", "view": "Two sentences", "pair_a": "a b", "pair_b": "a c"},
        {"tab": "parameters", "view": "Count", "shape.n_layer": "3"},
        {"tab": "parameters", "view": "Nowhere"},
        {"tab": "start", "model": "world", "text": TEXT},
        {"tab": "generate", "text": "one", "prompt": "two"},
    ):
        page.step(
            urlencode(way),
            f"""import(lensBase + '/shared/view/places.js').then(async m => {{
              const query = new URLSearchParams({urlencode(way)!r});
              note('needs a load', m.needsLoad(query));
              m.goHere(query, undefined, true).then(unfound => note('not found', unfound));
            }})""",
        )
    page.step(
        "follows a way",
        "import(lensBase + '/shared/view/places.js').then("
        "m => m.follow(new URLSearchParams('tab=start&exercise=x&once=a')))",
    )
    return page.ended()


# One of each kind of what the keyboard presses on Start, by its kind.
_PRESSED = """(() => {
  const nodes = document.querySelectorAll('#start :is(button, [role=button], a[href])');
  const kinds = new Map();
  for (const node of nodes) {
    if (!node.getClientRects().length || node.disabled) continue;
    const kind = node.dataset.do ?? node.dataset.part?.split('-')[0] ?? node.getAttribute('class');
    if (!kinds.has(kind)) kinds.set(kind, node);
  }
  return kinds;
})()"""


def focus(opens: Opens) -> str:
    """The keyboard has a place after what it pressed is gone."""
    page = opens()
    kinds = page.shown.evaluate(f"[...{_PRESSED}.keys()]")
    assert len(kinds) > 8, kinds
    for kind in kinds:
        page.step(f"on {kind}", f"{_PRESSED}.get({kind!r})?.focus()")
        page.step(f"presses {kind}", press("Enter"))
        assert page.shown.evaluate("document.activeElement !== document.body"), kind
        page.step("back", tab("Start"))
    return page.ended()


def arrives(query: str, opens: Opens) -> str:
    page = opens(query)
    page.step("a tab", tab("Generate"))
    return page.ended()


SCENARIOS: Mapping[str, Callable[[Opens], str]] = {
    "keys": keys,
    "clicks": clicks,
    "menus": menus,
    "tour": tour,
    "own-tour": own_tour,
    "no-tour": no_tour,
    "talk": talk,
    "connection": connection,
    "leads": leads,
    "follows": follows,
    "exercise": exercise,
    "texts": texts,
    "places": places,
    "focus": focus,
    "arrives": partial(arrives, "?tab=attention&view=Layers&present=1&layer=1&head=2&token=3"),
    "framed": partial(arrives, "?embed=attention&view=Heads"),
    "misnamed": partial(
        arrives, "?tab=start&without=L5H6,L77H1,%3Cb%3E&dice=x&start_temperature=nan&token=-1"
    ),
    "trained": partial(arrives, "?tab=train&start=1"),
}
