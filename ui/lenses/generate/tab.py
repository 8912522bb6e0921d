"""The Generate tab: write and see what surprises a model, compare strategies, chat, steer, and cut text into tokens."""

from importlib import import_module
from typing import Any

import gradio as gr

from ui.lenses.generate.write import writing
from ui.shared.controls import sentence_strip
from ui.shared.lens import Lens
from ui.shared.site import Site
from ui.shared.wiring import QUIET, share_sentence
from ui.views import TABS

TAB = next(tab for tab in TABS if tab.name == "generate")


def generate_tab(site: Site[writing.WritingExample]) -> Lens:
    """Lays out the strip and every view of the tab."""
    with gr.Column(elem_id="generate-strip"):
        prompt = site.add(
            "prompt",
            sentence_strip(
                site.example.document.prompt,
                label="Prompt",
                placeholder="The beginning of a text; the model continues it, it does not answer it",
                elem_id="prompt",
            ),
        )
        _space_warning(site, prompt)
    lens = Lens()
    with gr.Tabs(elem_id="generate-views"):
        for view in TAB.views:
            with gr.Tab(view.title, id=view.name):
                layout = import_module(f"ui.lenses.generate.{view.name}.view")
                lens = layout.lay_out(site) or lens
    return lens


def _space_warning(site: Site[Any], prompt: gr.Textbox) -> None:
    """The warning of a space at the prompt's end, with its button."""
    with gr.Row(visible=False, elem_id="space-warning") as warning:
        gr.Markdown("The prompt ends in a space. Most tokens start with their space, so this derails the model.")
        strip = gr.Button("Remove it", size="sm", scale=0, min_width=110, elem_id="strip")

    def warn(model: str, text: str) -> gr.Row:
        return gr.Row(visible=writing.ends_in_open_space(site.services, model, text))

    def stripped(text: object) -> str:
        return str(text or "").rstrip(" ")

    prompt.change(warn, [site.model, prompt], warning, trigger_mode="multiple", queue=False, **QUIET)
    removed = strip.click(stripped, prompt, prompt, queue=False, **QUIET)
    share_sentence(removed, prompt)  # or the sentence would come back with its space
