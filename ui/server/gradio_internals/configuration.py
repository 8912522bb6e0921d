"""Gradio's configuration of a page: sent without what no browser reads, and kept once."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import gradio as gr
from gradio.data_classes import BlocksConfigDict
from gradio.state_holder import SessionState, StateHolder

# For the documentation of named endpoints, and for components of other packages: this page's are
# all Gradio's own.
_OF_ENDPOINTS = frozenset(
    {"skip_api", "api_info", "api_info_as_input", "api_info_as_output", "example_inputs"}
)
_OF_PACKAGES = frozenset({"component_class_id", "key"})
_OF_THE_SERVER = frozenset({"preserved_by_key", "_api_info"})
# Event fields that are accessed by name even if empty, or where empty has a meaning.
_KEPT = frozenset(
    {
        "id",
        "targets",
        "inputs",
        "outputs",
        "cancels",
        "types",
        "api_name",
        "api_visibility",
        "backend_fn",
    }
    | {"show_progress_on"}
)


def slim(configuration: BlocksConfigDict) -> None:
    """Removes the parts of the configuration that browsers do not need: more than a third."""
    configuration["components"] = [_component(item) for item in configuration["components"]]
    configuration["dependencies"] = [_event(item) for item in configuration.get("dependencies", [])]
    # Values of named endpoints are on no page; a browser would make a component of each.
    values = {item["id"] for item in configuration["components"] if item["type"] == "api"}
    for page in configuration.get("page", {}).values():
        layout: dict[str, Any] = page["layout"]  # type: ignore[assignment]
        layout["children"] = [
            item for item in layout.get("children", []) if item["id"] not in values
        ]


def _component(item: Mapping[str, Any]) -> dict[str, Any]:
    left_out = _OF_PACKAGES if item["type"] == "api" else _OF_PACKAGES | _OF_ENDPOINTS
    # A state's value stays on the server, which answers null; without this key the browser would
    # see a change.
    unseen = {"state": {"value": None}, "api": {"visible": False}}.get(item["type"], {})
    props = unseen | {
        name: value
        for name, value in item["props"].items()
        if name not in _OF_THE_SERVER and not (name == "_selectable" and value is False)
    }
    return {**{name: value for name, value in item.items() if name not in left_out}, "props": props}


def _event(item: Mapping[str, Any]) -> dict[str, Any]:
    """Drops fields that are None, False or empty, which means the same, and one that no browser
    reads; and the target of an event that follows another one, which is None: a browser searches
    the whole page for it, at the load and with each event.
    """
    said = {name: value for name, value in item.items() if name != "max_batch_size"}
    if said["trigger_after"] is not None:
        said["targets"] = []
    return {
        name: value
        for name, value in said.items()
        if name in _KEPT or not (value is None or value is False or value == [])  # 0 is a number
    }


class PageStates(StateHolder):
    """Gradio's states of open pages, each without a copy of the page's configuration.

    The copy serves Gradio's deep links, which this page replaces with its own. It cost 740 kB for
    each new page, and blocked all others for 30 to 70 ms.
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
        # the copy is of `blocks`
        of_nothing: Any = SimpleNamespace(default_config=page.default_config, blocks={})
        super().__init__(of_nothing)

    def _update_config(self, key: int) -> None:
        """No-op: there is no copy to keep in step with the page."""

    def _update_value_in_config(self, key: int, value: object) -> None:
        """No-op, as above."""
