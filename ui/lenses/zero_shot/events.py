"""Event handlers of the Zero-shot tab."""

import functools
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from gptcore.zero_shot.items import TASKS_WITH_ITEMS, items
from gptcore.zero_shot.tasks import TASKS
from ui.errors import shown_to_visitor
from ui.lenses.zero_shot.form import field, widths, wording
from ui.lenses.zero_shot.handlers import asking, views
from ui.lenses.zero_shot.handlers import form as forms
from ui.lenses.zero_shot.handlers.scoreboard import scoreboard
from ui.services import Services
from ui.shared.uses import ABOVE
from ui.shared.wiring import or_nothing

PICKED = ABOVE
DRAWN = ("field_0", "field_1", "field_2", "expected")
NOTHING_NEW = [gr.skip()] * 5
# Which fields the events fill or listen to.
REFILLED = tuple(name for name in forms.FIELDS if name not in ("task", "prompt"))
LINKED = (
    "field_0", "field_1", "field_2", "expected", "template", "n_examples", "instruction", "body", "labels",
)  # fmt: skip
REWORDED = ("instruction", "body", "labels", "max_new_tokens", "stops")
TYPED = (
    "field_0", "field_1", "field_2", "expected", "n_examples", "examples", "instruction", "body", "labels",
    "max_new_tokens",
)  # fmt: skip


class ZeroShotEvents:
    """The tab's events as Gradio wants them."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def _named(self, raw: Sequence[object]) -> tuple[object, dict[str, object]]:
        """(the model asked, the tab's values)."""
        picked, named, *values = raw
        return picked if named == PICKED else named, dict(zip(forms.FIELDS, values, strict=True))

    def _parsed(self, raw: Sequence[object]) -> tuple[object, forms.TaskForm]:
        """(the model asked, the form)."""
        model, values = self._named(raw)
        return model, forms.task_form(values, self._services.limits)

    def task(self, name: str) -> list[Any]:
        with shown_to_visitor():
            values = forms.defaults(name)
        return [*(_update(name, key, values[key]) for key in REFILLED), [values[key] for key in DRAWN]]

    def another(self, name: str) -> list[Any]:
        with shown_to_visitor():
            values = forms.defaults(name, random.randrange(1, 1_000))
        return [*(values[key] if key in DRAWN else gr.skip() for key in REFILLED), [values[key] for key in DRAWN]]

    def template(self, task: str, name: str) -> list[Any]:
        with shown_to_visitor():
            values = forms.with_template({"task": task}, name)
        return [values[name] for name in REWORDED]

    def language(self, task: str, name: str, language: str) -> list[Any]:
        """The template in words for another language; the answer that was expected is that of French."""
        if task != "translate" or not str(language).strip():
            return [gr.skip()] * (len(REWORDED) + 3)
        with shown_to_visitor():
            values = forms.in_language({"task": task}, name, language)
        expected = gr.skip() if language == "French" else ""
        return [values["template"], *(values[name] for name in REWORDED), expected, time.monotonic_ns()]

    def examples(self, name: str) -> list[Any]:
        with shown_to_visitor():
            forms.known_task(name)
            if name not in TASKS_WITH_ITEMS:
                return [gr.skip()]
            drawn = items(name, forms.MOST_EXAMPLES, split="train", seed=random.randrange(10**6))
            return [forms.rows_of(name, drawn)]

    def compose(self, *raw: object) -> list[Any]:
        """View, prompt, expected answer, the answer's stream, and the number of the newest form composed.

        Clears the previous answer. Forms sent together may arrive in any order; an older one changes nothing.
        """
        *form, drawn, newest, number = raw
        model, values = self._named(form)
        with shown_to_visitor():
            if _is_older(number, newest):
                return NOTHING_NEW
            if values["template"] not in [template.name for template in forms.known_task(values["task"]).templates]:
                return NOTHING_NEW  # inconsistent during a change of task; another event follows
            known = dict(zip(DRAWN, drawn, strict=True)) if isinstance(drawn, list) else {}
            moved = any(values[name] != known.get(name) for name in DRAWN[:-1])
            foreign = moved and values["expected"] == known.get("expected") != ""
            try:
                now = {**values, "prompt": "", "expected": "" if foreign else values["expected"]}
                view, prompt = asking.composed(self._services, model, forms.task_form(now, self._services.limits))
            except GPTCoreError as error:  # in the view's place: a notice for every letter typed is a nuisance
                return [json.dumps({"message": str(error)}), *[gr.skip()] * 3, number]
        same = prompt == values["prompt"]  # do not overwrite what is being typed
        return [view, gr.skip() if same else prompt, "" if foreign else gr.skip(), gr.skip() if same else "", number]

    def follow(self, *raw: object) -> list[Any]:
        return self.compose(*raw) if raw[1] == PICKED else NOTHING_NEW

    def edit(self, *raw: object) -> str:
        with shown_to_visitor():
            try:
                return asking.composed(self._services, *self._parsed(raw))[0]
            except GPTCoreError as error:
                return json.dumps({"message": str(error)})

    def _asked(self, ask: Callable[..., Iterator[str]], request: gr.Request, *given: object) -> Iterator[Any]:
        yield from or_nothing(ask(self._services, request.session_hash, *given), gr.skip())

    def answer(self, request: gr.Request, *raw: object) -> Iterator[Any]:
        with shown_to_visitor():
            yield from self._asked(asking.answer, request, *self._parsed(raw))

    def ways(self, request: gr.Request, *raw: object) -> Iterator[Any]:
        with shown_to_visitor():
            yield from self._asked(views.ways_of_asking, request, *self._parsed(raw))

    def uses(self, request: gr.Request, *raw: object) -> str:
        with shown_to_visitor():
            return views.uses(self._services, *self._parsed(raw[:-1]), raw[-1])

    def ladder(self, request: gr.Request, *raw: object) -> Iterator[Any]:
        with shown_to_visitor():
            yield from self._asked(views.ladder, request, raw[-1], self._parsed(raw[:-1])[1])

    def scoreboard(
        self, request: gr.Request, models: object, tasks: object, ways: object, side: object, n_items: object
    ) -> Iterator[Any]:
        with shown_to_visitor():
            yield from self._asked(scoreboard, request, models, tasks, ways, side, n_items)

    def fill(self, settings: Mapping[str, Any]) -> list[Any]:
        """What a link's settings put into the model, the task, its fields, what was drawn, and the count of fills."""
        task, model = settings.get("task"), settings.get("asked", gr.skip())
        if task is None:
            return [model, *[gr.skip()] * (len(REFILLED) + 3)]
        values = forms.defaults(task)
        if "field_0" in settings:  # another input than the task's own
            values |= {"field_0": "", "field_1": "", "field_2": "", "expected": ""}
        if "template" in settings and TASKS[task].template(settings["template"]) is not None:
            values |= forms.with_template(values, settings["template"])
        values |= {name: value for name, value in settings.items() if name in LINKED and name != "template"}
        filled = [_update(task, name, values[name]) for name in REFILLED]
        return [model, task, *filled, [values[name] for name in DRAWN], time.monotonic_ns()]


def _is_older(number: object, newest: object) -> bool:
    return isinstance(number, int | float) and isinstance(newest, int | float) and number < newest


def counted(fill: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """An event that fills in fields, with a number besides that is another each time."""

    @functools.wraps(fill)
    def filled(*raw: object) -> list[Any]:
        return [*fill(*raw), time.monotonic_ns()]

    return filled


def _update(task: str, name: str, value: Any) -> object:
    """A field's new value, with what depends on the task besides."""
    known = TASKS[task]
    if name.startswith("field_"):
        titles = list(known.fields.values())
        place = int(name[-1])
        return gr.Textbox(value=value, **field(titles[place] if place < len(titles) else ""))
    if name == "template":
        return gr.Dropdown(choices=[one.name for one in known.templates], value=value, allow_custom_value=True)
    if name == "examples":
        return gr.Dataframe(value=value, headers=forms.columns_of(task), column_widths=widths(task))
    if name == "body":
        return gr.Textbox(value=value, **wording(task))
    if name == "stops":
        return gr.CheckboxGroup(value=value, info=known.settings_from)
    return value
