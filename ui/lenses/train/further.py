"""The Train tab's two forms that begin with a model that has learned before: fine-tuning, and labels."""

from __future__ import annotations

from typing import Any

import gradio as gr

from gptcore.finetuning.classification import AUXILIARY_WEIGHT
from ui.errors import shown_to_visitor
from ui.lenses.train.fields import LENGTH_CHOICES, number_field, text_fields
from ui.lenses.train.handlers.input_forms import INPUT_FORMS, drawing, input_form
from ui.lenses.train.handlers.label_sets import example_lines
from ui.lenses.train.handlers.presets import LABEL_FIELDS, OPTIMIZERS, PRESETS, TUNING_FIELDS
from ui.services import Services
from ui.shared.wiring import QUIET


def tuning_fields(services: Services) -> dict[str, Any]:
    """The fine-tuning form's components by the names of TUNING_FIELDS, in their order."""
    values = {**next(iter(PRESETS.values())), "length": "60", "n_positions": 128, "batch_size": 8}
    found = text_fields(services, values, "tune", repeated=False)
    found["n_positions"] = number_field(128, "Window", "tokens", "tune-window", least=4)
    found["batch_size"] = number_field(8, "Batch", "", "tune-batch", least=1)
    found["length"] = gr.Radio(LENGTH_CHOICES, value="60", label="Length", elem_id="tune-length")
    found["max_steps"] = number_field(200, "Steps", "when the length is steps", "tune-steps", least=1)
    found["epochs"] = number_field(2, "Epochs", "when the length is epochs: passes over the text", "tune-epochs")
    found["learning_rate"] = number_field(0.0002, "Learning rate", "peak", "tune-rate")
    with gr.Accordion("Optimiser and schedule", open=False, elem_id="tune-more"):
        found["optimizer"] = gr.Radio(
            [(label, key) for key, label in OPTIMIZERS.items()],
            value="adamw",
            label="Optimiser",
            elem_id="tune-optimizer",
        )
        with gr.Row():
            found["warmup_steps"] = number_field(20, "Warm-up", "steps", "tune-warmup", least=0)
            found["weight_decay"] = number_field(0.1, "Weight decay", "of matrices", "tune-decay")
            found["seed"] = number_field(1, "Seed", "", "tune-seed", least=0, most=2**31 - 1)
    found["prompt"] = gr.Textbox(
        "", label="Sample prompt", placeholder="the first words of the text", max_lines=2, elem_id="tune-prompt"
    )
    return {name: found[name] for name in TUNING_FIELDS}


def label_fields() -> dict[str, Any]:
    """The labels form's components by the names of LABEL_FIELDS, in their order."""
    found: dict[str, Any] = {}
    first = next(iter(INPUT_FORMS))
    found["input_form"] = gr.Dropdown(
        [(form.title, name) for name, form in INPUT_FORMS.items()],
        value=first,
        label="Input form",
        info="one model for four kinds of task (GPT-1, figure 1)",
        elem_id="labels-form",
    )
    drawn = gr.HTML(drawing(first), elem_id="labels-drawing")
    found["labelled"] = gr.Textbox(
        example_lines(first),
        label="Labelled lines",
        info="label, tab or comma, then the form's texts, separated by |; a fifth is held out",
        lines=6,
        max_lines=10,
        placeholder=_some_lines(first),
        elem_id="labels-lines",
    )
    fill = gr.Button("Use this form's example data", size="sm", elem_id="labels-fill")
    fill.click(_filled, found["input_form"], found["labelled"], queue=False, **QUIET)
    both = [found["input_form"], found["labelled"]]
    found["input_form"].change(_drawn, both, [drawn, found["labelled"]], queue=False, **QUIET)
    found["batch_size"] = number_field(16, "Batch", "", "labels-batch", least=1)
    found["length"] = gr.Radio(LENGTH_CHOICES, value="30", label="Length", elem_id="labels-length")
    with gr.Row():
        found["max_steps"] = number_field(200, "Steps", "when the length is steps", "labels-steps", least=1)
        found["epochs"] = number_field(3, "Epochs", "when it is epochs", "labels-epochs")
    found["learning_rate"] = number_field(
        0.0005, "Learning rate", "peak; the paper's is 6.25e-5, for 117 M parameters", "labels-rate"
    )
    found["auxiliary_weight"] = gr.Slider(
        0,
        1,
        AUXILIARY_WEIGHT,
        step=0.05,
        label="λ",
        info="L3 = L2 + λ·L1: weight of the text's own loss next to the labels'",
        elem_id="labels-lambda",
        buttons=[],
    )
    found["prompt"] = gr.Textbox("the ", label="Sample prompt", max_lines=2, elem_id="labels-prompt")
    return {name: found[name] for name in LABEL_FIELDS}


def _some_lines(name: str) -> str:
    return "\n".join(example_lines(name).split("\n")[:4])


def _filled(name: str) -> str:
    """The made-up set of an input form."""
    with shown_to_visitor():
        input_form(name)
        return example_lines(name)


def _drawn(name: str, written: str) -> list[Any]:
    """The drawing of an input form, and lines that show what it wants; a made-up set gives way to this form's."""
    with shown_to_visitor():
        input_form(name)
        if written in [example_lines(one) for one in INPUT_FORMS]:
            return [drawing(name), gr.update(value=example_lines(name), placeholder=_some_lines(name))]
        return [drawing(name), gr.update(placeholder=_some_lines(name))]
