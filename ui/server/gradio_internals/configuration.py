"""Gradio's configuration of the page, which every visit is sent, without what no browser reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradio.data_classes import BlocksConfigDict

# For the documentation of named endpoints, and for components of other packages: this page's are all Gradio's own.
_OF_ENDPOINTS = frozenset({"skip_api", "api_info", "api_info_as_input", "api_info_as_output", "example_inputs"})
_OF_PACKAGES = frozenset({"component_class_id", "key"})
_OF_THE_SERVER = frozenset({"preserved_by_key", "_api_info"})
# Of an event, what is asked for by name even where it is empty, or says something by being empty.
_KEPT = frozenset(
    {"id", "targets", "inputs", "outputs", "cancels", "types", "api_name", "api_visibility", "backend_fn"}
    | {"show_progress_on"}
)


def slim(configuration: BlocksConfigDict) -> None:
    """Takes out of the configuration what browsers do without: more than a third."""
    configuration["components"] = [_component(one) for one in configuration["components"]]
    configuration["dependencies"] = [_event(one) for one in configuration.get("dependencies", [])]


def _component(one: Mapping[str, Any]) -> dict[str, Any]:
    left_out = _OF_PACKAGES if one["type"] == "api" else _OF_PACKAGES | _OF_ENDPOINTS
    # A state's value stays on the server, which answers null instead: to a browser that knew of none, a change.
    unseen = {"value": None} if one["type"] == "state" else {}
    props = unseen | {
        name: value
        for name, value in one["props"].items()
        if name not in _OF_THE_SERVER and not (name == "_selectable" and value is False)
    }
    return {**{name: value for name, value in one.items() if name not in left_out}, "props": props}


def _event(one: Mapping[str, Any]) -> dict[str, Any]:
    """What is not said of an event is none, false or empty."""
    return {name: value for name, value in one.items() if value not in (None, False, []) or name in _KEPT}
