"""The Train tab's forms, under the names that handlers know, and the comparison of an assistant's
stages.
"""

import html
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.lenses.train.handlers import answering
from ui.lenses.train.handlers.assistant import PROMPTS, AssistantForm
from ui.lenses.train.handlers.forms import MOST_TEXT, LabelForm, TrainForm, TuneForm
from ui.lenses.train.handlers.input_forms import (
    INPUT_FORMS,
    SETTINGS,
    drawing,
    example_lines,
    input_form,
)
from ui.lenses.train.handlers.labelled_lines import preview, read_lines
from ui.lenses.train.handlers.presets import PRESETS
from ui.lenses.train.handlers.texts import YOURS, text_of_file
from ui.services import Services
from ui.shared import inputs
from ui.shared.fields import defaults_of
from ui.shared.files import calling, component
from ui.shared.form_controls import control, controls, group, in_order
from ui.shared.site import Asked, Site
from ui.shared.view.sentence import sentence_view
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, filling, served, stop_event
from ui.state.limits import Limits

FIRST_PRESET = next(iter(PRESETS))
# what sets differ in
_NEEDED = tuple(dict.fromkeys(name for settings in SETTINGS.values() for name in settings))


def scratch_fields() -> dict[str, Any]:
    """The form's controls by the names of TrainForm, in their order."""
    field = partial(control, TrainForm, "train")
    several = partial(controls, TrainForm, "train")
    fields = _text_fields(TrainForm, "train")
    fields |= several(("length", "trick", "rival"))
    with gr.Accordion("Model and schedule", open=False, elem_id="train-more"):
        fields["tokenizer"] = field("tokenizer")
        with gr.Column(elem_classes="shape-sliders"):
            fields |= several(group(TrainForm, "shape"))
        with gr.Row():
            fields |= several(group(TrainForm, "switches"), min_width=100)
        with gr.Row():
            fields |= several(group(TrainForm, "length"))
        fields["optimizer"] = field("optimizer")
        with gr.Row():
            fields |= several(group(TrainForm, "rates"))
        fields |= several(("prompt", "tasks"))
    return in_order(TrainForm, fields)


def tuning_fields() -> dict[str, Any]:
    """The fine-tuning form's controls by the names of TuneForm, in their order."""
    several = partial(controls, TuneForm, "tune")
    fields = _text_fields(TuneForm, "tune")
    fields |= several(
        ("n_positions", "batch_size", "length", *group(TuneForm, "length"), "learning_rate")
    )
    with gr.Accordion("Optimiser and schedule", open=False, elem_id="tune-more"):
        fields |= several(("optimizer",))
        with gr.Row():
            fields |= several(group(TuneForm, "rates"))
    fields |= several(("prompt",))
    return in_order(TuneForm, fields)


def label_fields(limits: Limits) -> dict[str, Any]:
    """The labels form's controls by the names of LabelForm, in their order; `limits` are those of a
    file of lines.
    """
    several = partial(controls, LabelForm, "labels")
    first = next(iter(INPUT_FORMS))
    fields = several(("input_form",))
    drawn = gr.HTML(drawing(first), elem_id="labels-drawing")
    fields["labelled"] = control(
        LabelForm, "labels", "labelled", max_lines=10, placeholder=_some_lines(first)
    )
    with gr.Row():
        fill = gr.Button(
            "Use this form's example data", size="sm", elem_id="labels-fill", min_width=120
        )
        file = gr.UploadButton(
            "Open a .csv, .tsv or .txt",
            file_types=["text", ".csv", ".tsv", ".txt"],
            size="sm",
            elem_id="labels-file",
            min_width=120,
        )
    read = gr.HTML(_read(first, example_lines(first)), elem_id="labels-read", elem_classes="said")
    fields |= several(("batch_size", "length"))
    with gr.Row():
        fields |= several(group(LabelForm, "length"))
    fields |= several(("learning_rate", "auxiliary_weight", "prompt"))
    both = [fields["input_form"], fields["labelled"]]
    refilled = {name: fields[name] for name in ("labelled", *_NEEDED)}
    outputs = list(refilled.values())
    fill.click(filling(_filled, refilled), fields["input_form"], outputs, queue=False, **QUIET)
    fields["input_form"].change(
        _drawn, fields["input_form"], [drawn, fields["labelled"]], queue=False, **QUIET
    )
    changes = [fields["labelled"].change, fields["input_form"].change]
    gr.on(changes, _read, both, read, queue=False, trigger_mode="multiple", **QUIET)
    file.upload(partial(_lines_of_file, limits), file, fields["labelled"], **QUIET)
    # Not where a link chooses it, which sets the lines, too.
    fields["input_form"].input(filling(_needed, refilled), both, outputs, queue=False, **QUIET)
    return in_order(LabelForm, fields)


def _text_fields(form: type, prefix: str) -> dict[str, Any]:
    """Adds the controls for the source of the text; the fields for the visitor's own are shown
    where that is chosen.
    """
    corpus = control(form, prefix, "corpus")
    own = controls(form, prefix, ("written", "file"), visible=False)

    def on_corpus(chosen: object) -> list[Any]:
        return [gr.update(visible=chosen == YOURS) for _ in own]

    corpus.change(on_corpus, corpus, list(own.values()), queue=False, **QUIET)
    return {"corpus": corpus, **own}


def _some_lines(name: str) -> str:
    return "\n".join(example_lines(name).split("\n")[:4])


def _filled(name: str) -> dict[str, Any]:
    """The made-up set of an input form, and the settings with which it is learned in its time."""
    with shown_to_visitor():
        input_form(name)
    settings = {**defaults_of(LabelForm), **SETTINGS.get(name, {})}
    return {"labelled": example_lines(name), **{needed: settings[needed] for needed in _NEEDED}}


def _lines_of_file(limits: Limits, path: str) -> str:
    """The text of a file of labelled lines."""
    with shown_to_visitor():
        text, _ = text_of_file(limits, Path(path))
        return text.removeprefix("\ufeff")


def _needed(name: str, written: str) -> dict[str, Any]:
    """The made-up set of an input form with its settings, where a made-up set stands there."""
    filled = _filled(name)
    return filled if written in map(example_lines, INPUT_FORMS) else {}


def _read(name: str, written: str) -> str:
    """Previews the lines in the form as they are read, before a run begins; or says why they cannot
    be read.
    """
    try:
        text = inputs.text(written, "The labelled lines", most=MOST_TEXT, needs_words=True)
        return preview(read_lines(text, input_form(name)))
    except GPTCoreError as error:
        return f"<p>{html.escape(str(error))}</p>"


def _drawn(name: str) -> list[Any]:
    """The drawing of an input form, and lines that show what it wants."""
    with shown_to_visitor():
        input_form(name)
        return [drawing(name), gr.update(placeholder=_some_lines(name))]


# Replaces the first or the last input with the workspace id of this browser, which only its script
# knows.
_WORKSPACE_LAST = calling("shared/view/workspace.js", "[...args.slice(0, -1), m.ownWorkspace()]")
WITH_WORKSPACE = calling("shared/view/workspace.js", "[m.ownWorkspace(), ...args.slice(1)]")
_ABOUT = (
    "<p>A GPT continues texts. In two stages it learns to answer: <b>1</b> from instructions "
    "with their answers, with the loss on the answers only (Ouyang et al. 2022), <b>2</b> from "
    "which of its own answers is the better one (DPO, Rafailov et al. 2023). That loss is "
    "<span>−log σ(β [log p(w|x) / p₀(w|x) − log p(l|x) / p₀(l|x)])</span>: w is the better "
    "answer, l the other, p₀ the model as it was.</p>"
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


def assistant_fields(
    services: Services,
) -> tuple[gr.Button, gr.Radio, gr.Button, gr.HTML, dict[str, Any]]:
    """The form: the button of stage 1, who prefers, that of stage 2, where refusals stand, and the
    values by name.
    """
    gr.HTML(_ABOUT, elem_classes="said")
    teach = gr.Button("1 · Teach it to answer", variant="primary", elem_id="assistant-teach")
    chooser = gr.Radio(
        [("the rule", "rule"), ("you, below", "audience")],
        value="rule",
        label="Who judges the answers",
        info="The rule: all requested words used, ends properly, does not repeat.",
        elem_id="assistant-chooser",
    )
    prefer = gr.Button("2 · Teach preferences", variant="primary", elem_id="assistant-prefer")
    notice = gr.HTML("", elem_id="assistant-said", elem_classes="said")
    values = controls(AssistantForm, "assistant", ("length",))
    with gr.Accordion("Stories, seed", open=False, elem_id="assistant-more"):
        values |= controls(AssistantForm, "assistant", ("stories", "seed"))
    duel = served(services, answering.duel)
    component(
        "", _DUEL, "lenses/train/view/duel_view.js", needs=(), server_functions=duel, elem_id="duel"
    )
    return teach, chooser, prefer, notice, in_order(AssistantForm, values)


_COMPARED = ("model", "compare_prompt")


def compared_view(site: Site[Any], workspace: gr.Textbox) -> None:
    """One prompt, answered before, after stage 1 and after stage 2."""
    with gr.Column(elem_id="assistant-compared"):
        with gr.Row(equal_height=False):
            prompt = gr.Textbox(
                PROMPTS[0], label="Ask all three", max_lines=3, elem_id="assistant-prompt", scale=4
            )
            site.add("compare_prompt", prompt, "further")
            start = gr.Button(
                "Compare", variant="primary", elem_id="assistant-compare", min_width=110, scale=0
            )
            stop = gr.Button(
                "Stop", variant="stop", elem_id="assistant-stop", min_width=80, scale=0
            )
        examples = gr.Radio(
            list(PROMPTS),
            value=PROMPTS[0],
            show_label=False,
            container=False,
            elem_id="assistant-prompts",
        )
        said = sentence_view(needs=_COMPARED, elem_id="assistant-told")
        streams = []
        with gr.Row(equal_height=False):
            for index, title in enumerate(
                ("Before", "After 1: instructions", "After 2: preferences")
            ):
                with gr.Column(min_width=240):
                    gr.Markdown(f"#### {title}")
                    name = f"assistant-answer-{index}"
                    streams.append(
                        token_stream(label=title, needs=_COMPARED, compact=True, elem_id=name)
                    )

    def on_compare(
        request: gr.Request, name: str, question: str, own: str
    ) -> Iterator[dict[Any, Any]]:
        outputs = [*streams, said]
        with shown_to_visitor():
            for answers in answering.compare(
                site.services, request.session_hash, own, name, question
            ):
                named = zip(outputs, answers, strict=True)
                yield {component: value for component, value in named if value is not None}

    options = {**site.model_work, "trigger_mode": "multiple"}
    asked = Asked(
        on_compare, _COMPARED, [*streams, said], [workspace], js=_WORKSPACE_LAST, options=options
    )
    for listener in (start.click, prompt.submit):
        site.fields.listen(listener, asked)
    examples.input(lambda chosen: chosen, examples, prompt, queue=False, **QUIET)
    stop.click(stop_event(site.services), queue=False, **QUIET)
