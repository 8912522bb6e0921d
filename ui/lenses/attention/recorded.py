"""The heads of the real GPT-2, as they were recorded: they need neither weights nor a network."""

from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers import maps, recorded
from ui.lenses.attention.view.attention_view import attention_view
from ui.lenses.attention.view.insight_views import recorded_picture
from ui.services import Services
from ui.shared.view.sheet_view import sheet_view
from ui.shared.wiring import QUIET, served


def recorded_view(services: Services, fold: gr.Accordion) -> None:
    """Lays out the recorded heads and wires them; they are filled when they are unfolded."""
    gr.Markdown(recorded.HOW, elem_id="recorded-how")
    texts = recorded.texts()
    text = gr.Radio(texts, value=texts[0], show_label=False, container=False, elem_id="recorded-text")
    picture = recorded_picture(elem_id="recorded-picture")
    view = attention_view(server_functions=served(services, maps.head_map), recorded=True, elem_id="recorded-heads")
    following = sheet_view("", name="gpt2-next-token", elem_id="recorded-next")

    def on_text(chosen: str) -> list[Any]:
        with shown_to_visitor():
            return recorded.views(services, chosen)

    for listener in (fold.expand, text.input, view.expired):
        listener(on_text, text, [picture, view, following], queue=False, **QUIET)
