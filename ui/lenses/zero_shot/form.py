"""The left side of the Zero-shot tab: a task's input, its examples, its template, and how it is answered."""

from typing import Any

import gradio as gr

from gptcore.inference.sampling_settings import CONTROLS
from gptcore.zero_shot.tasks import TASKS
from ui.lenses.zero_shot.handlers.form import MOST_FIELDS, STOPS, Asked, columns_of
from ui.shared.controls import settings_opener
from ui.shared.form_controls import control


def task_fields(values: dict[str, Any]) -> tuple[dict[str, Any], tuple[gr.Button, ...], gr.Markdown, gr.Textbox]:
    """The controls by the names of `ui.lenses.zero_shot.handlers.form.FIELDS`, without task and prompt.

    With the buttons for another input, other examples and a link, where it says what it did, and the language.
    """
    fields: dict[str, Any] = {}
    another, language = _input(fields, values)
    examples = _examples(fields, values)
    with gr.Accordion("Edit the template", open=False):
        fields["instruction"] = gr.Textbox(
            values["instruction"], label="Instruction, given once", lines=1, max_lines=4, elem_id="zs-instruction"
        )
        fields["body"] = gr.Textbox(values["body"], **wording(values["task"]), lines=2, max_lines=6, elem_id="zs-body")
    _answering(fields, values)
    link = gr.Button("Copy a link to this", elem_id="zs-link", size="sm")
    return fields, (another, examples, link), gr.Markdown("", elem_id="zs-link-said"), language


def _input(fields: dict[str, Any], values: dict[str, Any]) -> tuple[gr.Button, gr.Textbox]:
    """The task's own fields, what is expected, and the template; the button for another input, and the language."""
    task = TASKS[values["task"]]
    titles = [*task.fields.values(), *[""] * (MOST_FIELDS - len(task.fields))]
    for place, title in enumerate(titles):
        fields[f"field_{place}"] = gr.Textbox(
            values[f"field_{place}"], **field(title), lines=1, max_lines=8, elem_id=f"zs-field-{place}"
        )
    settings_opener("zs-settings")
    with gr.Row(equal_height=True):
        fields["expected"] = control(Asked, "zs", "expected", value=values["expected"], max_lines=4, min_width=150)
        another = gr.Button("Another input", elem_id="zs-another", size="sm", min_width=110, scale=0)
    # With other values allowed, Gradio does not check against the choices of a moment ago while a task is changed;
    # `task_form` checks.
    names = [template.name for template in task.templates]
    fields["template"] = gr.Dropdown(
        names, value=values["template"], label="Template", allow_custom_value=True, elem_id="zs-template"
    )
    known, shown = "the bundled models know only French", values["task"] == "translate"
    of_language: dict[str, Any] = {"info": known, "max_lines": 1, "visible": shown}
    return another, gr.Textbox("French", label="Target language", **of_language, elem_id="zs-language")


def _examples(fields: dict[str, Any], values: dict[str, Any]) -> gr.Button:
    """How many worked examples stand in front, and which; the button for others."""
    fields["n_examples"] = control(Asked, "zs", "n_examples", value=values["n_examples"])
    with gr.Accordion("Edit the examples", open=False):
        columns: dict[str, Any] = {"headers": columns_of(values["task"]), "column_widths": widths(values["task"])}
        texts: dict[str, Any] = {"datatype": "str", "type": "array", "wrap": True, "show_label": False}
        fields["examples"] = gr.Dataframe(values["examples"], **columns, **texts, max_height=300, elem_id="zs-examples")
        return gr.Button("Other examples", elem_id="zs-other-examples", size="sm")


def _answering(fields: dict[str, Any], values: dict[str, Any]) -> None:
    """Labels, length, sampling and where an answer ends."""
    with gr.Accordion("How it answers", open=False):
        fields["labels"] = control(Asked, "zs", "labels", value=values["labels"], max_lines=6)
        with gr.Row():
            most = values["max_new_tokens"]
            fields["max_new_tokens"] = control(Asked, "zs", "max_new_tokens", value=most, min_width=90)
            for name, setting in CONTROLS.items():
                title, name_of_field, low = setting.title, f"zs-{name.replace('_', '-')}", setting.allowed[0]
                known: dict[str, Any] = {"minimum": low, "step": setting.step, "min_width": 90}
                known["precision"] = 0 if setting.is_whole else None
                fields[name] = gr.Number(values[name], label=title, elem_id=name_of_field, **known)
            whole: dict[str, Any] = {"precision": 0, "minimum": 0, "min_width": 90}
            fields["seed"] = gr.Number(values["seed"], label="Seed", elem_id="zs-seed", **whole)
        settings_from = TASKS[values["task"]].settings_from
        fields["stops"] = gr.CheckboxGroup(
            list(STOPS), value=values["stops"], label="Stop at", elem_id="zs-stops", info=settings_from
        )


def field(title: str) -> dict[str, Any]:
    """Options of an input box; one without a title is not used by the task."""
    return {"label": title[:1].upper() + title[1:], "visible": bool(title)}


def widths(task: str) -> list[str | int]:
    """Of these columns: the first is the longest text."""
    n_more = len(columns_of(task)) - 1
    return ["50%", *[f"{50 // n_more}%"] * n_more]


def wording(task: str) -> dict[str, Any]:
    """Options of the box for the template's body."""
    names = ", ".join(f"{{{name}}}" for name in TASKS[task].fields)
    return {
        "label": f"Template: {names} and {{answer}} at the end",
        "info": "{steps} before {answer} makes it a chain of thought.",
    }
