"""The Zero-shot tab: tasks from a prompt alone."""

from dataclasses import dataclass
from importlib import import_module

import gradio as gr

from gptcore.zero_shot.tasks import TASKS
from ui.lenses.zero_shot.events import LINK_SETS, PICKED, fill_of, wire_form
from ui.lenses.zero_shot.form import TaskForm
from ui.lenses.zero_shot.handlers.asking import ZeroShotExample
from ui.lenses.zero_shot.prompt_state import PromptState
from ui.shared.lens import Fill, Lens
from ui.shared.site import Site
from ui.views import TABS

TAB = next(tab for tab in TABS if tab.name == "zero-shot")


@dataclass(frozen=True)
class Chosen:
    """Task and model, above the form."""

    task: gr.Dropdown
    asked: gr.Dropdown


def zero_shot_tab(site: Site[ZeroShotExample]) -> Lens:
    """Lays out the form beside every view of the tab."""
    example = site.example
    choices = site.services.models.choices()
    names = [choice.name for choice in choices if not choice.closed]
    state = PromptState.of(example)
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=310, elem_id="zero-shot-form"):
            with gr.Row():
                chosen = _task_and_model(site, names)
            form = TaskForm(site, example.values)
        with gr.Column(scale=4, min_width=330), gr.Tabs(elem_id="zero-shot-views"):
            for view in TAB.views:
                with gr.Tab(view.title, id=view.name):
                    import_module(f"ui.lenses.zero_shot.{view.name}.view").lay_out(site, state)
    wire_form(site, form, state.drawn)
    by_link = {name: site.fields[name] for name in LINK_SETS}
    return Lens(fills=Fill(fill_of, {**by_link, "drawn": state.drawn}), asks=chosen.asked)


def _task_and_model(site: Site[ZeroShotExample], names: list[str]) -> Chosen:
    titles = [(known.title, name) for name, known in TASKS.items()]
    task = gr.Dropdown(
        titles, value=site.example.values["task"], label="Task", elem_id="zs-task", min_width=140
    )
    asked = gr.Dropdown(
        [PICKED, *names], value=site.example.model, label="Model", elem_id="zs-model", min_width=140
    )
    return Chosen(site.add("task", task), site.add("asked", asked))
