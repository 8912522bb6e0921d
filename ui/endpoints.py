"""The named endpoints for programs: typed, documented, with the page's own checks."""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.services import Services
from ui.shared.endpoint import Endpoint
from ui.views import TABS


def _found() -> dict[str, Endpoint]:
    """The endpoints of all views by name: those that a view's folder declares in `endpoint.py`."""
    found = dict[str, Endpoint]()
    for tab in TABS:
        for view in tab.views:
            module = f"ui.lenses.{tab.name.replace('-', '_')}.{view.name}.endpoint"
            if find_spec(module) is not None:
                found |= {endpoint.name: endpoint for endpoint in import_module(module).ENDPOINTS}
    return found


ENDPOINTS = _found()


def add_endpoints(services: Services) -> None:
    """Adds the named endpoints to the page."""
    shared = {"concurrency_id": "model", "concurrency_limit": services.limits.concurrent_visits}
    for name, endpoint in ENDPOINTS.items():
        gr.api(_function(endpoint, services), api_name=name, **shared)


def _function(endpoint: Endpoint, services: Services) -> Callable[..., Any]:
    """The function that Gradio calls, with the names, types, defaults and documentation of the
    endpoint.
    """

    def streamed(*values: object) -> Iterator[Any]:
        with shown_to_visitor():
            yield from endpoint(services, *values)

    def answered(*values: object) -> Any:
        with shown_to_visitor():
            return endpoint(services, *values)

    function = streamed if endpoint.streams else answered
    signature = endpoint.signature(services.models.default)
    lines = [f"    {value.name}: {value.field.help}" for value in endpoint.values()]
    function.__name__ = endpoint.name  # as tools of the Model Context Protocol are called
    function.__doc__ = "\n".join(
        [endpoint.about, "", "Args:", *lines, "", "Returns:", f"    {endpoint.returns}"]
    )
    function.__annotations__ = {
        name: parameter.annotation for name, parameter in signature.parameters.items()
    }
    function.__annotations__["return"] = signature.return_annotation
    function.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    return function
