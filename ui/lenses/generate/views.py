"""Strategies side by side, and the surprise in the visitor's own text."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.lenses.generate.handlers.compare import MOST, compare
from ui.lenses.generate.handlers.score import score
from ui.lenses.generate.handlers.strategies import COMPARED, FROM_SLIDERS, OFF
from ui.services import Services
from ui.shared.controls import Controls, writing_form
from ui.shared.files import calling
from ui.shared.lens import Event, Wiring
from ui.shared.opening import Opening
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, or_nothing, stop_event
from ui.state import token_stream as token_stream_of
from ui.views import SURPRISE

FIRST_CHOICES = ("Greedy", "T = 0.7", "Top-k = 50", "Top-p = 0.9", "Combined")


def compare_view(
    services: Services, tab: gr.Tab, model: gr.Dropdown, prompt: gr.Textbox, controls: Controls, model_work: Wiring
) -> None:
    """Up to five strategies on one prompt, streaming together; length, seed and speed are those of the write view.

    It writes by itself when its tab is opened for the first time, once nothing else of the visitor is under way.
    """
    with gr.Row():
        start = gr.Button("Write all", variant="primary", elem_id="compare-start", min_width=120, scale=0)
        stop = gr.Button("Stop", variant="stop", elem_id="compare-stop", min_width=90, scale=0)
        same = gr.Checkbox(
            True,
            label="Same random numbers",
            elem_id="compare-same",
            min_width=260,
            info="On: only the strategy differs. Off: each column gets its own random numbers, "
            "so one strategy gives five texts.",
        )
    names, streams = [], []
    with gr.Row(elem_classes="compare"):
        for place in range(MOST):
            with gr.Column(min_width=200):
                names.append(
                    gr.Dropdown(
                        [*COMPARED, FROM_SLIDERS, OFF],
                        value=FIRST_CHOICES[place],
                        label=f"Strategy {place + 1}",
                        elem_id=f"strategy-{place}",
                    )
                )
                streams.append(
                    token_stream(label=f"Text of strategy {place + 1}", compact=True, elem_id=f"compared-{place}")
                )

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
    gr.on([shown.input, prompt.change], trigger_mode="always_last", **measure)
    return measure
