"""ASGI middleware: host and origin checks, body limits, a rate limit for newcomers, and security
headers.

A page on another site can make a visitor's browser send requests here, and can point a name of its
own at this machine (DNS rebinding). Browsers say where a request comes from (Origin) and for whom
it is (Host); no page can change that.
"""

import json
import re
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from anyio.to_thread import run_sync as to_thread

from ui.server import open_routes
from ui.server.bodies import parsed_body
from ui.server.open_routes import Known
from ui.server.options import ServerOptions
from ui.state.clients import Clients, NewcomerShares, asking, ip, is_loopback, let_go

# A stream of events is passed on as it is written, also by a proxy that buffers (nginx, as it
# comes).
_STREAM = ((b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no"))
_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # Gradio compiles strings to functions
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "connect-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
)


def headers_of(frames: Sequence[str]) -> Sequence[tuple[bytes, bytes]]:
    """Returns the headers of every answer to browsers; the sites in `frames` may show this one in a
    frame.
    """
    ancestors = " ".join(["frame-ancestors 'self'", *frames])
    return (
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
        (b"content-security-policy", f"{_POLICY}; {ancestors}".encode()),
    )


def telling_browsers(
    send: Any, headers: Sequence[tuple[bytes, bytes]], *, is_foreign: bool = False
) -> Any:
    """Wraps an ASGI `send` to add the headers that a response lacks.

    is_foreign: whether a page of another site sent the request; then Gradio's CORS headers, which
    would let that page read the response, are removed.
    """

    async def telling(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            if is_foreign:
                kept = [
                    item
                    for item in message["headers"]
                    if not item[0].lower().startswith(b"access-control-")
                ]
                message = {**message, "headers": kept}
            there = {name.lower() for name, _ in message["headers"]}
            more = [header for header in headers if header[0] not in there]
            if any(
                name.lower() == b"content-type" and kind.startswith(b"text/event-stream")
                for name, kind in message["headers"]
            ):
                more += [header for header in _STREAM if header[0] not in there]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return telling


# Bytes of JSON: of an event, of what a component asks, and of an event with a text to train on, as
# JSON may write it.
_LARGEST = 1 << 20
_LARGEST_ASKED = 4 << 20
_LARGEST_TEXT = 48 << 20
_QUICK = 64 << 10  # bytes; larger bodies are parsed in a thread
# bytes of request bodies held at the same time; each client has a share, half of it at most
_HELD = 128 << 20
_LOCAL = ServerOptions()
# characters
_LONGEST_SESSION = 64
_LONGEST_ADDRESS = 8192
_LISTENS = re.compile(r"/queue/data$|/call/[^/]+/([^/]+)$")
_HEARTBEAT = re.compile(r"/heartbeat/([^/]+)/?$")
_PAGE_KEY = "x-lens-page"  # the header with which a page names itself: `ui/frame/view/page_key.js`
_OF_ANOTHER = (
    "This session belongs to another page. Reload yours, or give your program's session another "
    "name."
)
_FULL = (
    "Too many new visitors from your address at this moment. Wait a few seconds, then reload the "
    "page."
)


class GuardMiddleware:
    """Middleware: rejects foreign hosts and origins, non-JSON requests, and a flood of newcomers.

    Args:
        newcomers: shares of new visitors.
        options: the server's names, the pages that may frame it, and whether MCP is spoken.
        link: the Link header of the page itself.
        listeners: counts of open answer streams, updated here.
        page: accepted events and endpoints; None accepts all.
    """

    def __init__(
        self,
        app: Any,
        newcomers: NewcomerShares,
        options: ServerOptions = _LOCAL,
        *,
        link: str = "",
        listeners: Counter[str] | None = None,
        page: Known | None = None,
        clients: Clients | None = None,
    ) -> None:
        self._app = app
        self._newcomers = newcomers
        self._page = page
        self._mcp = options.mcp
        self._clients = clients or Clients()
        self._listeners = listeners if listeners is not None else Counter[str]()
        self._held = Counter[str]()  # bytes by client
        self._headers = headers_of(options.frames)
        self._link = [(b"link", link.encode())] if link else []
        own = socket.gethostname().lower()
        self._hosts = {"localhost", own, f"{own}.local"}
        self._hosts.update(host.lower() for host in options.hosts)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Passes allowed requests on; rejects the others with a message."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = self._heard(scope)
        headers = _named(scope["headers"])
        is_foreign = bool(headers.get("origin") and self._foreign("POST", headers))
        told = [*self._headers, *self._link] if scope["path"] == "/" else self._headers
        send = telling_browsers(send, told, is_foreign=is_foreign)
        query = scope.get("query_string", b"")
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if refusal := self._refusal(scope["method"], path, len(query), headers):
            await refuse(send, *refusal)
            return
        if scope["method"] == "POST" and path.rstrip("/") != open_routes.UPLOAD:
            await self._pass_body(path, scope, receive, send)
            return
        listening = _listening(scope["path"], query) if scope["method"] == "GET" else None
        beating = _HEARTBEAT.search(path)
        session = beating[1] if beating is not None else listening
        if session is not None and not self._clients.is_page_of(
            session, headers.get(_PAGE_KEY, "")
        ):
            await refuse(send, 403, _OF_ANOTHER)
            return
        if listening is None:
            await self._app(scope, receive, send)
            return
        if not _is_session(listening):
            await refuse(send, 400, f"A session's name has 1 to {_LONGEST_SESSION} characters.")
            return
        if path.rstrip("/").endswith("/queue/data") and not self._clients.knows(listening):
            await refuse(
                send,
                404,
                "This server knows no page of this session: it has asked nothing. Reload the page.",
            )
            return
        self._listeners[listening] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            let_go(self._listeners, listening)

    def _heard(self, scope: dict[str, Any]) -> dict[str, Any]:
        """Removes untrusted headers from a request, and reduces Accept-Encoding to one encoding.

        Gradio builds the page's addresses from headers, and one visitor's headers must not change
        the cached page of all others. With gzip, br or none, it has three versions per address.
        """
        kept = list[tuple[bytes, bytes]]()
        for name, value in scope["headers"]:
            text = value.decode("latin-1")
            is_told = not name.startswith(b"x-gradio-")
            # of several proxies the first has met the visitor
            if name in (b"x-forwarded-host", b"x-forwarded-proto"):
                first = text.partition(",")[0].strip().lower()
                value = first.encode("latin-1")
                is_told = (
                    first in ("http", "https")
                    if name.endswith(b"proto")
                    else self._is_own(_name(f"//{first}"))
                )
            elif name == b"accept-encoding":
                encoding = _encoding(text)
                is_told = bool(encoding)
                value = encoding
            if is_told:
                kept.append((name, value))
        return {**scope, "headers": kept}

    async def _pass_body(self, path: str, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Validates the body of an event or a component request, then passes it on."""
        is_component = path.rstrip("/").endswith("/component_server")
        client = self._clients.address(_named(scope["headers"]), (scope.get("client") or ("",))[0])
        size = 0
        try:
            parts = []
            async for part in _parts(receive):
                size += len(part)
                self._held[client] += len(part)
                parts.append(part)
                if size > _LARGEST_TEXT or (is_component and size > _LARGEST_ASKED):
                    await refuse(
                        send, 413, _too_large(_LARGEST_ASKED if is_component else _LARGEST_TEXT)
                    )
                    return
                if self._held[client] > max(_LARGEST, _HELD // max(2, len(self._held))):
                    await refuse(
                        send,
                        503,
                        "You send too many large requests at once. Wait until one is answered.",
                    )
                    return
            body = b"".join(parts)
            # Large bodies are parsed in a thread, so that other requests are not blocked.
            parsed, refusal = (
                parsed_body(body) if size <= _QUICK else await to_thread(parsed_body, body)
            )
            refusal = refusal or self._unfit(path, size, parsed, is_component=is_component)
            if refusal is None and self._page is not None:
                if said := open_routes.wrong_tool_call(self._page, path, parsed):
                    await _answer_tool_call(send, parsed.get("id"), said)
                    return
                body, wrong = open_routes.completed(self._page, path, parsed, body)
                refusal = (400, wrong) if wrong else None
                scope = _with_header(scope, b"content-length", str(len(body)))
            if refusal is not None:
                await refuse(send, *refusal)
                return
            session = parsed.get("session_hash") if isinstance(parsed, dict) else None
            if isinstance(session, str):
                key = _named(scope["headers"]).get(_PAGE_KEY, "")
                if not self._clients.is_page_of(session, key):
                    await refuse(send, 403, _OF_ANOTHER)
                    return
                self._clients.seen(session, client, key)
            visitor = session if isinstance(session, str) else f"nobody {time.monotonic_ns()}"
            if not self._newcomers.let_in(visitor, client):
                await refuse(send, 429, _FULL)
                return
            asking.set(client)
            await self._app(scope, _again(body, receive), send)
        finally:
            let_go(self._held, client, size)

    def _refusal(
        self, method: str, path: str, n_query: int, headers: dict[str, str]
    ) -> tuple[int, str] | None:
        """The rejection of a request by its head, (status, message); None if it may pass."""
        if len(path) + n_query > _LONGEST_ADDRESS:
            return 414, f"An address may have {_LONGEST_ADDRESS:,} characters."
        if "\0" in path:
            return 400, "An address may not have a zero byte in it."
        if foreign := self._foreign(method, headers):
            return 403, foreign
        if not open_routes.is_open(method, path, mcp=self._mcp):
            return 404, open_routes.MISSING
        is_json = headers.get("content-type", "").lower().startswith("application/json")
        if method == "POST" and path.rstrip("/") != open_routes.UPLOAD and not is_json:
            return 415, "This address takes JSON only."
        return None

    def _unfit(
        self, path: str, size: int, parsed: Any, *, is_component: bool
    ) -> tuple[int, str] | None:
        """The rejection of a body, (status, message); None if it is accepted."""
        named = parsed.get("fn_index") if isinstance(parsed, dict) else None
        texts = self._page.texts if self._page is not None else frozenset()
        takes_text = (
            named in texts if isinstance(named, int) else path.rstrip("/").endswith("/train")
        )
        if size > _LARGEST and not is_component and not takes_text:
            return 413, _too_large(_LARGEST)
        session = parsed.get("session_hash") if isinstance(parsed, dict) else None
        if isinstance(session, str) and not _is_session(session):
            return 400, f"A session's name has 1 to {_LONGEST_SESSION} characters."
        if self._page is not None and (unknown := _unknown(self._page, path, parsed)):
            return (
                404,
                f"There is no {unknown} here. The page's link “Use via API” lists what there is.",
            )
        return None

    def _foreign(self, method: str, headers: dict[str, str]) -> str:
        """Why a request has a foreign host or origin; "" if it has not."""
        host = _name(f"//{headers.get('host', '')}")
        if not self._is_own(host):
            return (
                f"This server is not called {host[:80]!r}. Start it with --allow-host {host[:80]} "
                "if it is."
            )
        origin = headers.get("origin")
        if origin is None or method in ("GET", "HEAD", "OPTIONS"):
            return ""
        # By X-Forwarded-Host, which a foreign page may set, nothing is allowed. Behind a proxy,
        # ports may differ; other programs serve pages on this machine, too.
        name = _name(origin)
        ports = (_port(origin), _port(f"//{headers.get('host', '')}"))
        if name in {host, *self._hosts} - {""} and (not is_loopback(name) or ports[0] == ports[1]):
            return ""
        return (
            f"Pages from {origin[:80]!r} may not call this server. To allow them, start it with "
            "--allow-host."
        )

    def _is_own(self, host: str) -> bool:
        """An IP address is not open to DNS rebinding."""
        return "*" in self._hosts or host in self._hosts or ip(host) is not None


def _named(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers of a request by name."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}


async def refuse(send: Any, status: int, sentence: str) -> None:
    """Sends a plain-text error response."""
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})


async def _answer_tool_call(send: Any, number: Any, sentence: str) -> None:
    """Answers a call of a tool with an error that its model reads, as the Model Context Protocol
    has it.
    """
    result = {"content": [{"type": "text", "text": sentence}], "isError": True}
    body = json.dumps(
        {"jsonrpc": "2.0", "id": number, "result": result}, ensure_ascii=False
    ).encode()
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-type", b"application/json")],
        }
    )
    await send({"type": "http.response.body", "body": body})


def _unknown(page: Known, path: str, call: Any) -> str:
    """The unknown event, component or endpoint of a request; "" if all are known."""
    given = call if isinstance(call, dict) else {}
    event = given.get("fn_index")
    component = given.get("component_id")
    if isinstance(event, int) and event not in page.events:
        return f"event {event}"
    if path.endswith("/component_server"):
        return (
            ""
            if isinstance(component, int) and component in page.components
            else f"component {component!r:.20}"
        )
    name = open_routes.endpoint_of(path)
    if name is None or name in page.endpoints or (name == "predict" and event is not None):
        return ""
    return f"endpoint {name[:60]!r}"


def _name(url: str) -> str:
    """The host of a URL without its port, in lower case; "" if there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


async def _parts(receive: Any) -> AsyncIterator[bytes]:
    """Yields the chunks of a request's body."""
    more = True
    while more:
        message = await receive()
        yield message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)


def _again(body: bytes, receive: Any) -> Any:
    """A `receive` that replays a body already read, then passes on later messages, such as a
    disconnect.
    """
    rest = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return rest.pop() if rest else await receive()

    return again


def _encoding(accepted: str) -> bytes:
    """One of the encodings that a browser takes, by its Accept-Encoding: b"gzip", b"br", or b"" for
    neither.
    """
    offers = [offer.replace(" ", "").partition(";") for offer in accepted.lower().split(",")]
    names = {
        name for name, _, quality in offers if quality not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    }
    return b"gzip" if "gzip" in names else b"br" if "br" in names else b""


def _with_header(scope: dict[str, Any], name: bytes, value: str | None) -> dict[str, Any]:
    """The scope of a request with another value of a header; None for without it."""
    others = [header for header in scope["headers"] if header[0].lower() != name]
    return {**scope, "headers": others if value is None else [*others, (name, value.encode())]}


def _too_large(most: int) -> str:
    return f"A request may have at most {most >> 20} MB."


def _is_session(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_SESSION


def _listening(path: str, query: bytes) -> str | None:
    """The session, or the event id of an API call, that a request listens to; None for other
    requests.
    """
    match = _LISTENS.search(path)
    if match is None:
        return None
    if match[1] is not None:
        return match[1]
    return parse_qs(query.decode("latin-1")).get("session_hash", [""])[0]


def _port(url: str) -> int | None:
    """The port of a URL, or its scheme's default."""
    try:
        parts = urlsplit(url)
        return parts.port or {"https": 443}.get(parts.scheme, 80)
    except ValueError:
        return None
