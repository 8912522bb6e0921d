"""Graceful shutdown: ends responses in progress cleanly, and refuses new POST requests with a
sentence.
"""

import asyncio
from typing import Any

from ui.server.middleware import refuse

_ENDING = (
    503,
    "The server is shutting down. Your request was not answered: send it again once the server "
    "is back.",
)
_SECONDS = 2.0  # in which what is cut off gets its last word


class OpenRequests:
    """The requests in progress, so that they can be ended in order; shared with
    EndingMiddleware.
    """

    def __init__(self) -> None:
        self.ending = False
        self.tasks: dict[asyncio.Task[Any], asyncio.AbstractEventLoop] = {}

    def end(self) -> None:
        """Ends what is in progress, from another thread than the server's."""
        self.ending = True
        tasks = dict(self.tasks)
        for loop in {loop for loop in tasks.values() if not loop.is_closed()}:
            of_loop = [task for task, its in tasks.items() if its is loop]
            asyncio.run_coroutine_threadsafe(_cancelled(of_loop), loop).result(2 * _SECONDS)


async def _cancelled(tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=_SECONDS)


class EndingMiddleware:
    """ASGI middleware: closes an answer that the server's end cuts off, or refuses a request that
    has none yet.
    """

    def __init__(self, app: Any, requests: OpenRequests) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Passes a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._requests.ending and scope["method"] == "POST":
            await refuse(send, *_ENDING)
            return
        begun, complete, task = False, False, asyncio.current_task()

        async def sending(message: dict[str, Any]) -> None:
            nonlocal begun, complete
            begun = True
            complete = message["type"] == "http.response.body" and not message.get(
                "more_body", False
            )
            await send(message)

        if task is not None:
            self._requests.tasks[task] = asyncio.get_running_loop()
        try:
            await self._app(scope, receive, sending)
        except asyncio.CancelledError:
            if not self._requests.ending:
                raise
            if not begun:
                await refuse(send, *_ENDING)
            elif not complete:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            if task is not None:
                self._requests.tasks.pop(task, None)
