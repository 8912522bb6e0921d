"""ASGI middleware: host and origin checks, body limits, a rate limit for newcomers, and security headers.

A page on another site can make a visitor's browser send requests here, and can point a name of its own at this machine
(DNS rebinding). Browsers say where a request comes from (Origin) and for whom it is (Host); no page can change that.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import socket
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from anyio.to_thread import run_sync as to_thread

from ui.server.gradio_internals.queue_share import Listeners

# Bytes of JSON: of an event, of what a component asks, and of an event with a text to train on, as JSON may write it.
_LARGEST, _LARGEST_ASKED, _LARGEST_TEXT = 1 << 20, 4 << 20, 48 << 20
_QUICK = 64 << 10  # bytes that are parsed at once
_LARGEST_SKELETON = 64 << 10  # bytes of JSON outside of its strings: lists of millions of lists stop everybody
_HELD = 128 << 20  # bytes of bodies that are read at the same time
_LONGEST_SESSION, _LONGEST_ADDRESS = 64, 8192  # characters
# Without a way back (the ++ and *+): one that could go back would remember gigabytes of it.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_REMOTE = re.compile(r"\s*(?:[a-zA-Z]+:)?//")  # the path of a file that is somewhere else, which Gradio would fetch
_ENDPOINT = re.compile(r"/(?:run|call|api)/(?:v\d/)?([^/]+)/?$")
_LISTENS = re.compile(r"/queue/data$|/call/[^/]+/([^/]+)$")
_FULL = "Too many new visitors at this moment. Wait a few seconds, then reload the page."
_ASKS = ("/component_server", "/queue/join")  # what works on a visitor's state; so do /run/..., /call/... and /api/...
_OF_SPACES = "https://huggingface.co https://*.hf.space"  # pages that show a Space in a frame
_POLICY = "; ".join((
    "default-src 'self'", "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # Gradio makes functions of texts
    "style-src 'self' 'unsafe-inline'", "img-src 'self' data: blob:", "media-src 'self' data: blob:",
    "font-src 'self' data:", "worker-src 'self' blob:", "connect-src 'self' data: blob:", "object-src 'none'",
    "base-uri 'self'", "form-action 'self'",
))  # fmt: skip


def _headers(frames: Sequence[str], *, framed: bool) -> Sequence[tuple[bytes, bytes]]:
    """What browsers are told with every answer; other sites may show a Space in a frame, and those in `frames` this."""
    ancestors = " ".join(["frame-ancestors 'self'", *([_OF_SPACES] if framed else []), *frames])
    return (
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
        (b"content-security-policy", f"{_POLICY}; {ancestors}".encode()),
    )


class RateLimiter:
    """How many new visitors are let in: each takes memory, and the place of one who was here before.

    Args:
        known: visitors remembered, as many as the page's states.
        burst: newcomers at once.
        per_second: newcomers after that.
        clock: seconds.
    """

    def __init__(
        self, known: int, *, burst: int = 150, per_second: float = 20.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._known: OrderedDict[str, None] = OrderedDict()
        self._most, self._burst, self._rate, self._clock = known, burst, per_second, clock
        self._room, self._at = float(burst), clock()

    def let_in(self, visitor: str) -> bool:
        """Whether a visitor may come in; one who is known always may."""
        if visitor in self._known:
            self._known.move_to_end(visitor)
            return True
        now = self._clock()
        self._room, self._at = min(self._burst, self._room + (now - self._at) * self._rate), now
        if self._room < 1:
            return False
        self._room -= 1
        self._known[visitor] = None
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return True


@dataclass(frozen=True)
class Known:
    """What can be asked of a page: numbers of events and components, names of endpoints, and which events take a text
    to train on, and may be large."""

    events: Container[int]
    components: Container[int]
    endpoints: Container[str]
    texts: Container[int] = frozenset()


class GuardMiddleware:
    """Middleware: refuses foreign hosts and origins, requests that are no JSON, and a flood of newcomers.

    Args:
        app: what it stands before.
        newcomers: who is let in.
        hosts: names by which this server may be called, beside its addresses and its own name; "*" for any.
        frames: origins of pages that may show this one in a frame.
        link: the Link header of the page itself.
        listeners: who waits for answers; told here.
        page: what can be asked; anything if it is not known.
    """

    def __init__(
        self,
        app: Any,
        newcomers: RateLimiter,
        hosts: Sequence[str] = (),
        link: str = "",
        frames: Sequence[str] = (),
        *,
        listeners: Listeners | None = None,
        page: Known | None = None,
    ) -> None:
        self._app, self._newcomers, self._page = app, newcomers, page
        self._listeners = listeners if listeners is not None else Listeners()
        self._held = 0
        self._headers = _headers(frames, framed=bool(os.environ.get("SPACE_ID")))
        self._link = [(b"link", link.encode())] if link else []
        own = socket.gethostname().lower()
        self._hosts = {"localhost", own, f"{own}.local", *(host.lower() for host in hosts)}

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Passes on what is allowed; the rest gets a sentence."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _telling_browsers(send, [*self._headers, *self._link] if scope["path"] == "/" else self._headers)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        query = scope.get("query_string", b"")
        if len(scope["path"]) + len(query) > _LONGEST_ADDRESS:
            await refuse(send, 414, f"An address may have {_LONGEST_ADDRESS:,} characters.")
            return
        if "\0" in scope["path"]:
            await refuse(send, 400, "An address may not have a zero byte in it.")
            return
        if refusal := self._foreign(scope["method"], headers):
            await refuse(send, 403, refusal)
            return
        forwarded = headers.get("x-forwarded-host")
        if forwarded is not None and not self._is_own(_name(f"//{forwarded}")):
            scope = _without_forwarded_host(scope)
        if scope["method"] == "POST" and _asks(scope["path"]):
            if not headers.get("content-type", "").lower().startswith("application/json"):
                await refuse(send, 415, "This address takes JSON only.")
                return
            await self._pass_body(scope, receive, send)
            return
        listening = _listening(scope["path"], query) if scope["method"] == "GET" else None
        if listening is None:
            await self._app(scope, receive, send)
            return
        if not _is_session(listening):
            await refuse(send, 400, f"A session's name has 1 to {_LONGEST_SESSION} characters.")
            return
        self._listeners.begin(listening)
        try:
            await self._app(scope, receive, send)
        finally:
            self._listeners.end(listening)

    async def _pass_body(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Passes an event or a question on, once its body is known to be harmless."""
        asked = scope["path"].rstrip("/").endswith("/component_server")
        size = 0
        try:
            parts = []
            async for part in _parts(receive):
                size, self._held = size + len(part), self._held + len(part)
                parts.append(part)
                if size > _LARGEST_TEXT or (asked and size > _LARGEST_ASKED):
                    await refuse(send, 413, _too_large(_LARGEST_ASKED if asked else _LARGEST_TEXT))
                    return
                if self._held > _HELD:
                    await refuse(send, 503, "The server is reading too many large requests. Try again in a moment.")
                    return
            body = b"".join(parts)
            # A large one is looked through in a thread: the others' requests go on meanwhile.
            found = _parsed(body) if size <= _QUICK else await to_thread(_parsed, body)
            if _has_remote_file(found):
                await refuse(send, 400, "A file is uploaded; this server fetches none from another address.")
                return
            if refusal := self._unfit(scope["path"], size, found, asked=asked):
                await refuse(send, *refusal)
                return
            session = found.get("session_hash") if isinstance(found, dict) else None
            visitor = session if isinstance(session, str) else f"nobody {time.monotonic_ns()}"
            if not self._newcomers.let_in(visitor):
                await refuse(send, 429, _FULL)
                return
            await self._app(scope, _again(body, receive), send)
        finally:
            self._held -= size

    def _unfit(self, path: str, size: int, found: Any, *, asked: bool) -> tuple[int, str] | None:
        """Why a body is not taken, with its status; None for one that is."""
        if found is _TOO_MANY_PARTS:
            return 413, "This request has too many parts. A list may hold some thousands."
        named = found.get("fn_index") if isinstance(found, dict) else None
        texts = self._page.texts if self._page is not None else frozenset()
        takes_text = named in texts if isinstance(named, int) else path.rstrip("/").endswith("/train")
        if size > _LARGEST and not asked and not takes_text:
            return 413, _too_large(_LARGEST)
        session = found.get("session_hash") if isinstance(found, dict) else None
        if isinstance(session, str) and not _is_session(session):
            return 400, f"A session's name has 1 to {_LONGEST_SESSION} characters."
        if self._page is not None and (unknown := _unknown(self._page, path, found)):
            return 404, f"There is no {unknown} here. The page's link “Use via API” lists what there is."
        return None

    def _foreign(self, method: str, headers: dict[str, str]) -> str:
        """Why a request is not for this server or not from its own page; "" for one that is."""
        host = _name(f"//{headers.get('host', '')}")
        if not self._is_own(host):
            return f"This server is not called {host[:80]!r}. Start it with --allow-host {host[:80]} if it is."
        origin = headers.get("origin")
        if origin is None or method in ("GET", "HEAD", "OPTIONS"):
            return ""
        own = {host, *self._hosts} - {""}
        if _name(origin) in own and self._is_own_port(origin, headers.get("host", "")):
            return ""  # not by X-Forwarded-Host, which a foreign page may set
        return f"A page of {origin[:80]!r} may not ask this server. Start it with --allow-host if it may."

    @staticmethod
    def _is_own_port(origin: str, host: str) -> bool:
        """Whether a page comes from the port that it asks: other programs serve pages on this machine, too."""
        theirs, ours = _port(origin), _port(f"//{host}")
        if _is_loopback(_name(origin)):
            return theirs == ours
        return True  # a proxy's port is its own affair

    def _is_own(self, host: str) -> bool:
        if "*" in self._hosts or host in self._hosts:
            return True
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return True  # an address cannot be pointed elsewhere, as a name can


def allowed_hosts(given: Sequence[str]) -> list[str]:
    """The names given on the command line and in GPTLENS_HOSTS; on a Space its own, by any that its router uses."""
    space = ["*", os.environ.get("SPACE_HOST", "")] if os.environ.get("SPACE_ID") else []
    return [*given, *os.environ.get("GPTLENS_HOSTS", "").replace(",", " ").split(), *filter(None, space)]


async def refuse(send: Any, status: int, sentence: str) -> None:
    """Answers with a sentence."""
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})


def _telling_browsers(send: Any, headers: Sequence[tuple[bytes, bytes]]) -> Any:
    async def telling(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message["headers"]}
            more = [header for header in headers if header[0] not in there]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return telling


def _unknown(page: Known, path: str, found: Any) -> str:
    """What a request asks of a page that it has not; "" where it has all."""
    given = found if isinstance(found, dict) else {}
    event, component = given.get("fn_index"), given.get("component_id")
    if isinstance(event, int) and event not in page.events:
        return f"event {event}"
    if path.endswith("/component_server"):
        return "" if isinstance(component, int) and component in page.components else f"component {component!r:.20}"
    name = _ENDPOINT.search(path)
    if name is None or name[1] in page.endpoints or (name[1] == "predict" and event is not None):
        return ""
    return f"endpoint {name[1][:60]!r}"


def _asks(path: str) -> bool:
    path = path.rstrip("/")
    return path.endswith(_ASKS) or any(part in path for part in ("/run/", "/call/", "/api/"))


def _name(url: str) -> str:
    """The host of a URL without its port, in small letters; "" where there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


async def _parts(receive: Any) -> AsyncIterator[bytes]:
    """The parts of a request's body as they come."""
    more = True
    while more:
        message = await receive()
        yield message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)


def _again(body: bytes, receive: Any) -> Any:
    """What gives a body that was read already, then whatever comes, such as the end of the connection."""
    rest = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return rest.pop() if rest else await receive()

    return again


_TOO_MANY_PARTS = object()


def _parsed(body: bytes) -> Any:
    """What a body says; None for no JSON, _TOO_MANY_PARTS for one that would take long to go through."""
    if len(body) > _LARGEST_SKELETON and len(_STRING.sub(b"s", body)) > _LARGEST_SKELETON:
        return _TOO_MANY_PARTS
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _has_remote_file(found: Any) -> bool:
    """Whether a file of a request is named by an address; Gradio's files are objects with a path."""
    left = [found]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            path = one.get("path")
            if isinstance(path, str) and _REMOTE.match(path):
                return True
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
    return False


def _too_large(most: int) -> str:
    return f"A request may have {most >> 20} MB."


def _is_session(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_SESSION


def _listening(path: str, query: bytes) -> str | None:
    """The session, or the event of a plain call, for whose answers a request waits; None for other requests."""
    found = _LISTENS.search(path)
    if found is None:
        return None
    if found[1] is not None:
        return found[1]
    return parse_qs(query.decode("latin-1")).get("session_hash", [""])[0]


def _without_forwarded_host(scope: dict[str, Any]) -> dict[str, Any]:
    """A request without X-Forwarded-Host, by which Gradio would make the page's address from what anybody sends."""
    kept = [header for header in scope["headers"] if header[0].lower() != b"x-forwarded-host"]
    return scope if len(kept) == len(scope["headers"]) else {**scope, "headers": kept}


def _port(url: str) -> int | None:
    """The port of a URL, the usual one where it names none."""
    try:
        parts = urlsplit(url)
        return parts.port or {"https": 443}.get(parts.scheme, 80)
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
