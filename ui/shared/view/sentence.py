"""A conclusion in words, above the figures that it is computed from."""

from collections.abc import Sequence

import gradio as gr

from ui.shared.files import component


def sentence_view(*, needs: Sequence[str], elem_id: str) -> gr.HTML:
    """A sentence; its value is plain text."""
    return component(
        "",
        '<p class="conclusion" role="status"></p>',
        "shared/view/sentence.js",
        needs=needs,
        elem_id=elem_id,
    )
