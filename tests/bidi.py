"""A browser that speaks WebDriver BiDi, such as Firefox. Source: W3C, "WebDriver BiDi"."""

import itertools
import json
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
_SETTINGS = {
    "remote.active-protocols": 1,  # BiDi alone
    "app.normandy.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "toolkit.telemetry.server": "",
}


class BrowserMissing(Exception):
    """There is a browser that does not start on this machine."""


class BrowserPage(ABC):
    """One page of a browser.

    Args:
        patience: seconds after which what is awaited counts as missing.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience

    @abstractmethod
    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, as JSON holds it."""

    @abstractmethod
    def _act(self, source: Mapping[str, Any]) -> None:
        """Does what an input device does: WebDriver, section 15."""

    def wait_for(self, expression: str) -> Any:
        """Waits until a JavaScript expression is truthy; returns its value."""
        begin = time.monotonic()
        while not (value := self.evaluate(expression)):
            assert time.monotonic() - begin < self._patience, f"never came: {expression}"
            time.sleep(0.05)
        return value

    def type(self, text: str) -> None:
        """Presses a key for each character."""
        keys = [
            {"type": kind, "value": character}
            for character in text
            for kind in ("keyDown", "keyUp")
        ]
        self._act({"type": "key", "id": "keyboard", "actions": keys})

    def click(self, x: float, y: float) -> None:
        """Presses the mouse at a point of the window, in CSS pixels."""
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._act({"type": "pointer", "id": "mouse", "actions": moves})


class BidiPage(BrowserPage):
    """One page of the browser.

    Attributes:
        errors: texts that its console has shown as errors, and exceptions that nothing caught.
    """

    def __init__(self, socket: ClientConnection, patience: float) -> None:
        super().__init__(patience)
        self._socket = socket
        self._numbers = itertools.count(1)
        self.errors: list[str] = []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self._context = self.send("browsingContext.create", type="tab")["context"]

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command and returns its result; keeps what the console says meanwhile."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            heard = json.loads(self._socket.recv(timeout=self._patience))
            if heard.get("method") == "log.entryAdded":
                entry = heard["params"]
                if entry["level"] == "error":
                    self.errors.append(entry["text"] or json.dumps(entry))
            elif heard.get("id") == number:
                if heard["type"] == "error":
                    raise RuntimeError(f"{method}: {heard['error']}: {heard['message']}")
                return heard["result"]

    def open(self, address: str) -> None:
        """Goes to an address and waits until it has loaded."""
        self.send("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, as JSON holds it."""
        heard = self.send(
            "script.evaluate",
            expression=f"JSON.stringify({expression})",
            target={"context": self._context},
            awaitPromise=True,
        )
        if heard["type"] == "exception":
            raise RuntimeError(heard["exceptionDetails"]["text"])
        return json.loads(heard["result"].get("value", "null"))

    def _act(self, source: Mapping[str, Any]) -> None:
        self.send("input.performActions", context=self._context, actions=[source])


@contextmanager
def firefox(folder: Path, patience: float) -> Iterator[BidiPage]:
    """A page of Firefox, which runs as long as the context lasts.

    Args:
        folder: an empty folder for its profile.
        patience: seconds after which what is awaited counts as missing.

    Raises:
        BrowserMissing: there is none, or it does not start here.
    """
    if FIREFOX is None:
        raise BrowserMissing("no Firefox (apt-get install firefox-esr)")
    lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in _SETTINGS.items()]
    (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(folder)]
    process = subprocess.Popen(
        [*command, "--remote-debugging-port", "0", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = _address(folder / "WebDriverBiDiServer.json", patience)
        with connect(f"{address}/session", max_size=None, open_timeout=patience) as socket:
            yield BidiPage(socket, patience)
    finally:
        process.terminate()
        process.wait(patience)


def _address(file: Path, patience: float) -> str:
    """The address of the browser, which it writes into its profile once it listens.

    Raises BrowserMissing if it never does.
    """
    begin = time.monotonic()
    while True:
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
            return f"ws://{told['ws_host']}:{told['ws_port']}"
        except (OSError, ValueError):  # not there yet, or half of it
            if time.monotonic() - begin > patience:
                raise BrowserMissing("Firefox is installed and does not start here") from None
            time.sleep(0.05)
