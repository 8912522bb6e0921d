"""The Train tab's view from a language model to an assistant: two stages, the audience's choices, and a comparison."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.train.handlers import answering
from ui.lenses.train.handlers.assistant import PROMPTS, AssistantForm
from ui.services import Services
from ui.shared.files import calling, component
from ui.shared.form_controls import controls, in_order
from ui.shared.lens import Wiring
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, or_nothing, served, stop_event

# Replaces the first input with the workspace id of this browser, which only its script knows.
WITH_WORKSPACE = calling("shared/view/workspace.js", "[m.ownWorkspace(), ...args.slice(1)]")
_ABOUT = (
    "<p>A GPT continues texts. In two stages it learns to answer: <b>1</b> from instructions with their answers, with "
    "the loss on the answers only (Ouyang et al. 2022), <b>2</b> from which of its own answers is the better one (DPO, "
    "Rafailov et al. 2023). That loss is <span>−log σ(β [log p(w|x) / p₀(w|x) − log p(l|x) / p₀(l|x)])</span>: w is "
    "the better answer, l the other, p₀ the model as it was.</p>"
)

_DUEL = """
<div class="du"><button type="button" data-do="begin">Choose answers yourself</button>
<div class="du-body" hidden><p class="du-prompt u-apart u-strong"></p>
<div class="u-two">
<div><div class="du-answer u-pane u-reading"></div>
<button type="button" class="u-apart" data-choice="0">A is better</button></div>
<div><div class="du-answer u-pane u-reading"></div>
<button type="button" class="u-apart" data-choice="1">B is better</button></div></div>
<button type="button" data-choice="">Neither: two others</button></div>
<p class="du-said u-apart u-muted" role="status"></p></div>
"""


def assistant_fields(services: Services) -> tuple[gr.Button, gr.Radio, gr.Button, gr.HTML, dict[str, Any]]:
    """The form: the button of stage 1, who prefers, that of stage 2, where refusals stand, and the values by name."""
    gr.HTML(_ABOUT, elem_classes="said")
    teach = gr.Button("1 · Teach it to answer", variant="primary", elem_id="assistant-teach")
    chooser = gr.Radio(
        [("the rule", "rule"), ("you, below", "audience")],
        value="rule",
        label="Who prefers",
        info="The rule: all requested words used, ends properly, does not repeat.",
        elem_id="assistant-chooser",
    )
    prefer = gr.Button("2 · Teach preferences", variant="primary", elem_id="assistant-prefer")
    notice = gr.HTML("", elem_id="assistant-said", elem_classes="said")
    values = controls(AssistantForm, "assistant", ("length",))
    with gr.Accordion("Stories, seed", open=False, elem_id="assistant-more"):
        values |= controls(AssistantForm, "assistant", ("stories", "seed"))
    duel = served(services, answering.duel)
    component("", _DUEL, "lenses/train/view/duel_view.js", server_functions=duel, elem_id="duel")
    return teach, chooser, prefer, notice, in_order(AssistantForm, values)


def compared_view(services: Services, workspace: gr.Textbox, model: gr.Dropdown, model_work: Wiring) -> None:
    """One prompt, answered before, after stage 1 and after stage 2."""
    with gr.Column(elem_id="assistant-compared"):
        with gr.Row(equal_height=False):
            prompt = gr.Textbox(PROMPTS[0], label="Ask all three", max_lines=3, elem_id="assistant-prompt", scale=4)
            start = gr.Button("Compare", variant="primary", elem_id="assistant-compare", min_width=110, scale=0)
            stop = gr.Button("Stop", variant="stop", elem_id="assistant-stop", min_width=80, scale=0)
        examples = gr.Radio(
            list(PROMPTS), value=PROMPTS[0], show_label=False, container=False, elem_id="assistant-prompts"
        )
        sentence = gr.HTML("", elem_id="assistant-told", elem_classes="conclusion")
        streams = []
        with gr.Row(equal_height=False):
            for place, title in enumerate(("Before", "After 1: instructions", "After 2: preferences")):
                with gr.Column(min_width=240):
                    gr.Markdown(f"#### {title}")
                    streams.append(token_stream(label=title, compact=True, elem_id=f"assistant-answer-{place}"))

    def on_compare(request: gr.Request, own: str, name: str, question: str) -> Iterator[list[Any]]:
        with shown_to_visitor():
            views = answering.compare(services, request.session_hash, own, name, question)
            changed = ([gr.skip() if value is None else value for value in view] for view in views)
            yield from or_nothing(changed, [gr.skip()] * 4)

    asking = {"inputs": [workspace, model, prompt], "outputs": [*streams, sentence], "js": WITH_WORKSPACE}
    gr.on([start.click, prompt.submit], on_compare, **asking, **{**model_work, "trigger_mode": "multiple"})
    examples.input(lambda chosen: chosen, examples, prompt, queue=False, **QUIET)
    stop.click(stop_event(services), queue=False, **QUIET)
