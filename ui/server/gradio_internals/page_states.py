"""What Gradio keeps of every open page, without what nobody asks of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gradio as gr
from gradio.state_holder import SessionState, StateHolder


class PageStates(StateHolder):
    """Gradio's states of open pages, each without a copy of the page's configuration.

    The copy serves links to a state, which this page does not have: it makes its own. For each new page it cost 740 kB,
    and 30 to 70 ms in which everybody else waited.
    """

    def __init__(self, page: gr.Blocks) -> None:
        super().__init__()
        self.set_blocks(page)

    def __getitem__(self, session_id: str) -> SessionState:
        """The state of a page, which a new page gets when it first asks."""
        if session_id not in self.session_data:
            self.session_data[session_id] = _State(self.blocks)
        return super().__getitem__(session_id)


class _State(SessionState):
    def __init__(self, page: gr.Blocks) -> None:
        of_nothing: Any = SimpleNamespace(default_config=page.default_config, blocks={})  # the copy is of `blocks`
        super().__init__(of_nothing)

    def _update_config(self, key: int) -> None:
        """Nothing: the copy would follow what a visitor sees."""

    def _update_value_in_config(self, key: int, value: object) -> None:
        """Nothing, as above."""
