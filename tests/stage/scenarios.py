"""What visitors do with the page as a whole: with its keys, menus, links, talks and rooms.

Each is played on the stage, and what comes of every step is kept in `tests/recorded/page`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from urllib.parse import urlencode

from stage import rooms
from stage.hands import AWAY, BACK, Opens, acts, click, menu, press, tab, write
from ui.views import TABS

TEXT = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"


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
    page.step("Start", tab("Start"))
    for key in (*"gnswqpdbet?.1", "PageDown"):
        for how in ("ctrlKey", "metaKey", "altKey", "repeat"):
            event = f"new KeyboardEvent('keydown', {{key: '{key}', {how}: true, bubbles: true}})"
            page.step(f"{key} with {how}", f"document.body.dispatchEvent({event})")
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
    open_dialog = "document.querySelector('dialog[open]')"
    for entry in [*entries, *entries]:
        page.step(entry, menu(entry))
        page.step("a click on its text", f"{open_dialog}?.firstElementChild.click()")
        page.step("again", menu(entry))
        page.step("a click beside it", f"{open_dialog}?.click()")
        page.step("once more", menu(entry))
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


def phone(opens: Opens) -> str:
    """On a narrow page: what lies over it stays on it."""
    page = opens()
    page.step("narrow", lambda shown: shown.set_viewport_size({"width": 390, "height": 844}))
    for name in [item.title for own in TABS for item in (own, *own.views)]:
        page.step(name, tab(name))
        for place in ("0", "-1"):
            page.step(
                f"word {place}",
                f"inSight('.term').at({place})?.dispatchEvent("
                "new PointerEvent('pointerover', {bubbles: true}))",
            )
        page.step("scrolls", "window.scrollTo(0, 300)")
    page.step("a link", menu("Copy a link"))
    page.step("words", menu("Glossary"))
    return page.ended()


def connection(opens: Opens) -> str:
    page = opens()
    page.step("away", AWAY)
    page.step("still away", "0")
    page.step("back", BACK)
    page.step(
        "a proxy's error",
        "window.fetch = async () => new Response('', {status: 502});"
        "dispatchEvent(new Event('online'))",
    )
    page.step("back", BACK)
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
    "phone": phone,
    "tour": rooms.tour,
    "own-tour": rooms.own_tour,
    "whole-tour": rooms.whole_tour,
    "no-tour": rooms.no_tour,
    "talk": rooms.talk,
    "connection": connection,
    "leads": rooms.leads,
    "follows": rooms.follows,
    "exercise": rooms.exercise,
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
