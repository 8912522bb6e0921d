"""Makes the page's own components from the ES modules and style sheets in this folder, and serves those.

A module exports `start`, which gets what Gradio gives a component's script, and `given`: constants of the component. They
are not gr.HTML's own properties, because a component that is updated before its tab is first opened loses those.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import gradio as gr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

ServerFunctions = Sequence[Callable[..., object]]


_HERE = Path(__file__).resolve().parent
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".talk": "application/json"}
_WHOLE_PAGE, _OURS = ("shared/theme.css", "shared/stage.css"), "lens-component"
_ROOT, _PLOTLY, _RECORDER = "/gptlens", "plotly.min.js", "shared/recorder.js"
_IMPORT = re.compile(r"^import \{[^}]*\} from '([^']+)';\n", re.MULTILINE)


def text_of(name: str) -> str:
    """The text of a file in this folder, such as "shared/theme.css"."""
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def base_path() -> str:
    """Where the page finds the modules: a path that changes with their texts, so that browsers may keep them."""
    files = sorted(file for suffix in _TYPES for file in _HERE.rglob("*" + suffix))
    return f"{_ROOT}/{hashlib.sha256(b''.join(file.read_bytes() for file in files)).hexdigest()[:12]}"


def style_sheet() -> str:
    """The page's style sheet: its theme, and all components', which hold for nothing but those.

    Gradio could take a style sheet with each component, but sends the same one again for every component.
    """
    ours = sorted(file.relative_to(_HERE).as_posix() for file in _HERE.rglob("*.css"))
    ours = [name for name in ours if name not in (*_WHOLE_PAGE, "attention/standalone.css")]
    ours.sort(key=lambda name: not name.startswith("shared/"))  # what all share comes first
    # An id that nothing has: as strong as the id that Gradio would have given it, against Gradio's own rules.
    return f"{''.join(map(text_of, _WHOLE_PAGE))}\n:is(#_, .{_OURS}) {{\n{''.join(map(text_of, ours))}}}\n"


def address(module: str) -> str:
    """A JavaScript expression for the address of a module, wherever the page itself lives."""
    return f"(window.gradio_config?.root ?? '') + {json.dumps(f'{base_path()}/{module}')}"


def calling(module: str, result: str) -> str:
    """JavaScript for an event: loads a module as `m` and returns an expression, in which `args` are the inputs."""
    return f"async (...args) => {{ const m = await import({address(module)}); return {result}; }}"


def routes() -> list[Route]:
    """What the server adds for `address`: the modules, the style sheets, and plotly.js of the installed package."""

    def send(request: Request) -> Response:
        name = request.path_params["name"]
        file = _plotly() if name == _PLOTLY else (_HERE / name).resolve()
        if not (file.is_relative_to(_HERE) or name == _PLOTLY) or file.suffix not in _TYPES or not file.is_file():
            return Response("There is no such file.", status_code=404, media_type="text/plain")
        # A page that was opened before an update asks for a path that is gone; it gets what there is now.
        current = base_path().endswith("/" + request.path_params["version"])
        kept = {"Cache-Control": "public, max-age=31536000, immutable" if current else "no-store"}
        return Response(file.read_bytes(), media_type=_TYPES[file.suffix], headers=kept)

    return [Route(_ROOT + "/{version}/{name:path}", send)]


def component(
    value: str,
    template: str,
    module: str,
    *,
    events: Sequence[str] = (),
    given: Mapping[str, object] | None = None,
    elem_id: str,
    elem_classes: Sequence[str] = (),
    server_functions: ServerFunctions = (),
) -> gr.HTML:
    """A component of the page: HTML, and a module that brings it to life. `style_sheet` says how it looks.

    Args:
        value: JSON, or what its module takes.
        template: HTML with nothing of the value in it.
        module: in this folder; its `start` is called once.
        events: what the module triggers; each becomes a listener of the component.
        given: constants for the module.
        elem_id, elem_classes: of the element.
        server_functions: what the module may ask the server, by their names.
    """
    context = f"{{element, props, server, trigger, watch, given: {json.dumps(given or {})}}}"
    modules = f"[import({address(module)}), import({address(_RECORDER)})]"
    begin = f"Promise.all({modules}).then(([m, r]) => r.begin({json.dumps(elem_id)}, m.start, {context}));"
    script = f"// {' '.join(repr(event) for event in events)}\n{begin}"
    return gr.HTML(
        value,
        html_template=template,
        js_on_load=script,
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes=[_OURS, *elem_classes],
        server_functions=list(server_functions),
    )


def bundled(module: str) -> str:
    """A module and all it imports as one script without imports, for a page that must open without a server."""
    seen: list[str] = []

    def visit(name: str) -> None:
        file = (_HERE / name).resolve()
        for wanted in _IMPORT.findall(file.read_text(encoding="utf-8")):
            visit(str((file.parent / wanted).resolve().relative_to(_HERE)))
        if str(file.relative_to(_HERE)) not in seen:
            seen.append(str(file.relative_to(_HERE)))

    visit(module)
    return "\n".join(re.sub(r"^export ", "", _IMPORT.sub("", text_of(name)), flags=re.MULTILINE) for name in seen)


def _plotly() -> Path:
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise RuntimeError("plotly is not installed. Run: pip install -r requirements.txt")
    return Path(spec.origin).parent / "package_data" / _PLOTLY
