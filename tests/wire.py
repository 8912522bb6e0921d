"""A visitor without a browser: speaks to the page's server as its scripts do, but may send
anything.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import httpx

API = "/gradio_api"
T = TypeVar("T")


class Page:
    """What the server says of itself: components by the names in the page, and the events on them.

    Args:
        config: as the server gives it under /config.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.components: dict[int, dict[str, Any]] = {
            item["id"]: item for item in config["components"]
        }
        named = ((item["props"].get("elem_id"), item["id"]) for item in config["components"])
        self.ids: dict[str, int] = {name: number for name, number in named if name}
        self.events: list[dict[str, Any]] = config["dependencies"]

    def event(self, name: str, kind: str) -> dict[str, Any]:
        """The event of the component of a name that the server handles."""
        target = [self.ids[name], kind]
        return next(
            event
            for event in self.events
            if target in [list(t) for t in event["targets"]] and event["backend_fn"]
        )

    def values(self, event: Mapping[str, Any], changes: Mapping[str, Any] = {}) -> list[Any]:
        """What an untouched page would send, with some components changed by their names."""
        changed = {self.ids[name]: value for name, value in changes.items()}
        return [
            changed.get(item, self.components[item]["props"].get("value"))
            for item in event["inputs"]
        ]


class Visitor:
    """One open page.

    Args:
        client: of the address of the server.
        page: see `visit`.
    """

    def __init__(self, client: httpx.AsyncClient, page: Page) -> None:
        self.client = client
        self.page = page
        self.session = secrets.token_hex(6)

    async def send(
        self, event: Mapping[str, Any], data: Sequence[Any]
    ) -> AsyncIterator[dict[str, Any]]:
        """The server's messages about an event, to its end. Raises httpx.HTTPStatusError where it
        is refused.
        """
        body = {
            "data": list(data),
            "fn_index": event["id"],
            "session_hash": self.session,
            "trigger_id": None,
        }
        joined = await self._post("queue/join", body)
        joined.raise_for_status()
        mine = joined.json()["event_id"]
        where = {"session_hash": self.session}
        async with self.client.stream("GET", f"{API}/queue/data", params=where) as stream:
            async for line in stream.aiter_lines():
                if not line.startswith("data:"):
                    continue
                message = json.loads(line[5:])
                if message.get("event_id") in (mine, None):
                    yield message
                if message["msg"] == "close_stream":
                    return

    async def ask(self, name: str, function: str, data: object) -> httpx.Response:
        """What a component's function on the server answers."""
        body = {
            "data": data,
            "fn_name": function,
            "component_id": self.page.ids[name],
            "session_hash": self.session,
        }
        return await self._post("component_server", body)

    async def _post(self, where: str, body: object) -> httpx.Response:
        as_json = {"content-type": "application/json"}
        return await self.client.post(f"{API}/{where}", content=json.dumps(body), headers=as_json)


def apart(work: Callable[[], T]) -> T:
    """What a function returns that begins an event loop, from a thread: browser tests may have left
    one in this.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def answered(app, path="/", method="GET", body=b"", query="", client=None, **headers: str):
    """(status, headers, body) of what an ASGI app answers to a body in two parts; header names with
    _ for -.
    """
    named = {
        "host": "127.0.0.1:7860",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "client": client,
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
    }
    sent = list[dict[str, Any]]()
    parts = [body[:10], body[10:]]

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    apart(lambda: asyncio.run(app(scope, receive, send)))
    return sent[0]["status"], dict(sent[0].get("headers", ())), sent[1]["body"]


async def visit(client: httpx.AsyncClient, page: Page | None = None) -> Visitor:
    """Opens the page: its HTML, and what it says of itself where that is not known."""
    (await client.get("/")).raise_for_status()
    if page is None:
        page = Page((await client.get("/config")).json())
    return Visitor(client, page)
