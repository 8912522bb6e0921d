"""What the Train tab's forms are made of."""

from __future__ import annotations

from typing import Any

import gradio as gr

from gptcore.corpora import CORPORA
from ui.lenses.train.handlers.presets import LENGTHS
from ui.lenses.train.handlers.texts import DATA_SET, REPEATED, YOURS
from ui.services import Services
from ui.shared.wiring import QUIET

# Labels and names, as a radio takes them.
LENGTH_CHOICES = list(zip(("30 s", "60 s", "2 min", "maximum", "steps", "epochs"), LENGTHS, strict=True))


def text_fields(services: Services, values: dict[str, Any], name: str, *, repeated: bool) -> dict[str, Any]:
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


def slider(label: str, info: str, low: int, high: int, values: dict[str, Any], name: str, step: int = 1) -> gr.Slider:
    """A slider of whole numbers for a field of a preset."""
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


def number_field(
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
