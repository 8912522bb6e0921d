"""The Train tab's forms from scratch, of fine-tuning and of labels, under the names that handlers know."""

from functools import partial
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.train.handlers.forms import LabelForm, TrainForm, TuneForm
from ui.lenses.train.handlers.input_forms import INPUT_FORMS, drawing, input_form
from ui.lenses.train.handlers.label_sets import SETTINGS, example_lines
from ui.lenses.train.handlers.presets import PRESETS
from ui.lenses.train.handlers.texts import DATA_SET, YOURS
from ui.services import Services
from ui.shared.fields import defaults_of, fields_of
from ui.shared.form_controls import control, controls, group, in_order
from ui.shared.wiring import QUIET

FIRST_PRESET = next(iter(PRESETS))
_NEEDED = tuple(dict.fromkeys(name for settings in SETTINGS.values() for name in settings))  # what sets differ in


def scratch_fields(services: Services) -> dict[str, Any]:
    """The form's controls by the names of TrainForm, in their order."""
    field, several = partial(control, TrainForm, "train"), partial(controls, TrainForm, "train")
    fields = _text_fields(services, TrainForm, "train")
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


def tuning_fields(services: Services) -> dict[str, Any]:
    """The fine-tuning form's controls by the names of TuneForm, in their order."""
    several = partial(controls, TuneForm, "tune")
    fields = _text_fields(services, TuneForm, "tune")
    fields |= several(("n_positions", "batch_size", "length", *group(TuneForm, "length"), "learning_rate"))
    with gr.Accordion("Optimiser and schedule", open=False, elem_id="tune-more"):
        fields |= several(("optimizer",))
        with gr.Row():
            fields |= several(group(TuneForm, "rates"))
    fields |= several(("prompt",))
    return in_order(TuneForm, fields)


def label_fields() -> dict[str, Any]:
    """The labels form's controls by the names of LabelForm, in their order."""
    several = partial(controls, LabelForm, "labels")
    first = next(iter(INPUT_FORMS))
    fields = several(("input_form",))
    drawn = gr.HTML(drawing(first), elem_id="labels-drawing")
    fields["labelled"] = control(LabelForm, "labels", "labelled", max_lines=10, placeholder=_some_lines(first))
    fill = gr.Button("Use this form's example data", size="sm", elem_id="labels-fill")
    fields |= several(("batch_size", "length"))
    with gr.Row():
        fields |= several(group(LabelForm, "length"))
    fields |= several(("learning_rate", "auxiliary_weight", "prompt"))
    both, needed = [fields["input_form"], fields["labelled"]], [fields[name] for name in _NEEDED]
    fill.click(_filled, fields["input_form"], [fields["labelled"], *needed], queue=False, **QUIET)
    fields["input_form"].change(_drawn, both, [drawn, fields["labelled"]], queue=False, **QUIET)
    fields["input_form"].input(_needed, both, needed, queue=False, **QUIET)  # not where a link chooses it
    return in_order(LabelForm, fields)


def _text_fields(services: Services, form: type, prefix: str) -> dict[str, Any]:
    """Where the text is from; fields that a choice does not need are not shown."""
    options = fields_of(form)["corpus"].options  # type: ignore[attr-defined] - a choice
    choices = [(label, name) for name, label in options.items() if name != DATA_SET or not services.models.offline]
    corpus = control(form, prefix, "corpus", choices=choices)
    needed_by = {"written": YOURS, "file": YOURS, "data_set": DATA_SET}
    hidden = controls(form, prefix, needed_by, visible=False)

    def on_corpus(chosen: object) -> list[Any]:
        return [gr.update(visible=chosen == choice) for choice in needed_by.values()]

    corpus.change(on_corpus, corpus, list(hidden.values()), queue=False, **QUIET)
    return {"corpus": corpus, **hidden}


def _some_lines(name: str) -> str:
    return "\n".join(example_lines(name).split("\n")[:4])


def _filled(name: str) -> list[Any]:
    """The made-up set of an input form, and the settings with which it is learned in its time."""
    with shown_to_visitor():
        input_form(name)
        settings = {**defaults_of(LabelForm), **SETTINGS.get(name, {})}
        return [example_lines(name), *(settings[one] for one in _NEEDED)]


def _needed(name: str, written: str) -> list[Any]:
    """The settings of an input form's made-up set, where such a set stands there."""
    settings = _filled(name)[1:]
    return settings if written in map(example_lines, INPUT_FORMS) else [gr.skip() for _ in settings]


def _drawn(name: str, written: str) -> list[Any]:
    """The drawing of an input form, and lines that show what it wants; a made-up set gives way to this form's."""
    with shown_to_visitor():
        input_form(name)
        made_up: dict[str, Any] = {"value": example_lines(name)} if written in map(example_lines, INPUT_FORMS) else {}
        return [drawing(name), gr.update(placeholder=_some_lines(name), **made_up)]
