"""Interface between the page and its tabs, the same for all tabs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

import gradio as gr
from gradio.components import Component


class EventOptions(TypedDict, total=False):
    """Display and API visibility of an event."""

    show_progress: Literal["full", "minimal", "hidden"]
    show_progress_on: Sequence[Component]
    api_visibility: Literal["public", "private", "undocumented"]


class Wiring(EventOptions, total=False):
    """The same, with concurrency limits."""

    concurrency_id: str
    concurrency_limit: int


class Event(Wiring, total=False):
    """An event as keyword arguments of a listener."""

    fn: Callable[..., Any] | None
    inputs: Any  # components, as Gradio takes them
    outputs: Any
    js: str
    queue: bool


@dataclass(frozen=True)
class Call:
    """A tab's event that concerns the page: a listener and the event that it triggers."""

    listener: Callable[..., Any]
    event: Event


@dataclass(frozen=True)
class Sending:
    """A shape that another tab may take: what starts it, and the controls of the shape by their
    names.
    """

    listener: Callable[..., Any]
    controls: Mapping[str, Component]


@dataclass(frozen=True)
class Taking:
    """A tab's use of another tab's shape: names of the shape's controls, a function of their
    values, and the components that this sets.
    """

    names: Sequence[str]
    values: Callable[..., Sequence[Any]]
    outputs: Sequence[Component]


@dataclass(frozen=True)
class Fill:
    """The meaning of settings in a link for a tab's fields.

    Args:
        values: new values by the names of `outputs`, from the settings by their names; what is left
            out stays.
        outputs: name -> component; a field has its name in links.
    """

    values: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    outputs: Mapping[str, Component]


@dataclass(frozen=True)
class Lens:
    """The interface of a tab to the page: its fields in links, its events, and the shape that it
    sends or takes.
    """

    # name -> component that a link, or a reload, sets
    linked: Mapping[str, Component] = field(default_factory=dict)
    on_model: Sequence[
        Any
    ] = ()  # events, or `Asked`, when another model has been opened, one after the other
    on_settings: Sequence[
        Any
    ] = ()  # the same, when a link or a reload has set fields, and the model stays
    fills: Fill | None = None  # further components that a link sets, and how
    # field -> its value -> the fields that this choice fills in: a link holds what differs from
    # them.
    bases: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    asks: gr.Dropdown | None = (
        None  # component that chooses a model for this tab instead of the picker's
    )
    picks: Sequence[Call] = ()  # events that change the model in the picker
    offers: Sequence[Call] = ()  # events whose functions return new choices for the picker
    sends: Sending | None = None  # takes a shape from here to the tab that trains
    takes: Taking | None = None  # what such a shape becomes there
