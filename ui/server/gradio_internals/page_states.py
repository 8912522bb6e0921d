"""Gradio's per-page session state, without its unused copy of the configuration."""

from types import SimpleNamespace
from typing import Any

import gradio as gr
from gradio.state_holder import SessionState, StateHolder


class PageStates(StateHolder):
    """Gradio's states of open pages, each without a copy of the page's configuration.

    The copy serves Gradio's deep links, which this page replaces with its own. It cost 740 kB for each new page, and
    blocked all others for 30 to 70 ms.
    """

    def __init__(self, page: gr.Blocks) -> None:
        super().__init__()
        self.set_blocks(page)

    def __getitem__(self, session_id: str) -> SessionState:
        """The state of a page, created on first access."""
        if session_id not in self.session_data:
            self.session_data[session_id] = _State(self.blocks)
        return super().__getitem__(session_id)


class _State(SessionState):
    def __init__(self, page: gr.Blocks) -> None:
        of_nothing: Any = SimpleNamespace(default_config=page.default_config, blocks={})  # the copy is of `blocks`
        super().__init__(of_nothing)

    def _update_config(self, key: int) -> None:
        """No-op: there is no copy to keep in step with the page."""

    def _update_value_in_config(self, key: int, value: object) -> None:
        """No-op, as above."""
