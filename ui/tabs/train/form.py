"""The Train tab's forms, under the names that handlers know."""

from __future__ import annotations

from typing import Any

import gradio as gr

from gptcore.corpora import CORPORA
from ui.handlers.train.labels import EXAMPLE
from ui.handlers.train.presets import LABEL_FIELDS, LENGTHS, OPTIMIZERS, PRESETS, RIVALS, TRICKS, TUNING_FIELDS
from ui.handlers.train.texts import DATA_SET, REPEATED, YOURS
from ui.services import Services
from ui.tabs.controls import QUIET

FIRST_PRESET = next(iter(PRESETS))
_LENGTHS = dict(zip(LENGTHS, ("30 s", "60 s", "2 min", "maximum", "steps"), strict=True))


def _text_fields(services: Services, values: dict[str, Any], name: str, *, repeated: bool) -> dict[str, Any]:
    """Where the text is from; fields that a choice does not need are not shown."""
    choices = [(corpus.title, key) for key, corpus in CORPORA.items()]
    choices += [("Repeated random sequences", REPEATED)] if repeated else []
    choices += [("Your own text", YOURS)]
    choices += [] if services.models.offline else [("A public data set", DATA_SET)]
    corpus = gr.Dropdown(choices, value=values["corpus"], label="Text", elem_id=f"{name}-corpus")
    written = gr.Textbox(
        "",
        label="Your text",
        lines=4,
        max_lines=8,
        visible=False,
        elem_id=f"{name}-written",
        placeholder="Paste it here, or upload a file below.",
    )
    file = gr.File(
        label="or a .txt file",
        file_types=["text", ".txt", ".md", ".csv", ".py"],
        visible=False,
        height=150,
        elem_id=f"{name}-file",
    )
    data_set = gr.Textbox(
        "", label="Data set", info="owner/name on the Hugging Face Hub", visible=False, elem_id=f"{name}-data-set"
    )
    corpus.change(
        lambda chosen: [
            gr.update(visible=chosen == YOURS),
            gr.update(visible=chosen == YOURS),
            gr.update(visible=chosen == DATA_SET),
        ],
        corpus,
        [written, file, data_set],
        queue=False,
        **QUIET,
    )
    return {"corpus": corpus, "written": written, "file": file, "data_set": data_set}


def scratch_fields(services: Services, values: dict[str, Any]) -> dict[str, Any]:
    """The form's components by the names of FIELDS, in their order."""
    found = _text_fields(services, values, "train", repeated=True)
    length = gr.Radio(
        [(label, key) for key, label in _LENGTHS.items()],
        value=values["length"],
        label="Length",
        info="the learning rate reaches 0 when time is up",
        elem_id="train-length",
    )
    optimizer = gr.Radio(
        [(label, key) for key, label in OPTIMIZERS.items()],
        value=values["optimizer"],
        label="Optimiser",
        info="Muon makes every matrix's step orthogonal, so that all directions learn alike (Jordan et al. 2024).",
        elem_id="train-optimizer",
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
            found["vocab_size"] = _slider(
                services, "Vocabulary", "V, of byte-pair encoding", 257, 16_384, values, "vocab_size"
            )
            found["n_layer"] = _slider(services, "Layers", "L, blocks", 1, 24, values, "n_layer")
            found["n_head"] = _slider(services, "Heads", "H, in a layer", 1, 32, values, "n_head")
            found["n_embd"] = _slider(services, "Width", "C, channels", 4, 1024, values, "n_embd", 4)
            found["n_positions"] = _slider(services, "Window", "T, tokens", 4, 1024, values, "n_positions", 4)
            found["batch_size"] = _slider(services, "Batch", "B, windows", 1, 512, values, "batch_size")
        found["length"] = length
        with gr.Row():
            found["max_steps"] = _number(
                values["max_steps"], "Steps", "when the length is steps", "train-steps", least=1
            )
            found["optimizer"] = optimizer
            found["learning_rate"] = _number(
                values["learning_rate"], "Learning rate", "peak; Muon takes 7 times it", "train-rate"
            )
        with gr.Row():
            found["warmup_steps"] = _number(values["warmup_steps"], "Warm-up", "steps", "train-warmup", least=0)
            found["dropout"] = _number(values["dropout"], "Dropout", "share switched off", "train-dropout")
            found["weight_decay"] = _number(values["weight_decay"], "Weight decay", "of matrices", "train-decay")
            found["seed"] = _number(values["seed"], "Seed", "", "train-seed", least=0, most=2**31 - 1)
        found["prompt"] = gr.Textbox(values["prompt"], label="Sample prompt", max_lines=2, elem_id="train-prompt")
    found["trick"], found["rival"] = trick, rival
    found["tasks"] = gr.Checkbox(
        values["tasks"],
        label="Test tasks at every snapshot",
        info="from prompts alone; made for the small web",
        elem_id="train-tasks",
    )
    return found


def tuning_fields(services: Services) -> dict[str, Any]:
    """The fine-tuning form's components by the names of TUNING_FIELDS, in their order."""
    values = {**PRESETS[FIRST_PRESET], "length": "60", "n_positions": 128, "batch_size": 8}
    found = _text_fields(services, values, "tune", repeated=False)
    found["n_positions"] = _number(128, "Window", "tokens", "tune-window", least=4)
    found["batch_size"] = _number(8, "Batch", "", "tune-batch", least=1)
    found["length"] = gr.Radio(
        [(label, key) for key, label in _LENGTHS.items()], value="60", label="Length", elem_id="tune-length"
    )
    found["max_steps"] = _number(200, "Steps", "when the length is steps", "tune-steps", least=1)
    found["learning_rate"] = _number(0.0002, "Learning rate", "peak", "tune-rate")
    found["prompt"] = gr.Textbox(
        "", label="Sample prompt", placeholder="the first words of the text", max_lines=2, elem_id="tune-prompt"
    )
    return {name: found[name] for name in TUNING_FIELDS}


def label_fields() -> dict[str, Any]:
    """The labels form's components by the names of LABEL_FIELDS, in their order."""
    found: dict[str, Any] = {}
    found["labelled"] = gr.Textbox(
        "",
        label="Labelled lines",
        info="label, a tab or a comma, text; a fifth is held out",
        lines=6,
        max_lines=10,
        placeholder=EXAMPLE,
        elem_id="labels-lines",
    )
    found["batch_size"] = _number(16, "Batch", "", "labels-batch", least=1)
    found["length"] = gr.Radio(
        [(label, key) for key, label in _LENGTHS.items()], value="30", label="Length", elem_id="labels-length"
    )
    found["max_steps"] = _number(200, "Steps", "when the length is steps", "labels-steps", least=1)
    found["learning_rate"] = _number(
        0.0005, "Learning rate", "peak; the paper's is 6.25e-5, for 117 M parameters", "labels-rate"
    )
    found["prompt"] = gr.Textbox("the ", label="Sample prompt", max_lines=2, elem_id="labels-prompt")
    return {name: found[name] for name in LABEL_FIELDS}


def _slider(
    services: Services, label: str, info: str, low: int, high: int, values: dict[str, Any], name: str, step: int = 1
) -> gr.Slider:
    return gr.Slider(
        low,
        high,
        values[name],
        step=step,
        precision=0,
        label=label,
        info=info,
        buttons=[],
        min_width=0,
        elem_id=f"train-{name}",
    )


def _number(
    value: float, label: str, info: str, elem_id: str, *, least: int | None = None, most: int | None = None
) -> gr.Number:
    """A number field; a whole number where a least one is given."""
    return gr.Number(
        value,
        label=label,
        info=info or None,
        precision=None if least is None else 0,
        minimum=least,
        maximum=most,
        elem_id=elem_id,
        min_width=100,
    )
