"""A browser that speaks WebDriver, such as WebKitGTK's. Source: W3C, "WebDriver", level 2."""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
from bidi import BrowserMissing, BrowserPage

DRIVER = shutil.which("WebKitWebDriver")
SCREEN = shutil.which("Xvfb")  # WebKitGTK has no mode without a screen
# Keeps what the page's scripts say of errors, from the moment that a page has loaded.
_LISTEN = """
if (!window.lensErrors) {
  window.lensErrors = [];
  addEventListener('error', event => event.message && lensErrors.push(event.message));
  addEventListener('unhandledrejection', event => lensErrors.push(String(event.reason)));
  const say = console.error;
  console.error = (...words) => { lensErrors.push(words.join(' ')); say(...words); };
}
"""


class DriverPage(BrowserPage):
    """One page of the browser."""

    def __init__(self, client: httpx.Client, patience: float) -> None:
        super().__init__(patience)
        self._client = client
        made = self._send("POST", "session", {"capabilities": {}})
        self._session = f"session/{made['sessionId']}"
        limits = {"script": 1000 * int(patience), "pageLoad": 1000 * int(patience)}
        self._send("POST", f"{self._session}/timeouts", limits)

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        given = self._client.request(method, path, json=body)
        value = given.json()["value"]
        if given.is_error:
            raise RuntimeError(f"{path}: {value['error']}: {value['message']}")
        return value

    @property
    def errors(self) -> list[str]:
        """What its scripts have said of errors since it was opened."""
        return self.evaluate("window.lensErrors")

    def open(self, address: str) -> None:
        """Goes to an address and waits until it has loaded."""
        self._send("POST", f"{self._session}/url", {"url": address})
        self._send("POST", f"{self._session}/execute/sync", {"script": _LISTEN, "args": []})

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, as JSON holds it."""
        script = f"return JSON.stringify({expression}) ?? 'null'"
        body = {"script": script, "args": []}
        return json.loads(self._send("POST", f"{self._session}/execute/sync", body))

    def _act(self, source: Mapping[str, Any]) -> None:
        self._send("POST", f"{self._session}/actions", {"actions": [source]})

    def close(self) -> None:
        """Ends the browser."""
        self._send("DELETE", self._session)


@contextmanager
def webkit(patience: float) -> Iterator[DriverPage]:
    """A page of WebKitGTK, which runs as long as the context lasts.

    Args:
        patience: seconds after which what is awaited counts as missing.

    Raises:
        BrowserMissing: there is none, or it does not start here.
    """
    if DRIVER is None:
        raise BrowserMissing("no WebKitGTK (apt-get install webkit2gtk-driver xvfb)")
    with ExitStack() as stack:
        variables = dict(os.environ)
        if SCREEN is not None:
            variables["DISPLAY"] = stack.enter_context(_screen(SCREEN, patience))
        elif "DISPLAY" not in variables and "WAYLAND_DISPLAY" not in variables:
            raise BrowserMissing("WebKitGTK has no screen here (apt-get install xvfb)")
        port = _free_port()
        command = [DRIVER, f"--port={port}", "--host=127.0.0.1"]
        stack.enter_context(_running(command, variables))
        base = f"http://127.0.0.1:{port}/"
        client = stack.enter_context(httpx.Client(base_url=base, timeout=patience))
        _await_driver(client, patience)
        try:
            page = DriverPage(client, patience)
        except (RuntimeError, httpx.HTTPError) as error:
            raise BrowserMissing(f"WebKitGTK does not start here: {error}") from None
        stack.callback(page.close)
        yield page


@contextmanager
def _running(command: list[str], variables: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=dict(variables), **quiet) as process:
        yield process
        process.terminate()


@contextmanager
def _screen(program: str, patience: float) -> Iterator[str]:
    """The name of a screen that nobody sees."""
    read, write = os.pipe()
    command = [program, "-displayfd", str(write), "-screen", "0", "1280x720x24", "-nolisten", "tcp"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, pass_fds=[write], **quiet) as process:
        os.close(write)
        with os.fdopen(read) as told:
            yield f":{told.readline().strip()}"
        process.terminate()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def _await_driver(client: httpx.Client, patience: float) -> None:
    begin = time.monotonic()
    while True:
        try:
            if client.get("status").json()["value"]["ready"]:
                return
        except httpx.TransportError:
            pass
        if time.monotonic() - begin > patience:
            raise BrowserMissing("WebKitGTK's driver does not answer")
        time.sleep(0.05)
