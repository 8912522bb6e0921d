"""The Generate tab: write and see what surprises a model, compare strategies, chat, steer, and cut
text into tokens.
"""

from importlib import import_module

import gradio as gr

from ui.lenses.generate.write import writing
from ui.shared.controls import sentence_strip
from ui.shared.lens import Lens
from ui.shared.site import Site
from ui.views import TABS

TAB = next(tab for tab in TABS if tab.name == "generate")


def generate_tab(site: Site[writing.WritingExample]) -> Lens:
    """Lays out the strip and every view of the tab."""
    with gr.Column(elem_id="generate-strip"):
        site.add(
            "prompt",
            sentence_strip(
                site.example.document.prompt,
                label="Prompt",
                placeholder=(
                    "The beginning of a text; the model continues it, it does not answer it"
                ),
                elem_id="prompt",
            ),
        )
    lens = Lens()
    with gr.Tabs(elem_id="generate-views"):
        for view in TAB.views:
            with gr.Tab(view.title, id=view.name):
                layout = import_module(f"ui.lenses.generate.{view.name}.view")
                lens = layout.lay_out(site) or lens
    return lens
