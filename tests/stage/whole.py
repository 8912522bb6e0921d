"""The whole page on the stage: what its keys, talks and rooms do, step by step."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import gradio as gr
from answers import RECORDED, load
from page_answers import fields_of, first_values
from playwright.sync_api import Browser, Page

from stage import LOOK, call, components, part_of, told
from stage.layout import elements, fields_by_id

# of components: what asks the server again and again, about a run
_LEFT_OUT = ("train",)

# keys of answers and hashes of files, which change with each process or edit
_ANEW = re.compile(r"\b([0-9a-f]{24}|(?<=gptlens/)[0-9a-f]{12})\b")

Act = Callable[[Page], object]


class WholePage:
    """A page that was opened by a link.

    Args:
        browser: whose new page it is.
        page: that is laid out.
        address: of the stage.
        query: of the address, with the hash.
        scripted: answers of server functions, one after the other, by the function's name.
        facts: what the server tells the page's scripts besides its register.
    """

    def __init__(
        self,
        browser: Browser,
        page: gr.Blocks,
        address: str,
        query: str = "",
        scripted: Mapping[str, Sequence[Any]] | None = None,
        **facts: Any,
    ) -> None:
        self._steps: list[Mapping[str, Any]] = []
        self.shown = browser.new_page(**LOOK)
        self.shown.goto(address + query)
        call(self.shown, "mountPage", {**_given(page), "scripted": scripted or {}, "facts": facts})
        self._look("opened")

    def step(self, name: str, act: str | Act) -> None:
        """Does something, and keeps what came of it.

        Args:
            act: JavaScript, or what a hand does with the page.
        """
        if isinstance(act, str):
            self.shown.evaluate(act)
        else:
            act(self.shown)
        self._look(name)

    def answer(self, function: str, *answers: Any) -> None:
        """What the server answers from now on, one after the other; the last one stays."""
        call(self.shown, "script", function, answers)

    def _look(self, name: str) -> None:
        self._steps.append({**call(self.shown, "afterStep"), "step": name})

    def ended(self) -> str:
        """What was seen and heard; the page is closed."""
        self.shown.close()
        return _ANEW.sub("…", told(self._steps))


@cache
def _given(page: gr.Blocks) -> Mapping[str, Any]:
    first = first_values(page)
    events = load("events")
    parts = [
        {
            "id": name,
            "template": block.html_template,
            "script": block.js_on_load,
            # as it was recorded, since the server's answers name its keys
            "value": part_of(block, first[block._id], events, ()).value,
        }
        for name, block in components(page).items()
        if name not in _LEFT_OUT
    ]
    kept = sorted((RECORDED / "server").glob("*.json"))
    return {
        "elements": elements(page),
        "ids": fields_by_id(page),
        "parts": parts,
        "register": page.register,  # type: ignore[attr-defined]
        "fields": fields_of(page),
        "answersOf": {file.stem: load(f"server/{file.stem}") for file in kept},
    }
