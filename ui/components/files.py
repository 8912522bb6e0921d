"""Makes the page's own components from the JavaScript and style sheets beside this file."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gradio as gr

_HERE = Path(__file__).resolve().parent


def beside(*names: str) -> str:
    """The texts of files in this folder, such as "shared.js" and "token_stream.js", one after the other."""
    return "".join((_HERE / name).read_text(encoding="utf-8") for name in names)


def with_constants(constants: dict[str, Any], *scripts: str) -> str:
    """The scripts, in one, behind `const given`: what does not change while the page lives.

    They are not gr.HTML's own properties, because a component that is updated before its tab is first opened loses those.
    """
    return f"const given = {json.dumps(constants)};\n" + beside(*scripts)


def component(
    value: str, template: str, *scripts: str, css: str = "", given: dict[str, Any] | None = None, **options: Any
) -> gr.HTML:
    """A component of the page: HTML, the scripts in order, and a style sheet beside the one that all share.

    Args:
        value: JSON, or what its script takes.
        template: HTML with nothing of the value in it.
        scripts: files in this folder; the shared one goes in front.
        css: a file in this folder.
        given: constants for the scripts, as `given`.
        options: of gr.HTML.
    """
    return gr.HTML(
        value, html_template=template, css_template=beside("token_stream.css", *([css] if css else [])),
        js_on_load=with_constants(given or {}, "shared.js", *scripts), apply_default_css=False, **options,
    )  # fmt: skip


def plotly_library() -> Path:
    """plotly.js of the installed package; the page serves this one file of it."""
    spec = find_spec("plotly")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"
