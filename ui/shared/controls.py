"""Parts of forms that several tabs lay out."""

from typing import Any

import gradio as gr

from ui.shared.wiring import QUIET


def settings_opener(elem_id: str) -> None:
    """On a phone, what follows it in its column is hidden until it is pressed, so that the result
    is on the screen.
    """
    opener = gr.Button("All settings", size="sm", elem_id=elem_id, elem_classes="settings-opener")
    opener.click(
        None,
        None,
        None,
        js=f"() => document.getElementById({elem_id!r}).classList.toggle('opened')",
        **QUIET,
    )


def sentence_strip(text: str, *, label: str, placeholder: str, elem_id: str) -> gr.Textbox:
    """The sentence above the views of a tab; the page's script keeps it the visitor's
    (`view/text_boxes.js`).
    """
    looks: dict[str, Any] = {"show_label": False, "container": False, "lines": 1, "max_lines": 4}
    return gr.Textbox(
        text, label=label, placeholder=placeholder, elem_id=elem_id, elem_classes="strip", **looks
    )
