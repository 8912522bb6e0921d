"""The left side of the Zero-shot tab: a task's input, its examples, its template, and how it is
answered.
"""

from typing import Any

import gradio as gr

from gptcore.inference.sampling_settings import CONTROLS
from gptcore.zero_shot.tasks import TASKS
from ui.lenses.zero_shot.handlers.fields import PAGE_NAMES, AnswerFields, TaskFields
from ui.lenses.zero_shot.handlers.form import MOST_FIELDS, columns_of
from ui.shared.controls import settings_opener
from ui.shared.form_controls import control
from ui.shared.site import Site


class TaskForm:
    """Lays out the form; its controls become fields of the page."""

    def __init__(self, site: Site[Any], values: dict[str, Any]) -> None:
        self._site = site
        self._values = values
        self.another, self.language = self._input()
        self.other_examples = self._examples()
        with gr.Accordion("Edit the template", open=False):
            self._add("instruction", lines=1, max_lines=4)
            self._add("body", **wording(values["task"]), lines=2, max_lines=6)
        self._answering()

    def _add(self, name: str, **changes: Any) -> Any:
        """The control of a field, as the form opens."""
        form = TaskFields if PAGE_NAMES[name] == name else AnswerFields
        made = control(form, "zs", name, value=self._values[name], **changes)
        return self._site.add(PAGE_NAMES[name], made)

    def _input(self) -> tuple[gr.Button, gr.Textbox]:
        """The task's own fields, what is expected, and the template; the button for another input,
        and the language.
        """
        task = TASKS[self._values["task"]]
        titles = [*task.fields.values(), *[""] * (MOST_FIELDS - len(task.fields))]
        for index, title in enumerate(titles):
            self._add(f"field_{index}", **field(title), lines=1, max_lines=8)
        settings_opener("zs-settings")
        with gr.Row(equal_height=True):
            self._add("expected", max_lines=4, min_width=150)
            another = gr.Button(
                "Another input", elem_id="zs-another", size="sm", min_width=110, scale=0
            )
        # With other values allowed, Gradio does not check against the choices of a moment ago while
        # a task is changed; `task_form` checks.
        names = [template.name for template in task.templates]
        template = gr.Dropdown(
            names,
            value=self._values["template"],
            label="Template",
            allow_custom_value=True,
            elem_id="zs-template",
        )
        self._site.add("template", template)
        language = gr.Textbox(
            "French",
            label="Target language",
            info="the bundled models know only French",
            max_lines=1,
            visible=self._values["task"] == "translate",
            elem_id="zs-language",
        )
        return another, language

    def _examples(self) -> gr.Button:
        """Adds the number of worked examples in front and their table; returns the button for
        others.
        """
        task = self._values["task"]
        self._add("n_examples")
        with gr.Accordion("Edit the examples", open=False):
            rows = gr.Dataframe(
                self._values["examples"],
                headers=columns_of(task),
                column_widths=widths(task),
                datatype="str",
                type="array",
                wrap=True,
                show_label=False,
                max_height=300,
                elem_id="zs-examples",
            )
            self._site.add("examples", rows)
            return gr.Button("Other examples", elem_id="zs-other-examples", size="sm")

    def _answering(self) -> None:
        """Labels, length, sampling and where an answer ends."""
        with gr.Accordion("How it answers", open=False):
            self._add("labels", max_lines=6)
            with gr.Row():
                self._add("max_new_tokens", min_width=90)
                for name, setting in CONTROLS.items():
                    self._add(name, minimum=setting.allowed[0], step=setting.step, min_width=90)
                self._add("seed", minimum=0, min_width=90)
            self._add("stops", info=TASKS[self._values["task"]].settings_from)


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
