"""The view of steering: one text with and one without a vector in the stream."""

from collections.abc import Iterator
from typing import Any

import gradio as gr
from gradio.components import Component

from ui.errors import shown_to_visitor
from ui.lenses.generate.handlers.steer import EXAMPLES, MOST_STRENGTH, SHOWN, SteeringForm, steer
from ui.services import Services
from ui.shared.lens import Event, Wiring
from ui.shared.opening import Opening
from ui.shared.view.sheet_view import sheet_view
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, copy_script, or_nothing, stop_event, while_computing
from ui.views import title_of

_FIRST = next(iter(EXAMPLES))


def steer_view(
    services: Services, tab: gr.Tab, model: gr.Dropdown, text: gr.Textbox, model_work: Wiring
) -> dict[str, Component]:
    """Lays out the view and wires it; it writes by itself when its tab is opened for the first time.

    Returns:
        what a link sets, by name.
    """
    gr.Markdown(
        "The mean state of some texts minus that of others is a direction. Added to the stream at every token, it "
        "pushes the model that way.",
        elem_classes="hint",
    )
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=300):
            example = gr.Dropdown(
                list(EXAMPLES), value=_FIRST, label="Examples", elem_id="steer-examples", interactive=True
            )
            ends: dict[str, Any] = {"minimum": -MOST_STRENGTH, "maximum": MOST_STRENGTH, "step": 0.5, "buttons": []}
            strength = gr.Slider(
                value=1.5, **ends, label="Strength", info="below 0 pushes the other way", elem_id="steer-strength"
            )
            with gr.Row(elem_classes="steps"):
                start = gr.Button("Write both", variant="primary", elem_id="steer-start", min_width=0)
                stop = gr.Button("Stop", variant="stop", elem_id="steer-stop", min_width=0)
            copy_link = gr.Button("Copy a link to this", size="sm", elem_id="steer-link", elem_classes="no-present")
            copied = gr.Markdown("", elem_id="steer-link-said")
            sides, depth, seed = _directions()
        with gr.Column(scale=2, min_width=330):
            sentence = gr.HTML("", elem_id="steer-said", elem_classes="conclusion")
            with gr.Row(equal_height=False):
                with gr.Column(min_width=250):
                    gr.Markdown("#### As it is")
                    plain = token_stream(label="Text without steering", compact=True, elem_id="steer-plain")
                with gr.Column(min_width=250):
                    gr.Markdown("#### Steered")
                    steered = token_stream(label="Steered text", compact=True, elem_id="steer-steered")
            costs = sheet_view("", name="steering", elem_id="steer-costs")

    def on_steer(request: gr.Request, name: str, written: str, *raw: object) -> Iterator[list[Any]]:
        form = SteeringForm(*raw)
        with shown_to_visitor():
            views = steer(services, request.session_hash, name, written, form)
            yield from or_nothing(([view.get(one, gr.skip()) for one in SHOWN] for view in views), [gr.skip()] * 4)

    def on_example(chosen: str) -> list[str]:
        return ["\n".join(side) for side in EXAMPLES.get(chosen, EXAMPLES[_FIRST])]

    given, outputs = [model, text, *sides, strength, depth, seed], [plain, steered, costs, sentence]
    computing: Event = {"fn": on_steer, "inputs": given, "outputs": outputs, **model_work}
    opening = Opening(services, "steer", on_steer)
    tab.select(opening.opened, given, outputs, **model_work)
    while_computing(start.click, {**computing, "fn": opening.pressed})
    while_computing(strength.release, computing)
    chosen = example.input(on_example, example, sides, queue=False, **QUIET)
    while_computing(chosen.success, computing)
    stop.click(stop_event(services), queue=False, **QUIET)
    linked: dict[str, Component] = {"towards": sides[0], "away": sides[1], "strength": strength}
    held = {"model": model, "prompt": text, **linked}
    script = copy_script(list(held), tab="generate", view=title_of("generate", "steer"))
    copy_link.click(None, list(held.values()), copied, js=script, **QUIET)
    return linked


def _directions() -> tuple[list[gr.Textbox], gr.Number, gr.Number]:
    """The texts of both kinds, the depth, and the seed."""
    with gr.Accordion("Texts of both kinds, depth, seed", open=False, elem_id="steer-more"):
        sides = [
            gr.Textbox("\n".join(lines), label=label, info="one a line", lines=4, elem_id=f"steer-{name}")
            for lines, label, name in zip(EXAMPLES[_FIRST], ("Towards", "Away from"), ("towards", "away"), strict=True)
        ]
        with gr.Row():
            depth = gr.Number(
                0, label="Depth", info="blocks before it; 0: the middle", precision=0, elem_id="steer-depth"
            )
            seed = gr.Number(1, label="Seed", precision=0, elem_id="steer-seed")
    return sides, depth, seed
