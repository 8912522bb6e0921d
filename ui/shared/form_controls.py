"""Controls on the page from the declarations of `ui.shared.fields`."""

from collections.abc import Iterable, Mapping
from typing import Any

import gradio as gr
from gradio.components import Component

from ui.shared.fields import (
    Choice,
    Field,
    File,
    Flag,
    Number,
    Several,
    Text,
    Whole,
    defaults_of,
    fields_of,
)


def control(form: type, prefix: str, name: str, **changes: Any) -> Any:
    """The control of a declared field, with its default; `changes`: of the component's arguments,
    such as `value`.
    """
    field = fields_of(form)[name]
    elem_id = "-".join(filter(None, [prefix, field.id or name]))
    arguments = {"value": defaults_of(form)[name], "label": field.title, "elem_id": elem_id}
    if field.info:
        arguments["info"] = field.info
    made, more = _kind(field)
    return checked_by_handler(made(**{**arguments, **more, **changes}))


def controls(form: type, prefix: str, names: Iterable[str], **changes: Any) -> dict[str, Any]:
    """Several of them, by name."""
    return {name: control(form, prefix, name, **changes) for name in names}


def group(form: type, name: str) -> list[str]:
    """The names of the fields that stand in a group, in their order."""
    return [field for field, declared in fields_of(form).items() if declared.group == name]


def in_order(form: type, components: Mapping[str, Any]) -> dict[str, Any]:
    """All controls of a form in the order of its fields. Raises KeyError for one that is not laid
    out.
    """
    return {name: components[name] for name in fields_of(form)}


def checked_by_handler(component: Component) -> Any:
    """A control whose value comes as it is: Gradio's own check of its range would not give our
    sentence.
    """
    if isinstance(component, (gr.Slider, gr.Number)):
        setattr(component, "preprocess", lambda value: value)  # noqa: B010 - a method of this one component
    return component


def _kind(field: Field) -> tuple[Any, dict[str, Any]]:
    """The component of a kind of field, and its arguments."""
    whole = isinstance(field, Whole)
    if isinstance(field, Number) and field.step is not None:
        ends = {"minimum": field.low, "maximum": field.end or field.high, "step": field.step}
        return gr.Slider, {**ends, "precision": 0 if whole else None, "buttons": [], "min_width": 0}
    if isinstance(field, Number):
        return gr.Number, {"precision": 0 if whole else None, "min_width": 100}
    if isinstance(field, Choice):
        choices = {"choices": [(label or name, name) for name, label in field.options.items()]}
        return (gr.Dropdown, choices) if field.listed else (gr.Radio, choices)
    if isinstance(field, Flag):
        return gr.Checkbox, {"min_width": 100}
    if isinstance(field, Text):
        most = max(2, 2 * field.lines)
        placeholder = field.placeholder or None
        return gr.Textbox, {"lines": field.lines, "max_lines": most, "placeholder": placeholder}
    if isinstance(field, Several):
        choices = {"choices": [(label or name, name) for name, label in field.options.items()]}
        return gr.CheckboxGroup, choices
    if isinstance(field, File):
        return gr.File, {"file_types": ["text", ".txt", ".md", ".csv", ".py"], "height": 150}
    raise TypeError(f"{type(field).__name__} has no control")
