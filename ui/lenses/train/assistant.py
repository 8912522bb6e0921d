"""The Train tab's view from a language model to an assistant: two stages, the audience's choices, and a comparison."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.lenses.train.handlers import answering, assistant, watching
from ui.lenses.train.handlers.assistant import PROMPTS, AssistantForm, assistant_form
from ui.lenses.train.view.duel_view import duel_view
from ui.services import Services
from ui.shared.fields import fields_of
from ui.shared.files import calling
from ui.shared.form_controls import controls, in_order
from ui.shared.lens import Wiring
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, or_nothing, served, stop_event

_WITH_WORKSPACE = calling("shared/view/workspace.js", "[m.ownWorkspace(), ...args.slice(1)]")
_ABOUT = (
    "<p>A GPT continues texts. In two stages it learns to answer: <b>1</b> from instructions with their answers, with "
    "the loss on the answers only (Ouyang et al. 2022), <b>2</b> from which of its own answers is the better one "
    "(DPO, Rafailov et al. 2023). That loss is "
    "<span>−log σ(β [log p(w|x) / p₀(w|x) − log p(l|x) / p₀(l|x)])</span>: w is the better answer, l the other, p₀ the "
    "model as it was.</p>"
)


@dataclass(frozen=True)
class AssistantFields:
    """The form's components."""

    # teach, prefer: the buttons of both stages
    teach: gr.Button
    prefer: gr.Button
    chooser: gr.Radio  # who prefers
    said: gr.HTML  # where refusals and progress stand
    values: dict[str, Any]  # by the names of AssistantForm


def assistant_fields(services: Services) -> AssistantFields:
    """Lays out the form."""
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
    duel_view(server_functions=served(services, answering.duel), elem_id="duel")
    return AssistantFields(teach, prefer, chooser, notice, in_order(AssistantForm, values))


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
            rows = ([*view.streams, view.said] for view in views)
            changed = ([gr.skip() if value is None else value for value in row] for row in rows)
            yield from or_nothing(changed, [gr.skip()] * 4)

    asking = {
        "fn": on_compare,
        "inputs": [workspace, model, prompt],
        "outputs": [*streams, sentence],
        "js": _WITH_WORKSPACE,
    }
    gr.on([start.click, prompt.submit], **asking, **{**model_work, "trigger_mode": "multiple"})
    examples.input(lambda chosen: chosen, examples, prompt, queue=False, **QUIET)
    stop.click(stop_event(services), queue=False, **QUIET)


class AssistantEvents:
    """The form's events: the workspace first, then the values of the fields.

    Args:
        services: of the app.
        shown: a workspace as the run view's value, its run's form remembered.
    """

    def __init__(self, services: Services, shown: Callable[[str, dict[str, object], Any], str]) -> None:
        self._services, self._shown = services, shown

    def _form(self, raw: tuple[object, ...]) -> tuple[dict[str, object], assistant.AssistantForm]:
        values: dict[str, object] = dict(zip(fields_of(AssistantForm), raw, strict=True))
        return values, assistant_form(values, self._services.limits.training_seconds)

    def teach(self, workspace: str, model: str, *raw: object) -> list[Any]:
        with shown_to_visitor():
            try:
                values, form = self._form(raw)
                begun = assistant.teach(self._services, workspace, model, form)
                return [self._shown("assistant", values, begun), ""]
            except GPTCoreError as error:
                return [gr.skip(), watching.message(error)]

    def prefer(self, workspace: str, chooser: object, *raw: object) -> list[Any]:
        with shown_to_visitor():
            try:
                values, form = self._form(raw)
                begun = assistant.prefer(self._services, workspace, form, by_audience=chooser == "audience")
                return [self._shown("assistant", values, begun), ""]
            except GPTCoreError as error:
                return [gr.skip(), watching.message(error)]
