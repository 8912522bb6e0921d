"""The machine of Start as a strip: which of its parts a view is about."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr

from ui.views import PARTS


def part_strip(about: Sequence[str]) -> gr.HTML:
    """A small drawing of the parts in their order, those that the view is about in colour; words for screen readers.

    Args:
        about: of PARTS.
    """
    boxes = "".join(f'<span class="{"on" if name in about else ""}">{title}</span>' for name, title in PARTS.items())
    said = ", ".join(PARTS[name] for name in about)
    return gr.HTML(
        f'<div class="part-strip" role="img" aria-label="This view is about {said}">{boxes}</div>',
        elem_classes="part-strip-box no-present",
    )
