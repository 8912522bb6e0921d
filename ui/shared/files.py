"""Builds the page's custom components from the ES modules and style sheets of all rooms, and serves
those files.

A module exports `start`, which gets what Gradio passes to a component's script, plus `given`, its
constants. These are not gr.HTML properties, because a component updated before its tab is first
opened loses those.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import gradio as gr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ui.shared.model_figures import filled
from ui.views import TABS

ServerFunctions = Sequence[Callable[..., object]]
Asks = Literal["", "first", "opened", "always"]

_HERE = Path(__file__).resolve().parents[1]
_KINDS = {".js": "javascript", ".css": "css", ".html": "html", ".txt": "plain"}
_TYPES = {suffix: f"text/{kind}; charset=utf-8" for suffix, kind in _KINDS.items()}
_KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
_FIRST = "first/"
_WHOLE_PAGE = (
    *(f"shared/view/{name}.css" for name in ("properties", "parts", "theme", "controls", "stage")),
    "rooms/exercises/view/exercise.css",
    "shared/view/media.css",
)
_OURS = "lens-component"
_ROOT = "/gptlens"
_PLOTLY = "plotly.min.js"
_BEGIN = "shared/view/begin.js"
_STYLE = "page.css"
# characters: a longer initial value is not sent with the page, but fetched when its view opens
_LONG = 2000
KEYFRAMES = re.compile(r"^@keyframes [\w-]+ \{\n(?: .*\n)*\}\n", re.MULTILINE)
_IMPORT = re.compile(r"^import \{[^}]*\} from '([^']+)';\n", re.MULTILINE)


_first_values: dict[str, str] = {}  # by digest; the page holds only the digest


def text_of(name: str) -> str:
    """The text of a file, such as "shared/view/theme.css"."""
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def base_path() -> str:
    """URL prefix of the modules: contains a hash of their text, so that browsers can cache them."""
    files = sorted(file for suffix in _TYPES for file in _HERE.rglob("*" + suffix))
    return (
        f"{_ROOT}/{hashlib.sha256(b''.join(file.read_bytes() for file in files)).hexdigest()[:12]}"
    )


def style_sheet() -> str:
    """The page's style sheet: the theme, and the rules of all components, each scoped to its
    component.

    Gradio's rules come later, so selectors that match nothing raise each rule's specificity by
    three classes or an id. Keyframes stand at the end: browsers ignore them within a rule.
    """
    ours = sorted(file.relative_to(_HERE).as_posix() for file in _HERE.rglob("*.css"))
    ours = [name for name in ours if name not in _WHOLE_PAGE]
    ours.sort(key=lambda name: not name.startswith("shared/"))  # shared rules come first
    whole = f":is(._._._, html) {{\n{''.join(map(text_of, _WHOLE_PAGE))}}}\n"
    rules = f"{whole}:is(#_, .{_OURS}) {{\n{''.join(map(text_of, ours))}}}\n{_more()}"
    return KEYFRAMES.sub("", rules) + "".join(KEYFRAMES.findall(rules))


def _more() -> str:
    """Returns the CSS rule that puts "More:" before the first of a tab's secondary views; screen
    readers skip it.
    """
    first = [next((view.name for view in tab.views if view.is_more), None) for tab in TABS]
    places = ", ".join(f"[data-tab-id='{name}']::before" for name in first if name)
    return (
        f"{places} {{ content: 'More:' / ''; margin-right: var(--space-3); color: "
        f"var(--body-text-color-subdued); }}\n"
    )


def style_link() -> str:
    """HTML that links `style_sheet` as a cacheable file; Gradio would inline it in every page."""
    return f'<link rel="stylesheet" href="{base_path().lstrip("/")}/{_STYLE}">'


def inline(script: str) -> str:
    """HTML with a script that is part of the page itself."""
    return f"<script>{text_of(script)}</script>"


def early(*modules: str) -> str:
    """The page's Link header: the browser preloads the style sheet and these modules."""
    named = list(dict.fromkeys(name for module in modules for name in _with_imports(module)))
    place = base_path().lstrip("/")
    links = [
        f"<{place}/{_STYLE}>; rel=preload; as=style",
        *(f"<{place}/{name}>; rel=modulepreload" for name in named),
    ]
    return ", ".join(links)


def base_script() -> str:
    """HTML with the script that says where the modules are; `ui/frame/view/modules.js` loads them
    from there.
    """
    return f"<script>window.lensBase = {json.dumps(base_path())};</script>"


def _loading(module: str) -> str:
    """JavaScript for the promise of a module, whatever the path of the page
    (`ui/frame/view/modules.js`).
    """
    return f"lensModule({json.dumps(module)})"


def calling(module: str, result: str) -> str:
    """JavaScript for an event: loads a module as `m` and returns an expression, in which `args` are
    the inputs.
    """
    return f"async (...args) => {{ const m = await {_loading(module)}; return {result}; }}"


def routes() -> list[Route]:
    """Routes behind `address`: modules, style sheets, initial values, and the plotly.js of the
    installed package.
    """

    def send(request: Request) -> Response:
        name = request.path_params["name"]
        if name.startswith(_FIRST) and name.removeprefix(_FIRST) in _first_values:
            return Response(
                _first_values[name.removeprefix(_FIRST)], media_type="text/plain", headers=_KEPT
            )
        file = _plotly() if name == _PLOTLY else (_HERE / name).resolve()
        ours = name == _STYLE or (
            (file.is_relative_to(_HERE) or name == _PLOTLY) and file.is_file()
        )
        if not ours or file.suffix not in _TYPES:
            return Response("There is no such file.", status_code=404, media_type="text/plain")
        # A page opened before an update asks for an old path; it gets the current version.
        current = base_path().endswith("/" + request.path_params["version"])
        kept = _KEPT if current else {"Cache-Control": "no-store"}
        content = style_sheet() if name == _STYLE else file.read_bytes()
        content = filled(text_of(name)) if file.suffix == ".txt" else content  # a talk
        return Response(content, media_type=_TYPES[file.suffix], headers=kept)

    return [Route(_ROOT + "/{version}/{name:path}", send)]


def component(
    value: str,
    template: str,
    module: str,
    *,
    needs: Sequence[str],
    asks: Asks = "",
    events: Sequence[str] = (),
    given: Mapping[str, object] | None = None,
    elem_id: str,
    elem_classes: Sequence[str] = (),
    server_functions: ServerFunctions = (),
) -> gr.HTML:
    """A component of the page: HTML, and a module that brings it to life. `style_sheet` says how it
    looks.

    Args:
        value: JSON, or what its module takes; a long one is fetched when the component starts.
        template: HTML that does not depend on the value.
        module: its path within `ui`; its `start` is called once.
        needs: names of the fields that its content depends on: once one of them differs from what
            the content was computed from, it is marked as stale. () for what depends on none.
        asks: when its event `ask` is triggered by itself: "always" while it is in sight and stale,
            "first" where it was never asked, "opened" whenever it comes into sight, "" for never.
            Such a module may set `answer.ask` to ask the server itself.
        events: names that the module triggers; each becomes a listener of the component.
        given: constants for the module.
        elem_id, elem_classes: of the element.
        server_functions: functions that the module may call on the server, by name.
    """
    constants = f", given: {json.dumps(given)}" if given else ""
    events = [*events, "ask"] if asks else events
    question = (
        f"id: {json.dumps(elem_id)}, needs: {json.dumps(list(needs))}, asks: {json.dumps(asks)}"
    )
    context = f"{{element, props, server, trigger, watch, {question}{constants}}}"
    parts = f"{_loading(module)}, {_loading(_BEGIN)}"
    first = ""
    if len(value) > _LONG:
        name = hashlib.sha256(value.encode()).hexdigest()[:24]
        _first_values[name], value = value, name
        parts += f", lensText({json.dumps(_FIRST + name)})"
        first = f", [{json.dumps(name)}, v]"
    begin = f"Promise.all([{parts}]).then(([m, b, v]) => b.begin(m.start, {context}{first}));"
    script = f"// {' '.join(repr(event) for event in events)}\n{begin}"
    made = gr.HTML(
        value,
        html_template=template,
        js_on_load=script,
        server_functions=list(server_functions),
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes=[_OURS, *elem_classes],
    )
    made.needs = tuple(needs)  # type: ignore[attr-defined] - read by ui.shared.site
    return made


def _with_imports(module: str) -> list[str]:
    """A module preceded by all its imports, each once."""
    seen: dict[str, None] = {}

    def visit(file: Path) -> None:
        for wanted in _IMPORT.findall(file.read_text(encoding="utf-8")):
            visit((file.parent / wanted).resolve())
        seen.setdefault(file.relative_to(_HERE).as_posix())

    visit(_HERE / module)
    return list(seen)


def _plotly() -> Path:
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise RuntimeError("plotly is not installed. Run: pip install -r requirements.txt")
    return Path(spec.origin).parent / "package_data" / _PLOTLY
