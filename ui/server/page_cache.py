"""ASGI middleware that keeps the rendered page and its configuration: Gradio makes them anew for
every visit.

They are the same for all visitors, but for the address in them and the encoding that the browser
takes. Whatever else a request says, in its query or in headers, changes nothing
(`ui.server.middleware` removes what Gradio would heed).
"""

import asyncio
from collections import OrderedDict
from typing import Any

_MOST_KEPT = 32  # renderings, at about 60 kB each
_VARIES_BY = (b"host", b"x-forwarded-proto", b"x-forwarded-host", b"accept-encoding")
_SAME_FOR_ALL = ("", "/", "/config", "/config/")


class PageCache:
    """Answers requests for the page from what was sent before, where it would be the same."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._kept: OrderedDict[tuple[Any, ...], list[dict[str, Any]]] = OrderedDict()
        self._rendering: dict[tuple[Any, ...], asyncio.Lock] = {}

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Passes on whatever is not the page."""
        if not _is_page(scope):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        key = (
            scope.get("scheme"),
            scope["path"],
            scope.get("root_path"),
            *map(headers.get, _VARIES_BY),
        )
        # those who come meanwhile wait for the first
        async with self._rendering.setdefault(key, asyncio.Lock()):
            messages = self._kept.get(key) or await self._rendered(scope, receive)
            if messages and messages[0].get("status") == 200:
                self._kept[key] = messages
                self._kept.move_to_end(key)
            else:
                self._rendering.pop(key, None)
            while len(self._kept) > _MOST_KEPT:
                self._rendering.pop(self._kept.popitem(last=False)[0], None)
        for message in messages:
            await send(message)

    async def _rendered(self, scope: dict[str, Any], receive: Any) -> list[dict[str, Any]]:
        """The app's answer, whole."""
        messages = list[dict[str, Any]]()

        async def keep(message: dict[str, Any]) -> None:
            messages.append(message)

        await self._app({**scope, "query_string": b""}, receive, keep)
        return messages


def _is_page(scope: dict[str, Any]) -> bool:
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    return path in _SAME_FOR_ALL
