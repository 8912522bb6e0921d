"""Strategies side by side, the surprise in the visitor's own text, and a conversation."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from gptcore.language_model import DEFAULT_MODEL, bundled_models
from ui.errors import shown_to_visitor
from ui.lenses.generate.handlers.chat import CHAT_MODEL, THE_PICKED, chat_model, reply
from ui.lenses.generate.handlers.compare import MOST, compare
from ui.lenses.generate.handlers.score import score
from ui.lenses.generate.handlers.strategies import COMPARED, FROM_SLIDERS, OFF
from ui.lenses.generate.view.views import chat_view
from ui.services import Services
from ui.shared.controls import Controls, writing_form
from ui.shared.files import calling
from ui.shared.lens import Event, Wiring
from ui.shared.opening import Opening
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, event_data, or_nothing, stop_event
from ui.state import token_stream as token_stream_of
from ui.views import SURPRISE

FIRST_CHOICES = ("Greedy", "T = 0.7", "Top-k = 50", "Top-p = 0.9", "Combined")
_HINT = (
    "A chat model is a GPT that has read conversations written as plain text, *User: … Assistant: …*, and goes on with "
    "the assistant's turn. Train, Continue shows how one is made. The bundled one writes children's stories and "
    "small talk, and knows no facts."
)


def compare_view(
    services: Services, tab: gr.Tab, model: gr.Dropdown, prompt: gr.Textbox, controls: Controls, model_work: Wiring
) -> None:
    """Up to five strategies on one prompt, streaming together; length, seed and speed are those of the write view.

    It writes by itself when its tab is opened for the first time, once nothing else of the visitor is under way.
    """
    with gr.Row():
        start = gr.Button("Write all", variant="primary", elem_id="compare-start", min_width=120, scale=0)
        stop = gr.Button("Stop", variant="stop", elem_id="compare-stop", min_width=90, scale=0)
        off = "each column gets its own random numbers, so one strategy gives five texts"
        info = f"On: only the strategy differs. Off: {off}."
        same = gr.Checkbox(True, label="Same random numbers", elem_id="compare-same", min_width=260, info=info)
    names, streams, choices = [], [], [*COMPARED, FROM_SLIDERS, OFF]
    with gr.Row(elem_classes="compare"):
        for place, first in enumerate(FIRST_CHOICES):
            title, name = f"Strategy {place + 1}", f"strategy-{place}"
            with gr.Column(min_width=200):
                names.append(gr.Dropdown(choices, value=first, label=title, elem_id=name))
                text = token_stream(label=f"Text of {title.lower()}", compact=True, elem_id=f"compared-{place}")
                streams.append(text)

    def on_compare(request: gr.Request, name: str, text: str, same_numbers: bool, *raw: object) -> Iterator[list[Any]]:
        with shown_to_visitor():
            chosen, form = raw[:MOST], writing_form(services, raw[MOST:])
            views = compare(services, request.session_hash, name, text, form, chosen, same_numbers)
            yield from or_nothing(([*texts, seed] for texts, seed in views), [gr.skip()] * (MOST + 1))

    opening = Opening(services, "compare", on_compare)

    def on_open(request: gr.Request, name: str, text: str, *given: Any) -> Iterator[Any]:
        yield from opening.opened(request, name, text, *given) if str(text or "").strip() else [gr.skip()]

    inputs = [model, prompt, same, *names, *controls.inputs]
    # A link's text may not have reached the box by now.
    newest = calling("shared/view/sentence.js", "[args[0], m.sentence() || args[1], ...args.slice(2)]")
    tab.select(on_open, inputs, [*streams, controls.seed], js=newest, **model_work)
    start.click(opening.pressed, inputs, [*streams, controls.seed], **{**model_work, "trigger_mode": "multiple"})
    stop.click(stop_event(services), queue=False, **QUIET)


def surprise_view(services: Services, model: gr.Dropdown, prompt: gr.Textbox, model_work: Wiring) -> Event:
    """A switch: the strip's text, coloured by how little the model expected each token. Returns what measures again."""
    shown = gr.Checkbox(False, label=SURPRISE, elem_id="surprise", container=False)
    with gr.Column(visible=False) as box:
        stream = token_stream(label="Surprise in your text", elem_id="scored")

    def on_measure(name: str, text: str, wanted: bool) -> list[Any]:
        if wanted is not True:
            return [gr.Column(visible=False), gr.skip()]
        try:
            return [gr.Column(visible=True), score(services, name, text)]
        except GPTCoreError as error:  # in place of the colours, also while somebody types
            return [gr.Column(visible=True), token_stream_of.serialise([token_stream_of.note(str(error))])]

    measure: Event = {"fn": on_measure, "inputs": [model, prompt, shown], "outputs": [box, stream], **model_work}
    shown.input(trigger_mode="always_last", **measure)
    return measure


def chat(services: Services, model: gr.Dropdown, example: str, model_work: Wiring) -> None:
    """Lays out the view and wires it."""
    gr.Markdown(_HINT, elem_classes="hint")
    bundled = list(bundled_models())
    with gr.Row():
        choices = [("the model above", THE_PICKED), *((name, name) for name in bundled)]
        chosen = gr.Dropdown(choices, value=chat_model(), label="Who answers", elem_id="chat-model")
        plain = [name for name in bundled if name != CHAT_MODEL]
        beside = gr.Dropdown(plain, value=DEFAULT_MODEL, label="Plain model for comparison", elem_id="chat-plain")
        info = "goes before the conversation; the bundled assistant was trained without one"
        gr.Textbox("", label="System line", info=info, max_lines=2, elem_id="chat-system")
    view = chat_view(example, elem_id="chat")

    def on_ask(request: gr.Request, event: gr.EventData, picked: str, name: str, other: str) -> Iterator[Any]:
        asked = event_data(event)
        with shown_to_visitor():
            yield from or_nothing(reply(services, request.session_hash, picked, name, other, asked), gr.skip())

    view.ask(on_ask, [model, chosen, beside], view, **{**model_work, "trigger_mode": "multiple"})
    view.halt(stop_event(services), queue=False, **QUIET)
