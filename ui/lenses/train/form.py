"""The Train tab's forms, under the names that handlers know."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ui.lenses.train.fields import LENGTH_CHOICES, number_field, slider, text_fields
from ui.lenses.train.handlers.presets import OPTIMIZERS, PRESETS, RIVALS, TRICKS
from ui.services import Services

FIRST_PRESET = next(iter(PRESETS))


def scratch_fields(services: Services, values: dict[str, Any]) -> dict[str, Any]:
    """The form's components by the names of FIELDS, in their order."""
    found = text_fields(services, values, "train", repeated=True)
    length = gr.Radio(
        LENGTH_CHOICES,
        value=values["length"],
        label="Length",
        info="the learning rate reaches 0 when time is up",
        elem_id="train-length",
    )
    trick = gr.Dropdown(
        [(label, key) for key, (label, _) in TRICKS.items()], value="none", label="Break it", elem_id="train-trick"
    )
    rival = gr.Dropdown(
        [(label, key) for key, label in RIVALS.items()],
        value=values["rival"],
        label="Race against",
        info="same seed, same batches, one thing changed",
        elem_id="train-rival",
    )
    with gr.Accordion("Model and schedule", open=False, elem_id="train-more"):
        found["tokenizer"] = gr.Radio(
            [("characters", "char"), ("byte-pair encoding", "bpe")],
            value=values["tokenizer"],
            label="Tokens",
            elem_id="train-tokenizer",
        )
        with gr.Column(elem_classes="shape-sliders"):
            found["vocab_size"] = slider("Vocabulary", "V, for byte-pair encoding", 257, 16_384, values, "vocab_size")
            found["n_layer"] = slider("Layers", "L, blocks", 1, 24, values, "n_layer")
            found["n_head"] = slider("Heads", "H, in a layer", 1, 32, values, "n_head")
            found["n_embd"] = slider("Width", "C, channels", 4, 1024, values, "n_embd", 4)
            found["n_positions"] = slider("Window", "T, tokens", 4, 1024, values, "n_positions", 4)
            found["batch_size"] = slider("Batch", "B, windows", 1, 512, values, "batch_size")
        with gr.Row():
            found["attention_bias"] = gr.Checkbox(
                values["attention_bias"], label="biases in attention", elem_id="train-bias", min_width=100
            )
            found["norm_position"] = gr.Radio(
                [("before (GPT-2)", "pre"), ("after (GPT-1)", "post")],
                value=values["norm_position"],
                label="Norm",
                elem_id="train-norm",
                min_width=100,
            )
        found["length"] = length
        with gr.Row():
            found["max_steps"] = number_field(
                values["max_steps"], "Steps", "when the length is steps", "train-steps", least=1
            )
            found["epochs"] = number_field(values["epochs"], "Epochs", "passes over the text", "train-epochs")
        found["optimizer"] = gr.Radio(
            [(label, key) for key, label in OPTIMIZERS.items()],
            value=values["optimizer"],
            label="Optimiser",
            info="Muon makes every matrix's step orthogonal, so that all directions learn alike (Jordan et al. 2024).",
            elem_id="train-optimizer",
        )
        with gr.Row():
            found["learning_rate"] = number_field(
                values["learning_rate"], "Learning rate", "peak; Muon uses 7 times this", "train-rate"
            )
            found["warmup_steps"] = number_field(values["warmup_steps"], "Warm-up", "steps", "train-warmup", least=0)
            found["dropout"] = number_field(values["dropout"], "Dropout", "share switched off", "train-dropout")
            found["noise"] = number_field(values["noise"], "Noise", "share replaced", "train-noise")
            found["weight_decay"] = number_field(values["weight_decay"], "Weight decay", "of matrices", "train-decay")
            found["beta2"] = number_field(values["beta2"], "Beta 2", "of AdamW", "train-beta2")
            found["seed"] = number_field(values["seed"], "Seed", "", "train-seed", least=0, most=2**31 - 1)
        found["prompt"] = gr.Textbox(values["prompt"], label="Sample prompt", max_lines=2, elem_id="train-prompt")
        tasks = gr.Checkbox(
            values["tasks"],
            label="Test tasks at every snapshot",
            info="last words, questions and summaries of the little world, from prompts alone",
            elem_id="train-tasks",
        )
    found["trick"], found["rival"], found["tasks"] = trick, rival, tasks
    return found
