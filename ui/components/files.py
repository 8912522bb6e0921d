"""Makes the page's own components from the JavaScript and style sheets beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

_HERE = Path(__file__).resolve().parent


def beside(*names: str) -> str:
    """The texts of files in this folder, such as "shared.js" and "token_stream.js", one after the other."""
    return "".join((_HERE / name).read_text(encoding="utf-8") for name in names)


def component(value: str, template: str, *scripts: str, css: str = "", **options: Any) -> gr.HTML:
    """A component of the page: HTML, the scripts in order, and a style sheet beside the one that all share.

    Args:
        value: JSON, or what its script takes.
        template: HTML with nothing of the value in it.
        scripts: files in this folder; the shared one goes in front.
        css: a file in this folder.
        options: of gr.HTML.
    """
    return gr.HTML(
        value, html_template=template, css_template=beside("token_stream.css", *([css] if css else [])),
        js_on_load=beside("shared.js", *scripts), apply_default_css=False, **options,
    )  # fmt: skip
