"""The page's components, each alone on a page without Gradio's front end (`stage.js`)."""

import difflib
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

import gradio as gr
import uvicorn
from answers import as_sent, is_close
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from page_answers import OURS, THEN, fields_of, name_of
from playwright.sync_api import Browser, Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from browser import PIECES
from helpers import until
from stage.changed import changed_answers, changed_replies
from ui.shared.files import base_script, inline, routes, style_link
from ui.view import Tab, View
from ui.views import TABS

MISSING = "> has no recorded answer"
UNLIKE = "> draws something else than a page that is opened there"
NOTHING: Mapping[str, Any] = MappingProxyType({})
_HERE = Path(__file__).parent
_HTML = """<!doctype html><html><head><meta charset="utf-8">{head}<script src="/time.js"></script>
<script src="/stage.js"></script><script src="/walk.js"></script><script src="/page.js"></script>
<script src="/calls.js"></script>
<style>
@font-face {{ font-family: boxes; src: url("/boxes.ttf"); }}
body * {{ font-family: boxes !important; line-height: 20px !important; }}
</style></head><body class="gradio-container"><main id="stage"></main></body></html>"""
# of what one step changes, which are kept as they are; where the answer was changed
_MOST_LINES, _FEWER_LINES = 60, 20
_ROUNDS = 2  # of all controls, with changed answers of the server
# of the browser, whatever machine it runs on
LOOK: Any = {
    "viewport": {"width": 1280, "height": 720},
    "device_scale_factor": 1,
    "color_scheme": "light",
    "locale": "en-US",
    "timezone_id": "UTC",
}
_CHARACTERS = 0x3000  # from the first one on, which the font has


def application(files: Sequence[Route]) -> Starlette:
    """Answers with the stage at `/`, and with files that components load."""
    scripts = [inline(f"frame/view/{name}.js") for name in ("page_key", "modules")]
    head = "".join([style_link(), base_script(), *scripts])

    def page(_: Request) -> Response:
        return HTMLResponse(_HTML.format(head=head))

    def script(request: Request) -> Response:
        text = (_HERE / f"{request.path_params['name']}.js").read_text(encoding="utf-8")
        return Response(text, media_type="text/javascript")

    def font(_: Request) -> Response:
        return Response(_boxes(), media_type="font/ttf")

    own = [Route("/", page), Route("/{name}.js", script), Route("/boxes.ttf", font)]
    return Starlette(routes=[*own, *files])


@contextmanager
def served_stage(files: Sequence[Route] | None = None) -> Iterator[str]:
    """The address of the stage, as long as the context lasts; with other files than the page's."""
    app = application(routes() if files is None else files)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started, seconds=60)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    server.should_exit = True
    thread.join(10)


@cache
def _boxes() -> bytes:
    """A font whose characters are all of one width: what is drawn depends on no machine's fonts."""
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "box"])
    builder.setupCharacterMap(dict.fromkeys(range(32, _CHARACTERS), "box"))
    pen = TTGlyphPen(None)
    pen.moveTo((50, 0))
    for corner in ((50, 500), (450, 500), (450, 0)):
        pen.lineTo(corner)
    pen.closePath()
    glyph = pen.glyph()
    builder.setupGlyf({".notdef": glyph, "box": glyph})
    builder.setupHorizontalMetrics(dict.fromkeys((".notdef", "box"), (500, 50)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "boxes", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=800, usWinAscent=800, usWinDescent=200)
    builder.setupPost()
    file = io.BytesIO()
    builder.save(file)
    return file.getvalue()


def call(page: Page, function: str, *given: Any) -> Any:
    """What a function of the stage's scripts gives for plain values."""
    sent = [function, json.dumps(given)]
    return json.loads(page.evaluate("([name, given]) => call(name, given)", sent))


def components(page: gr.Blocks) -> dict[str, gr.HTML]:
    """The components of ours, by the ids of their elements."""
    return {
        name_of(block): block
        for block in page.blocks.values()
        if isinstance(block, gr.HTML) and OURS in (block.elem_classes or [])
    }


@dataclass(frozen=True)
class Part:
    """What a component shows and hears on the stage, as `tests/recorded` keeps it.

    Args:
        value: its answer, as Gradio gives it.
        other: an answer that comes in its place; "" for none.
        answers: of its server functions, by JSON of [name, request].
        queries: links that it is opened by, each on a page of its own; then all of its controls are
            used once more where that is an exercise.
        further: answers of other events that come after the first, by event.
    """

    value: str
    other: str
    answers: Mapping[str, Any]
    queries: Sequence[str] = ()
    further: Mapping[str, str] = field(default_factory=dict)


class Stage:
    """Puts components of a page on the stage.

    Args:
        browser: whose new pages they are mounted on.
        page: that they are of.
        address: of the stage.
        server: takes a component and JSON of [name, request], and is asked where there is no kept
            answer; None for nobody.
    """

    def __init__(
        self,
        browser: Browser,
        page: gr.Blocks,
        address: str,
        server: Callable[[gr.HTML, str], Any] | None = None,
    ) -> None:
        self._browser = browser
        self._register = page.register  # type: ignore[attr-defined]
        self._fields = fields_of(page)
        self._server = server
        self._address = address

    def drawn(self, component: gr.HTML, part: Part) -> tuple[str, Mapping[str, Any]]:
        """What a component draws, step by step, and the answers of the server."""
        steps, answers = self._opened(component, part, "", "walk")
        text = told(steps)
        begun = steps[0]["lines"]
        for number, replies in enumerate(self._other_replies(part)):
            otherwise = replace(part, answers=replies)
            steps, _ = self._opened(component, otherwise, "", "useAll")
            text += f"\nanswers, {number}\n{told(steps)}"
        for query in part.queries:
            part = replace(part, answers=answers)
            act = "walk" if "exercise=" in query else "seen"
            steps, answers = self._opened(component, part, f"?{query}", act)
            if act == "seen":
                check_as_opened(steps, begun)
            text += f"\n{query}\n{told(steps)}"
        return text, answers

    def _other_replies(self, part: Part) -> Sequence[Mapping[str, Any]]:
        """Answers of the server that are changed; none while answers are recorded."""
        if self._server is not None or not part.answers:
            return ()
        return changed_replies(part.answers, _ROUNDS)

    def _opened(
        self, component: gr.HTML, part: Part, query: str, act: str
    ) -> tuple[Sequence[dict[str, Any]], Mapping[str, Any]]:
        page = self._browser.new_page(**LOOK)
        server = self._server
        if server is not None:
            page.expose_function("askServer", lambda key: server(component, key))
        page.goto(self._address + query)
        given = {
            "id": name_of(component),
            "classes": list(component.elem_classes or []),
            "template": component.html_template,
            "script": component.js_on_load,
            "value": part.value,
            "fields": self._fields,
            "register": self._register,
            "answers": dict(part.answers),
            "isRecording": server is not None,
            "viewTitles": place_of(component),
        }
        call(page, "mount", given)
        steps, answers = call(page, act, {"other": part.other, "further": dict(part.further)})
        if act == "walk" and not query and server is None:
            values = changed_answers(part.value, name_of(component))
            steps += call(page, "vary", {"values": values})
        page.close()
        return steps, answers


def of_each_kind(exercises: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """The first exercise of each kind."""
    return list({item["kind"]: item for item in reversed(exercises)}.values())


def view_of(component: gr.HTML) -> tuple[Tab | None, View | None]:
    """The tab and the view that hold a component, as far as there are any."""
    block: Any = component
    places = list[str]()
    while block is not None:
        if isinstance(block, gr.Tab):
            places.append(str(block.id))
        block = block.parent
    tab = next((tab for tab in TABS if tab.name in places), None)
    views = tab.views if tab else ()
    return tab, next((view for view in views if view.name in places), None)


def place_of(component: gr.HTML) -> Sequence[str] | None:
    """Their titles; None for a component of no tab."""
    tab, view = view_of(component)
    return tab and [tab.title, view.title if view else ""]


def link_of(component: gr.HTML) -> str:
    """A link with another value of each piece of state that scripts of its view hold; "" where they
    hold none.
    """
    tab, view = view_of(component)
    names = (view or tab).state if tab else ()
    place = {"tab": tab.name} | ({"view": view.title} if view else {}) if tab else {}
    return urlencode({**place, **{name: PIECES[name] for name in names}}) if names else ""


def part_of(
    component: gr.HTML,
    shown: Any,
    events: Mapping[str, Any],
    exercises: Sequence[Mapping[str, str]],
    answers: Mapping[str, Any] = NOTHING,
) -> Part:
    """What a component shows on the stage.

    Args:
        component: of the page.
        shown: its value as the page has it.
        events: what they answer, as `tests/recorded` keeps it.
        exercises: one of each kind.
        answers: of its server functions.
    """
    name = name_of(component)
    found = {"": "", "other": ""}
    further: dict[str, str] = {}
    for question, answer in events.items():
        _, _, then = question.partition(THEN)
        if then and name in (answer or ()):
            further[then] = as_sent(answer[name])
            continue
        _, _, changed = question.partition(", another ")
        if changed in ("", "model") and name in (answer or ()):
            found["other" if changed else ""] = as_sent(answer[name])
    if not found[""] or found[""].startswith('{"message"'):
        found[""] = shown or ""
    queries = [*filter(None, [link_of(component)])]
    if name == "exercises":
        queries += [f"{item['link']}&exercise={item['name']}" for item in exercises]
    return Part(found[""], found["other"], answers, queries, further)


def check_as_opened(steps: Sequence[dict[str, Any]], begun: Sequence[str]) -> None:
    """Notes where a page that goes to a link draws something else than one that is opened by it.

    Args:
        steps: of a page that a link has opened, that went to the view alone and then to the link.
        begun: what a page draws that is opened without a link.
    """
    opened, alone, taken = steps
    for step, wanted in ((alone, begun), (taken, opened["lines"])):
        if not is_close("\n".join(wanted), "\n".join(step["lines"])):
            step["log"].append(UNLIKE)


def told(steps: Sequence[Mapping[str, Any]]) -> str:
    """What was drawn first, and after each step the lines that came and went."""
    found = list[str]()
    before = list[str]()
    for step in steps:
        found.append(f"== {step['step']}")
        found += sorted(set(step["log"]))  # in any order, and as often as time lets it
        if step["lines"] is not None:
            lines = step["lines"]
            changes = list(difflib.unified_diff(before, lines, n=0, lineterm=""))[2:]
            changes = [line for line in changes if not line.startswith("@@")]
            found += shortened(changes, _FEWER_LINES if step.get("isChanged") else _MOST_LINES)
            before = lines
    return "\n".join(found) + "\n"


def shortened(lines: Sequence[str], most: int) -> Sequence[str]:
    """The first and the last of more lines than that, with a digest of all of them."""
    if len(lines) <= most:
        return lines
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    first, last = most // 2, most // 6
    return [*lines[:first], f"… {len(lines) - first - last} more, {digest}", *lines[-last:]]
