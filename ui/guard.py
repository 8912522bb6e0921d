"""What stands before the page: who may ask, in which form, how many newcomers at a time, and what browsers are told.

A page on another site can make a visitor's browser send requests here, and can point a name of its own at this machine
(DNS rebinding). Browsers say where a request comes from (Origin) and for whom it is (Host); no page can change that.
"""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

_LARGEST_BODY = 48 << 20  # bytes of JSON; the largest text for training, as JSON may write it
_FULL = "Too many new visitors at this moment. Wait a few seconds, then reload the page."
_ASKS = ("/component_server", "/queue/join")  # what works on a visitor's state; so do /run/..., /call/... and /api/...
_POLICY = "; ".join((
    "default-src 'self'", "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # Gradio makes functions of texts
    "style-src 'self' 'unsafe-inline'", "img-src 'self' data: blob:", "media-src 'self' data: blob:",
    "font-src 'self' data:", "worker-src 'self' blob:", "connect-src 'self' data: blob:", "object-src 'none'",
    "base-uri 'self'", "form-action 'self'", "frame-ancestors 'self' https://huggingface.co https://*.hf.space",
))  # fmt: skip
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"content-security-policy", _POLICY.encode()),
)


class Newcomers:
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


class Guard:
    """Middleware: refuses foreign hosts and origins, requests that are no JSON, and a flood of newcomers.

    Args:
        app: what it stands before.
        newcomers: who is let in.
        hosts: names by which this server may be called, beside its addresses and its own name; "*" for any.
        link: the Link header of the page itself.
    """

    def __init__(self, app: Any, newcomers: Newcomers, hosts: Sequence[str] = (), link: str = "") -> None:
        self._app, self._newcomers = app, newcomers
        self._link = [(b"link", link.encode())] if link else []
        own = socket.gethostname().lower()
        self._hosts = {"localhost", own, f"{own}.local", *(host.lower() for host in hosts)}

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Passes on what is allowed; the rest gets a sentence."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _telling_browsers(send, [*_HEADERS, *self._link] if scope["path"] == "/" else _HEADERS)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if refusal := self._foreign(scope["method"], headers):
            await refuse(send, 403, refusal)
            return
        if scope["method"] == "POST" and _asks(scope["path"]):
            if not headers.get("content-type", "").lower().startswith("application/json"):
                await refuse(send, 415, "This address takes JSON only.")
                return
            body = await _whole(receive)
            if body is None:
                await refuse(send, 413, f"A request may have {_LARGEST_BODY >> 20} MB.")
                return
            if not self._newcomers.let_in(_visitor(body)):
                await refuse(send, 429, _FULL)
                return
            receive = _again(body, receive)
        await self._app(scope, receive, send)

    def _foreign(self, method: str, headers: dict[str, str]) -> str:
        """Why a request is not for this server or not from its own page; "" for one that is."""
        host = _name(f"//{headers.get('host', '')}")
        if not self._is_own(host):
            return f"This server is not called {host[:80]!r}. Start it with --allow-host {host[:80]} if it is."
        origin = headers.get("origin")
        if origin is None or method in ("GET", "HEAD", "OPTIONS"):
            return ""
        if _name(origin) in {host, *self._hosts} - {""}:  # not X-Forwarded-Host, which a foreign page may set
            return ""
        return f"A page of {origin[:80]!r} may not ask this server. Start it with --allow-host if it may."

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


def _asks(path: str) -> bool:
    path = path.rstrip("/")
    return path.endswith(_ASKS) or any(part in path for part in ("/run/", "/call/", "/api/"))


def _name(url: str) -> str:
    """The host of a URL without its port, in small letters; "" where there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


async def _whole(receive: Any) -> bytes | None:
    """The body of a request, or None for one that is too large."""
    parts, size = [], 0
    while True:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size > _LARGEST_BODY:
            return None
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, receive: Any) -> Any:
    """What gives a body that was read already, then whatever comes, such as the end of the connection."""
    rest = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return rest.pop() if rest else await receive()

    return again


def _visitor(body: bytes) -> str:
    """The session that a request names; one that names none is a newcomer of its own."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    named = found.get("session_hash") if isinstance(found, dict) else None
    return named if isinstance(named, str) else f"nobody {time.monotonic_ns()}"
