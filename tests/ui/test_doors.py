"""What is open of all that Gradio serves, found in its own list of routes."""

import re

import gradio as gr
import pytest
from gradio.routes import App
from test_guard import asked, guard

from ui.server import doors

CLOSED = ("vibe", "monitoring", "reload", "proxy", "stream", "recording", "history", "deep_link", "login", "custom")


def routes() -> list[tuple[str, str]]:
    """(method, path) of all, with something in the place of each parameter."""
    with gr.Blocks() as page:
        gr.HTML()
    served, found = App.create_app(page), set()
    for route in served.routes:
        for one in route.original_router.routes if hasattr(route, "original_router") else [route]:
            path = re.sub(r"\{\w+(:path)?\}", "x", getattr(one, "path", ""))
            found |= {(method, path) for method in getattr(one, "methods", None) or ()}
    return sorted(found)


ROUTES = routes()


def test_there_are_routes_of_every_kind():
    assert len(ROUTES) > 60 and {"GET", "HEAD", "POST"} <= {method for method, _ in ROUTES}


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_route_is_closed_or_has_the_limits(method, path):
    """A body that takes seconds to read, one that is no JSON, one of another kind: none of them reaches Gradio."""
    if not doors.is_open(method, path):
        status, _, said = asked(guard(), path, method, b"{}", content_type="application/json")
        assert status == 404 and b"nothing at this address" in said
        return
    assert not any(word in path for word in CLOSED if word != "login" or "login_check" not in path)
    if method == "POST" and not path.startswith(doors.UPLOAD):
        for body, kind, expected in (
            (b"[" + b"[]," * 40_000 + b"1]", "application/json", 413), (b"NaN", "application/json", 400),
            (b"{}", "text/plain", 415), (b" " * (49 << 20), "application/json", 413),
        ):  # fmt: skip
            assert in_threads(path, body, kind) == expected, body[:20]


def in_threads(path: str, body: bytes, kind: str) -> int:
    """The status of a request whose body may be looked through in a thread."""
    import asyncio

    from wire import apart

    found = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        found.append(message)

    headers = [(b"host", b"127.0.0.1:7860"), (b"content-type", kind.encode())]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
    apart(lambda: asyncio.run(guard()(scope, receive, send)))
    return found[0]["status"]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT"])
def test_no_other_method_is_open(method):
    assert not any(doors.is_open(method, path) for _, path in ROUTES)
