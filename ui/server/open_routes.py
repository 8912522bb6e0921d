"""Which addresses of the server are open, and what events and endpoints take; all else is refused
by a sentence.

Gradio serves more than a page needs: editors, recordings, proxies, monitors. What is not listed
here is closed, so that a route of a new version is closed until somebody opens it.
"""

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import gradio as gr

_API = r"/gradio_api"
_NAMED = rf"{_API}/(?:run|call|api)/(?:v2/)?([^/]+)/?"
UPLOAD = f"{_API}/upload"
# Addresses that take something, all of them JSON but uploads; cancel and reset end an event.
_POST = re.compile(rf"(?:{_API}/(?:queue/join|component_server|cancel|reset|upload)/?|{_NAMED})")
_GET = re.compile(
    r"/(?:config|manifest\.json|robots\.txt|favicon\.ico|theme\.css|pwa_icon.*)?/?|/(?:assets|static|svelte|gptlens)/.*|"
    rf"{_API}/(?:info|openapi\.json|app_id|user|token|login_check|startup-events|theme\.css|queue/status|queue/data|"
    rf"upload_progress|heartbeat/[^/]+|file[=/].*|call/(?:v2/)?[^/]+/[^/]+)/?"
)
_MCP = re.compile(rf"{_API}/mcp/?")
_ENDPOINT = re.compile(_NAMED)
# What a named endpoint takes, in this order; a default of `inspect.Parameter.empty` must be given.
Defaults = Mapping[str, Any]
MISSING = "There is nothing at this address. The page's link “Use via API” lists what there is."


def is_open(method: str, path: str, *, mcp: bool = False) -> bool:
    """Whether something is served there, or taken; `mcp` opens the address of that protocol."""
    if mcp and _MCP.fullmatch(path):
        return method in ("GET", "POST", "DELETE")
    if method == "POST":
        return _POST.fullmatch(path) is not None
    return method in ("GET", "HEAD", "OPTIONS") and _GET.fullmatch(path) is not None


def endpoint_of(path: str) -> str | None:
    """The name of the endpoint that an address calls, or None."""
    match = _ENDPOINT.fullmatch(path)
    return match[1] if match is not None else None


@dataclass(frozen=True)
class Known:
    """The events, components and named endpoints that a page accepts."""

    events: Mapping[int, int]  # how many values each event takes, by its number
    components: frozenset[int]  # ids
    endpoints: Mapping[str, Defaults] = field(default_factory=dict)  # what the named ones take
    texts: frozenset[int] = frozenset()  # events that take a training text, which may be large


def known(page: gr.Blocks, text_fields: frozenset[str]) -> Known:
    """Collects the events, components and endpoints that a page accepts; `text_fields`: element ids
    of the fields that may hold a text of megabytes.
    """
    texts = frozenset(
        number
        for number, event in page.fns.items()
        if any(getattr(item, "elem_id", None) in text_fields for item in event.inputs)
        or event.api_name == "train"
    )
    named = {
        str(event.api_name): {
            name: parameter.default
            for name, parameter in inspect.signature(event.fn).parameters.items()
        }
        for event in page.fns.values()
        if event.api_name and event.api_visibility == "public" and event.fn is not None
    }
    events = {number: len(event.inputs) for number, event in page.fns.items()}
    return Known(events, frozenset(page.blocks), named, texts)


def completed(page: Known, path: str, call: Any, body: bytes) -> tuple[bytes, str]:
    """(the body with defaults for values that a program has left out, what is wrong with its values
    or "").
    """
    name = endpoint_of(path)
    if name is None or name not in page.endpoints:
        takes_values = name is not None or path.rstrip("/").endswith("/queue/join")
        return body, _wrong_values(page, call) if takes_values and isinstance(call, dict) else ""
    takes = page.endpoints[name]
    if not isinstance(call, dict):
        return body, f"{name} takes a JSON object."
    if "/v2/" in path:
        return body, _wrong_names(takes, call, name)
    # values by name, where a list is taken
    if "data" not in call and call and "fn_index" not in call:
        return body, _wrong_names(
            takes, call, name
        ) or f'{name} takes its values as a list: {{"data": [...]}}.'
    given = call.get("data", [])
    if not isinstance(given, list):
        return body, f'{name} takes its values as a list: {{"data": [...]}}.'
    filled = _filled(takes, given, name)
    if isinstance(filled, str):
        return body, filled
    return (
        (body, "")
        if len(filled) == len(given)
        else (json.dumps({**call, "data": filled}).encode(), "")
    )


def wrong_tool_call(page: Known, path: str, call: Any) -> str:
    """Describes the error in the names of values in a call of a tool of the Model Context Protocol;
    "" for none.
    """
    if (
        _MCP.fullmatch(path) is None
        or not isinstance(call, dict)
        or call.get("method") != "tools/call"
    ):
        return ""
    asked = call.get("params")
    name = asked.get("name") if isinstance(asked, dict) else None
    given = asked.get("arguments") if isinstance(asked, dict) else None
    if not isinstance(name, str) or name not in page.endpoints or not isinstance(given, dict):
        return ""
    return _wrong_names(page.endpoints[name], given, name)


def _wrong_values(page: Known, call: Mapping[str, Any]) -> str:
    """Describes the error in the values of an event of the page; "" for none."""
    number = call.get("fn_index")
    data = call.get("data")
    if number is None:
        return ""
    if not isinstance(number, int) or isinstance(number, bool):  # Gradio would take "3" for 3
        return f"The event is {str(number)[:20]!r}; it must be a whole number. Reload the page."
    n = page.events[number]
    if isinstance(data, list) and len(data) == n:
        return ""
    given = f"{len(data):,}" if isinstance(data, list) else "none"
    return f"This event takes {n} values in a list; {given} came. Reload the page."


def _filled(takes: Defaults, given: Sequence[Any], name: str) -> list[Any] | str:
    """Values in order with defaults behind them, or what is wrong with them."""
    names = list(takes)
    left = list(takes.values())[len(given) :]
    if len(given) > len(names):
        return (
            f"{name} takes {len(names)} values at most ({', '.join(names)}); these are "
            f"{len(given):,}."
        )
    missing = [item for item in names[len(given) :] if takes[item] is inspect.Parameter.empty]
    if missing:
        return (
            f"{name} needs {', '.join(missing)}; these are {len(given)} values of "
            f"{', '.join(names)}."
        )
    return [*given, *left]


def _wrong_names(takes: Defaults, given: Mapping[str, Any], name: str) -> str:
    """Describes the error in values by name; "" for none."""
    if unknown := [item for item in given if item not in takes]:
        nearly = get_close_matches(unknown[0][:60], takes, 1, 0.6)
        hint = f"; did you mean {nearly[0]!r}?" if nearly else f". It takes {', '.join(takes)}."
        return f"{name} has no {unknown[0][:60]!r}{hint}"
    missing = [
        take for take in takes if take not in given and takes[take] is inspect.Parameter.empty
    ]
    return f"{name} needs {', '.join(missing)}." if missing else ""
