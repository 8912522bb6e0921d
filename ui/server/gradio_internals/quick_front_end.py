"""Scripts of Gradio's front end that look through the whole page with every event, mended."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import gradio as gr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_SCRIPTS = Path(gr.__file__).parent / "templates" / "frontend" / "assets"
_SEARCHES = Path(__file__).with_name("searches.js")
_FINDING = (
    "function Z(e,t){if(e.id===t)return e;if(e.children)for(let n of e.children)"
    "{let e=Z(n,t);if(e)return e}return null}"
)
_ATTACHED = (
    "n=t.filter(t=>t.targets.find(([t])=>t===e.id)).map(t=>{let n=t.targets.find(([t])=>t===e.id);"
    "return n?n[1]:null}).filter(Boolean);"
)
# The status of an event is shown by each of its inputs once it has ended, and from then on it is
# brought up to date with every message of every event.
_SHOWING = "_=h.includes(e)&&s?`input`:p.includes(e)?`output`:`skip`"
_SHOWING_OUTPUTS = "_=p.includes(e)?`output`:`skip`"


def mended() -> Mapping[str, str]:
    """The scripts, by their names.

    Raises:
        KeyError: the front end has no such part, or several.
    """
    searches = _SEARCHES.read_text(encoding="utf-8").replace("export function", "function")
    changes = {
        "core-*.js": {
            _FINDING: searches.replace("function findNode", "function Z"),
            _ATTACHED: "n=attachedEvents(t,e.id);",
        },
        "statustracker-*.js": {_SHOWING: _SHOWING_OUTPUTS},
    }
    return dict(_changed(pattern, parts) for pattern, parts in changes.items())


def routes() -> list[Route]:
    """Routes of the mended scripts, for those ahead of Gradio's. Raises what `mended` does."""
    scripts = mended()
    tags = {name: f'"{sha256(text.encode()).hexdigest()[:16]}"' for name, text in scripts.items()}

    def send(request: Request) -> Response:
        name = request.url.path.rpartition("/")[2]
        headers = {"Cache-Control": "no-cache", "ETag": tags[name]}
        if request.headers.get("if-none-match") == tags[name]:
            return Response(status_code=304, headers=headers)
        return Response(scripts[name], media_type="text/javascript", headers=headers)

    return [Route(f"/assets/{name}", send) for name in scripts]


def _changed(pattern: str, parts: Mapping[str, str]) -> tuple[str, str]:
    """The name and the text of the script that has these parts once each, with others in their
    places.
    """
    found = {file.name: file.read_text(encoding="utf-8") for file in _SCRIPTS.glob(pattern)}
    having = {name for name, text in found.items() if all(text.count(part) == 1 for part in parts)}
    if len(having) != 1:
        raise KeyError(f"{len(having)} scripts {pattern} are as they were")
    (name,) = having
    text = found[name]
    for part, instead in parts.items():
        text = text.replace(part, instead)
    return name, text
