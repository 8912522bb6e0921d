"""What a speaker and a room do with the page: tours, talks, leading, following, exercises."""

from typing import Any
from urllib.parse import quote

from answers import load

from stage.hands import AWAY, BACK, Opens, acts, click, menu, press, tab, write

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


def whole_tour(opens: Opens) -> str:
    """From the step before the first to the one after the last, which leaves it."""
    page = opens(f"#tour={quote(_OWN_TALK)}")
    page.step("before the first", press("PageUp"))
    while page.shown.locator("#tour").count():
        page.step("on", press("PageDown"))
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
    page.step("the server is away", AWAY)
    page.step("and back", BACK)
    page.step("leaves", press("Escape"))
    page.step("talks", menu("Talks"))
    for entry in ("Two things", "in 5 minutes", "in 20 minutes"):
        page.step(entry, click("#start .u-list button", entry))
        page.step("on", press("PageDown"))
        page.step("leaves", press("Escape"))
        page.step("talks", menu("Talks"))
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
