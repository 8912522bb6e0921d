"""A start on a busy machine: Gradio waits five seconds for its server to listen, and three for its
first answer.

After five seconds it says that the port is taken, and after three that localhost is not accessible.
"""

import threading
import time
from typing import Any

import gradio.networking
import httpx
from gradio.exceptions import ServerFailedToStartError
from gradio.http_server import Server

_PATIENCE = 120.0  # seconds
_PAUSE = 0.01


def install() -> None:
    """Replaces both waits for all servers of this process."""
    gradio_waits = Server.run_in_thread
    _ = gradio.networking.url_ok  # AttributeError where Gradio has none

    def run_in_thread(self: Any) -> None:
        if self.reloader:  # of a Space in development: more than one thread
            gradio_waits(self)
        else:
            start(self)

    Server.run_in_thread = run_in_thread
    gradio.networking.url_ok = answers


def start(server: Any) -> None:
    """Runs a server in a thread and waits until it listens. Raises ServerFailedToStartError once it
    has ended.
    """
    server.thread = threading.Thread(target=server.run, daemon=True)
    server.thread.start()
    deadline = time.monotonic() + _PATIENCE
    while not server.started:
        if not server.thread.is_alive() or time.monotonic() > deadline:
            raise ServerFailedToStartError("The server does not listen.")
        time.sleep(_PAUSE)


def answers(url: str) -> bool:
    """Tells whether a server answers at an address, however slowly."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            if httpx.head(url, timeout=_PATIENCE).status_code < 500:
                return True
        except httpx.HTTPError:
            pass
        time.sleep(_PAUSE)
    return False
