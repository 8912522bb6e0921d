"""Events of the form: what a choice fills in, and what every view of the tab takes."""

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

from gptcore.zero_shot.tasks import TASKS
from ui.errors import shown_to_visitor
from ui.lenses.zero_shot.form import TaskForm, field, widths, wording
from ui.lenses.zero_shot.handlers import form as forms
from ui.lenses.zero_shot.handlers.asking import FIRST_TASK
from ui.lenses.zero_shot.handlers.fields import PAGE_NAMES
from ui.services import Services
from ui.shared.site import Site
from ui.shared.uses import ABOVE
from ui.shared.wiring import QUIET, filling

PICKED = ABOVE
DRAWN = ("field_0", "field_1", "field_2", "expected")
# What a task fills in.
REFILLED = tuple(name for name in forms.FIELDS if name not in ("task", "prompt"))
REWORDED = ("instruction", "body", "labels", "max_new_tokens", "stops")
TAKES = ("model", "asked", *PAGE_NAMES.values())
NEEDS = ("asked|model", *PAGE_NAMES.values())
# What a link sets.
LINK_SETS = ("asked", "task", *(PAGE_NAMES[name] for name in REFILLED))


def named(values: Sequence[object]) -> tuple[object, dict[str, object]]:
    """(the model asked, the form's values by `forms.FIELDS`) of the values of TAKES."""
    picked, asked, *given = values
    return picked if asked == PICKED else asked, dict(zip(forms.FIELDS, given, strict=True))


def parsed(
    services: Services, values: Sequence[object], composed: object
) -> tuple[object, forms.TaskForm]:
    """(the model asked, the checked form) of the values of TAKES.

    Args:
        composed: what `ui.lenses.zero_shot.answer.view` has composed last: a prompt that still
            stands there was not edited.

    Raises:
        InputError, PromptError: as `forms.task_form`.
    """
    model, given = named(values)
    if isinstance(composed, Mapping) and given["prompt"] == composed.get("prompt"):
        given["prompt"] = ""
    return model, forms.task_form(given, services.limits)


def wire_form(site: Site[Any], form: TaskForm, drawn: gr.State) -> None:
    """Wires what fills in fields: the choice of a task and of a template, other inputs, examples
    and languages.
    """
    fields = {name: site.fields[page_name] for name, page_name in PAGE_NAMES.items()}
    refilled = {name: fields[name] for name in REFILLED} | {"drawn": drawn}
    reworded = {name: fields[name] for name in REWORDED}
    drawn_anew = {name: fields[name] for name in DRAWN} | {"drawn": drawn}
    shown = [fields[name] for name in DRAWN if name != "expected"]
    task = fields["task"]
    template = fields["template"]
    language = form.language
    in_language = {"template": template, **reworded, "expected": fields["expected"]}
    for listener, fill, inputs, outputs in (
        (task.input, _task, [task], refilled),
        (form.another.click, _another, [task, *shown], drawn_anew),
        (template.input, _template, [task, template], reworded),
        (form.other_examples.click, _other_examples, [task], {"examples": fields["examples"]}),
        (language.change, _language, [task, template, language], in_language),
    ):
        filled = listener(
            filling(fill, outputs),
            inputs,
            list(outputs.values()),
            trigger_mode="always_last",
            **QUIET,
        )
        site.fields.note(filled, list(outputs.values()))
    task.change(_language_box, task, language, **QUIET)


def fill_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values that a link's settings give the model, the task, its fields, and what was
    drawn.
    """
    filled = {name: settings[name] for name in LINK_SETS if name in settings}
    if not {"task", "template"} & settings.keys():
        return filled
    task = settings.get("task", FIRST_TASK)
    values = forms.defaults(task)
    if "field_0" in settings:  # another input than the task's own
        values |= dict.fromkeys(DRAWN, "")
    if "template" in settings:
        values |= forms.with_template(values, settings["template"])
    values |= {
        name: settings[page_name]
        for name, page_name in PAGE_NAMES.items()
        if page_name in settings and name not in ("template", "prompt")
    }
    filled |= {PAGE_NAMES[name]: _update(task, name, values[name]) for name in REFILLED}
    return {**filled, "drawn": [values[name] for name in DRAWN]}


def _task(name: str) -> dict[str, Any]:
    with shown_to_visitor():
        values = forms.defaults(name)
    filled = {key: _update(name, key, values[key]) for key in REFILLED}
    return {**filled, "drawn": [values[key] for key in DRAWN]}


def _another(name: str, *shown: str) -> dict[str, Any]:
    with shown_to_visitor():
        values = forms.field_values(name, forms.another_item(name, shown))
    return {**values, "drawn": [values[key] for key in DRAWN]}


def _template(task: str, name: str) -> dict[str, Any]:
    with shown_to_visitor():
        values = forms.with_template({"task": task}, name)
    return {key: values[key] for key in REWORDED}


def _language(task: str, name: str, language: str) -> dict[str, Any]:
    """The template in words for another language; the answer that was expected is that of
    French.
    """
    if task != "translate" or not str(language).strip():
        return {}
    with shown_to_visitor():
        values = forms.in_language({"task": task}, name, language)
    worded = {key: values[key] for key in ("template", *REWORDED)}
    return worded if language == "French" else {**worded, "expected": ""}


def _language_box(task: str) -> gr.Textbox:
    return gr.Textbox("French", visible=task == "translate")


def _other_examples(name: str) -> dict[str, Any]:
    with shown_to_visitor():
        rows = forms.other_rows(name)
    return {"examples": rows} if rows else {}


def _update(task: str, name: str, value: Any) -> object:
    """A field's new value, with what depends on the task besides."""
    known = TASKS[task]
    if name.startswith("field_"):
        titles = list(known.fields.values())
        index = int(name[-1])
        title = titles[index] if index < len(titles) else ""
        return gr.Textbox(value=value, **field(title))
    if name == "template":
        names = [template.name for template in known.templates]
        return gr.Dropdown(choices=names, value=value, allow_custom_value=True)
    if name == "examples":
        return gr.Dataframe(value=value, headers=forms.columns_of(task), column_widths=widths(task))
    if name == "body":
        return gr.Textbox(value=value, **wording(task))
    if name == "stops":
        return gr.CheckboxGroup(value=value, info=known.settings_from)
    return value
