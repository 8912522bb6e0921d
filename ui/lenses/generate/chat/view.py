"""Lays out the chat."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from gptcore.language_model import DEFAULT_MODEL, bundled_models
from ui.errors import shown_to_visitor
from ui.lenses.generate.chat import VIEW
from ui.lenses.generate.chat.replying import CHAT_MODEL, STARTERS, THE_PICKED, chat_model, reply
from ui.lenses.generate.chat.templates import CHAT
from ui.lenses.generate.handlers.forms import ChatFields
from ui.lenses.generate.write.writing import WritingExample
from ui.shared.files import component
from ui.shared.form_controls import control
from ui.shared.site import Asked, Site
from ui.shared.wiring import QUIET, event_data, stop_event

_ABOUT = (
    "A chat model is a GPT trained on conversations written as plain text, *User: … Assistant: "
    "…*. It continues with the assistant's turn. Train, Continue shows how one is made. The "
    "bundled one writes children's stories and small talk, and knows no facts."
)


def lay_out(site: Site[WritingExample]) -> None:
    """Lays out the view and wires it."""
    gr.Markdown(_ABOUT, elem_classes="hint")
    bundled = list(bundled_models())
    plain = [name for name in bundled if name != CHAT_MODEL]
    with gr.Row():
        choices = [("the model above", THE_PICKED), *((name, name) for name in bundled)]
        answers = gr.Dropdown(
            choices, value=chat_model(), label="Who answers", elem_id="chat-model"
        )
        site.add("chat_model", answers, VIEW.name)
        beside = gr.Dropdown(
            plain, value=DEFAULT_MODEL, label="Plain model for comparison", elem_id="chat-plain"
        )
        site.add("chat_plain", beside, VIEW.name)
        site.add("chat_system", control(ChatFields, "", "chat_system", max_lines=2), VIEW.name)
    view = component(
        site.example.chat,
        CHAT,
        "lenses/generate/chat/view.js",
        needs=("chat_model|model", "chat_plain"),
        events=("say", "halt"),
        given={"starters": STARTERS},
        elem_id="chat",
    )

    def on_say(
        request: gr.Request, event: gr.EventData, picked: str, name: str, other: str
    ) -> Iterator[Any]:
        said = event_data(event)
        with shown_to_visitor():
            yield from reply(site.services, request.session_hash, picked, name, other, said)

    takes = ("model", "chat_model", "chat_plain")
    options = {**site.model_work, "trigger_mode": "multiple"}
    asked = Asked(on_say, takes, [view], options=options)
    site.fields.listen(view.say, asked)
    view.halt(stop_event(site.services), queue=False, **QUIET)
