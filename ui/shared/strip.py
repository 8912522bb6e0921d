"""The sentence above the views of a tab, the same on every tab that reads it."""

import gradio as gr


def sentence_strip(text: str, *, label: str, placeholder: str, elem_id: str) -> gr.Textbox:
    """One line that grows with its text; the page's script keeps it the visitor's sentence (`view/sentence.js`)."""
    return gr.Textbox(
        text,
        label=label,
        show_label=False,
        container=False,
        lines=1,
        max_lines=4,
        placeholder=placeholder,
        elem_id=elem_id,
        elem_classes="strip",
    )
