"""The view of a conversation."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from gptcore.language_model import DEFAULT_MODEL, bundled_models
from ui.errors import shown_to_visitor
from ui.lenses.generate.handlers.chat import CHAT_MODEL, THE_PICKED, chat_model, reply
from ui.lenses.generate.view.chat_view import chat_view
from ui.services import Services
from ui.shared.lens import Wiring
from ui.shared.wiring import QUIET, event_data, or_nothing, stop_event

_HINT = (
    "A chat model is a GPT that has read conversations written as plain text, *User: … Assistant: …*, and goes on with "
    "the assistant's turn. Train, Continue shows how one is made. The bundled one writes children's stories and "
    "small talk, and knows no facts."
)


def chat(services: Services, model: gr.Dropdown, example: str, model_work: Wiring) -> None:
    """Lays out the view and wires it."""
    gr.Markdown(_HINT, elem_classes="hint")
    bundled = list(bundled_models())
    with gr.Row():
        chosen = gr.Dropdown(
            [("the model above", THE_PICKED), *((name, name) for name in bundled)],
            value=chat_model(),
            label="Who answers",
            elem_id="chat-model",
        )
        plain = [name for name in bundled if name != CHAT_MODEL]
        beside = gr.Dropdown(plain, value=DEFAULT_MODEL, label="Plain model for comparison", elem_id="chat-plain")
        gr.Textbox(
            "",
            label="System line",
            info="goes before the conversation; the bundled assistant was trained without one",
            max_lines=2,
            elem_id="chat-system",
        )
    view = chat_view(example, elem_id="chat")

    def on_ask(request: gr.Request, event: gr.EventData, picked: str, name: str, other: str) -> Iterator[Any]:
        asked = event_data(event)
        with shown_to_visitor():
            yield from or_nothing(reply(services, request.session_hash, picked, name, other, asked), gr.skip())

    view.ask(on_ask, [model, chosen, beside], view, **{**model_work, "trigger_mode": "multiple"})
    view.halt(stop_event(services), queue=False, **QUIET)
