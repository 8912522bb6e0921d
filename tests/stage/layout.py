"""The elements of a page as Gradio lays them out: what scripts of the page look for."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import gradio as gr
from page_answers import OURS, name_of, told_fields

_ROWS = ("row", "column", "form", "group")


def fields_by_id(page: gr.Blocks) -> dict[str, str]:
    """Names of the fields that the page tells its scripts, by the ids of their elements."""
    return {name_of(item): name for name, item in told_fields(page)}


def elements(page: gr.Blocks) -> str:
    """HTML of the whole page: its first tab and the first view of each are open."""
    config = page.get_config_file()
    parts = {item["id"]: item for item in config["components"]}
    return "".join(_element(node, parts) for node in config["layout"]["children"])


def _element(node: Mapping[str, Any], parts: Mapping[int, Mapping[str, Any]]) -> str:
    part = parts[node["id"]]
    props = part["props"]
    kind = part["type"]
    children = node.get("children") or []
    inner = "".join(_element(child, parts) for child in children)
    if props.get("visible") is False:
        return ""
    if kind == "tabs":
        inner = _tabs([parts[child["id"]] for child in children]) + inner
    elif kind == "accordion":
        inner = _accordion(props, inner)
    elif kind == "button":
        return _button(props)
    elif kind == "html" and OURS not in (props.get("elem_classes") or []):
        inner = str(props.get("value") or "")
    elif kind not in (*_ROWS, "tabitem", "html"):
        inner = "".join(_field(kind, props))
    return f"<div {_attributes(kind, props)}>{inner}</div>"


def _attributes(kind: str, props: Mapping[str, Any]) -> str:
    own = {"tabs": "tabs", "tabitem": "tabitem", "accordion": "gr-accordion"}.get(kind, kind)
    classes = " ".join([own, *(props.get("elem_classes") or [])])
    found = [f'class="{escape(classes)}"']
    if props.get("elem_id"):
        found.append(f'id="{escape(props["elem_id"])}"')
    if kind == "tabitem":
        found.append(f'role="tabpanel" data-tab="{escape(props["label"])}"')
    if props.get("visible") == "hidden":
        found.append('style="display: none"')
    return " ".join(found)


def _tabs(tabs: list[Mapping[str, Any]]) -> str:
    buttons = "".join(
        f'<button role="tab" aria-selected="false">{escape(tab["props"]["label"])}</button>'
        for tab in tabs
    )
    return f'<div class="tab-wrapper"><div role="tablist">{buttons}</div></div>'


def _accordion(props: Mapping[str, Any], inner: str) -> str:
    label = escape(str(props.get("label") or ""))
    state = " open" if props.get("open") else ""
    hidden = "" if props.get("open") else " hidden"
    return (
        f'<button class="label-wrap{state}">{label}<span class="icon">▼</span></button>'
        f"<div class='fold'{hidden}>{inner}</div>"
    )


def _button(props: Mapping[str, Any]) -> str:
    classes = " ".join([props.get("variant") or "", *(props.get("elem_classes") or [])])
    name = escape(props.get("elem_id") or "")
    return f'<button id="{name}" class="{classes}">{escape(str(props.get("value") or ""))}</button>'


def _field(kind: str, props: Mapping[str, Any]) -> Iterator[str]:
    """The controls of a field."""
    value = props.get("value")
    label = escape(str(props.get("label") or ""))
    shown = escape(str("" if value is None else value))
    options = [(str(text), str(each)) for text, each in props.get("choices") or []]
    if kind in ("radio", "checkboxgroup"):
        type_ = "radio" if kind == "radio" else "checkbox"
        chosen = [str(each) for each in (value if isinstance(value, list) else [value])]
        group = escape(props.get("elem_id") or label)
        yield f"<fieldset id='{group}-group'><span data-testid='block-info'>{label}</span>"
        for text, each in options:
            on = " checked" if each in chosen else ""
            yield (
                f'<label><input type="{type_}" name="{group}" value="{escape(each)}"{on}>'
                f"{escape(text)}</label>"
            )
        yield "</fieldset>"
    elif kind == "checkbox":
        yield f'<label><input type="checkbox"{" checked" if value else ""}>{label}</label>'
    elif kind == "dropdown":
        text = {each: text for text, each in options}.get(str(value), shown)
        yield f'<label>{label}<input role="listbox" value="{escape(text)}"></label>'
    elif kind == "textbox":
        yield f"<label>{label}<textarea>{shown}</textarea></label>"
    elif kind in ("number", "slider"):
        yield f'<label>{label}<input type="number" value="{shown}"></label>'
        if kind == "slider":
            limits = f'min="{props["minimum"]}" max="{props["maximum"]}"'
            yield f'<input type="range" step="any" {limits} value="{shown}">'
    elif kind == "markdown":
        yield f"<p>{shown[:200]}</p>"
