"""What is open of all that Gradio serves, found in its own list of routes."""

import re

import gradio as gr
import pytest
from gradio.routes import App
from test_guard import guard
from wire import answered as asked

from ui.server import doors

CLOSED = ("vibe", "monitoring", "reload", "proxy", "stream", "recording", "history", "deep_link", "login", "custom")
JSON = "application/json"
# Bodies of too many parts, that are no JSON, of another kind, or too large.
REFUSED = (
    *((b"[" + part * 60_000 + b"1]", JSON, 413) for part in (b"[],", b"{},", b"1,", b'"",')),
    *((body, JSON, 400) for body in (b"NaN", b'{"a": [-Infinity]}', b"\xff\xfe", b'{"a": ["\xff"]}', b"{", b"")),
    (b"{}", "text/plain", 415), (b"{}", "multipart/form-data; boundary=x", 415), (b" " * (49 << 20), JSON, 413),
)  # fmt: skip


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
    """Nothing of REFUSED reaches Gradio at any address."""
    if not doors.is_open(method, path):
        status, _, said = asked(guard(), path, method, b"{}", content_type=JSON)
        assert status == 404 and b"nothing at this address" in said
        return
    assert not any(word in path for word in CLOSED if word != "login" or "login_check" not in path)
    if method == "POST" and not path.startswith(doors.UPLOAD):
        for body, kind, expected in REFUSED:
            assert asked(guard(), path, "POST", body, content_type=kind)[0] == expected, body[:20]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT"])
def test_no_other_method_is_open(method):
    assert not any(doors.is_open(method, path) for _, path in ROUTES)
