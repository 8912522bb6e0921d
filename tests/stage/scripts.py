"""Functions of the page's modules, asked one by one in a browser (`calls.js`)."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gradio as gr
from page_answers import fields_of
from playwright.sync_api import Browser, Error
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stage import LOOK
from ui.shared.files import routes

UI = Path(__file__).resolve().parents[2] / "ui"
MODULES = sorted(file.relative_to(UI).as_posix() for file in UI.rglob("*.js"))
_NAMED = re.compile(r"^(?:export )?(?:async )?(?:function\*? |const )(\w+)(?= ?[=(])", re.MULTILINE)
_CONSTANT = re.compile(r"^((?:export )?)const (?=\w+ =)", re.MULTILINE)
_LONG, _SHOWN = 240, 160  # characters of an answer that is kept, and of a longer one
_SECONDS = 5  # of the calls of one function that are asked together


def short(answer: str) -> str:
    """An answer as it is kept: the beginning of a long one, with a digest."""
    if len(answer) <= _LONG:
        return answer
    return f"{answer[:_SHOWN]}… {hashlib.sha256(answer.encode()).hexdigest()[:16]}"


def opened(path: str, text: str) -> str:
    """A module that tells its functions, those that it does not export, too."""
    own = [f"{name}: [() => {name}, item => ({name} = item)]" for name in _NAMED.findall(text)]
    told = f"window.openFunctions?.('{path}', {{{', '.join(own)}}});"
    changeable = _CONSTANT.sub(r"\1let ", text)
    return f"{changeable}\n{told}\n"


def open_routes() -> list[Route]:
    """The page's files, with modules that tell their functions."""
    (own,) = routes()

    def send(request: Request) -> Response:
        answer = own.endpoint(request)
        name = request.path_params["name"]
        if not name.endswith(".js") or name not in MODULES:
            return answer
        text = opened(name, bytes(answer.body).decode())
        return Response(text, media_type="text/javascript", headers={"Cache-Control": "no-store"})

    return [Route(own.path, send)]


def given_by(page: gr.Blocks) -> Mapping[str, Any]:
    """What the page's scripts find on it, as `prepare` of `stage.js` takes it."""
    return {"register": page.register, "fields": fields_of(page)}  # type: ignore[attr-defined]


class NoAnswer(Exception):
    """A function of `calls.js` fails or does not end."""


class Script:
    """A module of the page, loaded in a page of a browser.

    Args:
        browser: whose new page it is.
        address: of a stage that is served with `open_routes`.
        given: the register of the page and its fields.
        module: its path.
    """

    def __init__(
        self, browser: Browser, address: str, given: Mapping[str, Any], module: str
    ) -> None:
        self._browser = browser
        self._given = given
        self._address = address
        self._module = module
        self._load()

    def _load(self) -> None:
        self._page = self._browser.new_page(**LOOK)
        self._page.goto(self._address)
        self._protocol = self._page.context.new_cdp_session(self._page)
        self.functions: Sequence[str] = self._called("loadModule", self._module, self._given)

    def close(self) -> None:
        self._page.close()

    def source(self, function: str) -> str:
        """The code of a function."""
        return self._called("sourceOf", function)

    def answers(self, function: str, calls: Sequence[Any]) -> list[str | None]:
        """What a function gives for each list of arguments, throws, does, and leaves in them, as
        JSON; None for one that does not end.
        """
        try:
            return self._called("askCalls", function, calls)
        except NoAnswer:
            self.close()
            self._load()
        if len(calls) == 1:
            return [None]
        return [self.answers(function, [call])[0] for call in calls]

    def _called(self, function: str, *given: Any) -> Any:
        """What a function of `calls.js` gives.

        Raises:
            NoAnswer: it fails or does not end.
        """
        sent = ", ".join(map(json.dumps, given))
        try:
            answer = self._protocol.send(
                "Runtime.evaluate",
                {
                    "expression": f"{function}({sent})",
                    "awaitPromise": True,
                    "returnByValue": True,
                    "timeout": 1000 * _SECONDS,
                },
            )
        except Error as error:
            raise NoAnswer from error
        if "exceptionDetails" in answer:
            raise NoAnswer(answer["exceptionDetails"])
        return answer["result"]["value"]
