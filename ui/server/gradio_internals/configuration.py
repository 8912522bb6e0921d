"""Slims Gradio's page configuration, sent on every visit, by dropping what no browser reads."""

from collections.abc import Mapping
from typing import Any

from gradio.data_classes import BlocksConfigDict

# For the documentation of named endpoints, and for components of other packages: this page's are all Gradio's own.
_OF_ENDPOINTS = frozenset({"skip_api", "api_info", "api_info_as_input", "api_info_as_output", "example_inputs"})
_OF_PACKAGES = frozenset({"component_class_id", "key"})
_OF_THE_SERVER = frozenset({"preserved_by_key", "_api_info"})
# Event fields that are accessed by name even if empty, or where empty has a meaning.
_KEPT = frozenset(
    {"id", "targets", "inputs", "outputs", "cancels", "types", "api_name", "api_visibility", "backend_fn"}
    | {"show_progress_on"}
)


def slim(configuration: BlocksConfigDict) -> None:
    """Removes the parts of the configuration that browsers do not need: more than a third."""
    configuration["components"] = [_component(one) for one in configuration["components"]]
    configuration["dependencies"] = [_event(one) for one in configuration.get("dependencies", [])]
    # Values of named endpoints are on no page; a browser would make a component of each.
    values = {one["id"] for one in configuration["components"] if one["type"] == "api"}
    for page in configuration.get("page", {}).values():
        layout: dict[str, Any] = page["layout"]  # type: ignore[assignment]
        layout["children"] = [one for one in layout.get("children", []) if one["id"] not in values]


def _component(one: Mapping[str, Any]) -> dict[str, Any]:
    left_out = _OF_PACKAGES if one["type"] == "api" else _OF_PACKAGES | _OF_ENDPOINTS
    # A state's value stays on the server, which answers null; without this key the browser would see a change.
    unseen = {"state": {"value": None}, "api": {"visible": False}}.get(one["type"], {})
    props = unseen | {
        name: value
        for name, value in one["props"].items()
        if name not in _OF_THE_SERVER and not (name == "_selectable" and value is False)
    }
    return {**{name: value for name, value in one.items() if name not in left_out}, "props": props}


def _event(one: Mapping[str, Any]) -> dict[str, Any]:
    """Drops fields that are None, False or empty: a missing field means the same."""
    return {name: value for name, value in one.items() if value not in (None, False, []) or name in _KEPT}
