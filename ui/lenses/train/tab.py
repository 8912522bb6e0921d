"""The Train tab: a GPT that learns while people watch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui.lenses.train.events import TrainEvents, goal_shown, server_functions
from ui.lenses.train.form import (
    FIRST_PRESET,
    WITH_WORKSPACE,
    assistant_fields,
    compared_view,
    label_fields,
    scratch_fields,
    tuning_fields,
)
from ui.lenses.train.handlers.forms import TrainForm
from ui.lenses.train.handlers.linked import NAMES as LINKED
from ui.lenses.train.handlers.linked import RunFields, bases_of_presets
from ui.lenses.train.handlers.presets import GPT1_TUNING, SHAPE, offered
from ui.lenses.train.view.train_view import train_view
from ui.shared.controls import settings_opener
from ui.shared.fields import fields_of
from ui.shared.files import calling
from ui.shared.form_controls import control
from ui.shared.lens import Call, Event, Fill, Lens, Taking
from ui.shared.site import Site
from ui.shared.wiring import QUIET, at_end, filling
from ui.views import CONTINUED, TABS

TITLES = {view.name: view.title for tab in TABS if tab.name == "train" for view in tab.views}
# The fields that a preset sets, by their names in links.
PRESET_FIELDS = tuple(
    name for name in LINKED if name.startswith("train.") and name != "train.written"
)
Components = dict[str, Any]  # of a form, by field name
_WORKSPACE = "shared/view/workspace.js"
_STARTS = calling(_WORKSPACE, "[m.startOnOwn(), ...args.slice(1)]")
_NEW_SEED = calling(
    _WORKSPACE, "[m.startOnOwn(), ...args.slice(1, -1), Math.floor(Math.random() * 2 ** 31)]"
)
_COPIES = calling("shared/view/link.js", "[await m.shareLink(undefined, 'A file is left out.')]")
_ANSWERED = calling(_WORKSPACE, "m.answered()")


@dataclass(frozen=True)
class _Scratch:
    """Components of the form that trains a new model."""

    tab: gr.Tab
    preset: gr.Dropdown
    note: gr.HTML
    start: gr.Button
    reset: gr.Button
    new_seed: gr.Button
    notice: gr.HTML
    fields: Components


@dataclass(frozen=True)
class _Goal:
    """Components of one goal of continued training: each button with its function and inputs."""

    buttons: list[tuple[gr.Button, Callable[..., Any], list[Any]]]
    notice: gr.HTML
    fields: Components


@dataclass(frozen=True)
class _Files:
    """Components that save a model as a zip file and open one."""

    save: gr.Button
    uploaded: gr.UploadButton
    ready: gr.DownloadButton
    notice: gr.HTML


def train_tab(site: Site[None]) -> Lens:
    """Lays out the tab and wires it."""
    events = TrainEvents(site.services)
    workspace = gr.Textbox(visible=False)
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=300, elem_id="train-form"):
            with gr.Tabs(elem_id="train-kinds") as kinds:
                scratch = _scratch_form(site)
                with gr.Tab(TITLES["further"], id="further") as further:
                    goal = control(RunFields, "train", "goal")
                    site.add("goal", goal, "further")
                    columns = [
                        gr.Column(visible=kind == "tune", elem_classes="goal") for kind in CONTINUED
                    ]
                with columns[0]:
                    tuning = _tuning_form(site, events)
                with columns[1]:
                    labels = _labels_form(site, events)
                with columns[2]:
                    assistant = _assistant_form(site, events)
            copy_link = gr.Button("Copy link", size="sm", elem_id="train-link")
            said_of_link = gr.HTML("", elem_id="train-link-said", elem_classes="said")
            files = _files_form()
        with gr.Column(scale=6, min_width=330):
            view = train_view(server_functions=server_functions(site.services), elem_id="train")
            compared_view(site, workspace)

    _wire_scratch(scratch, events, workspace, view)
    for form in (tuning, labels, assistant):
        for button, begin, inputs in form.buttons:
            shown = {"view": view, "notice": form.notice}
            _wire_start(button, begin, [workspace, *inputs], shown, _STARTS)
    opens = calling(_WORKSPACE, "(m.openForm(args[0]), args)")
    further.select(None, goal, None, js=opens, **QUIET)
    goal.change(goal_shown, goal, columns, js=opens, queue=False, **QUIET)
    forms = {
        "scratch": scratch.fields,
        "tune": tuning.fields,
        "labels": labels.fields,
        "assistant": assistant.fields,
    }
    restored = {
        f"{kind}.{name}": item for kind, form in forms.items() for name, item in form.items()
    }
    restored |= {"kinds": kinds, "goal": goal}
    view.restore(filling(events.restore, restored), None, list(restored.values()), **QUIET)
    _add_linked(site, forms)
    by_link = _wire_preset(site, scratch, events)
    copy_link.click(None, None, said_of_link, js=_COPIES, queue=False, **QUIET)
    return Lens(
        picks=_wire_files(site, files, events, workspace, view),
        offers=[Call(view.models, {"fn": events.models, "inputs": None, **QUIET})],
        fills=Fill(events.linked, {"preset": scratch.preset, "goal": goal, **by_link}),
        bases={"preset": bases_of_presets()},
        takes=Taking(SHAPE, _shape_taken, [scratch.fields[name] for name in SHAPE]),
    )


def _scratch_form(site: Site[None]) -> _Scratch:
    with gr.Tab(TITLES["scratch"], id="scratch") as tab:
        preset = gr.Dropdown(
            offered(site.services.limits),
            value=FIRST_PRESET,
            label="Preset",
            elem_id="train-preset",
        )
        site.add("preset", preset, "scratch")
        note = gr.HTML("", elem_id="train-note", elem_classes="said")
        with gr.Row():
            start = gr.Button("Start", variant="primary", elem_id="train-start", min_width=80)
            reset = gr.Button("Reset", elem_id="train-reset", min_width=70)
            new_seed = gr.Button("New seed", elem_id="train-new-seed", min_width=80)
        notice = gr.HTML("", elem_id="train-said", elem_classes="said")
        settings_opener("train-settings")
        fields = scratch_fields()
    return _Scratch(tab, preset, note, start, reset, new_seed, notice, fields)


def _tuning_form(site: Site[None], events: TrainEvents) -> _Goal:
    tune = gr.Button("Fine-tune the model above", variant="primary", elem_id="tune-start")
    notice = gr.HTML("", elem_id="tune-said", elem_classes="said")
    settings_opener("tune-settings")
    fields = tuning_fields()
    buttons = [(tune, events.tune, [site.model, *fields.values()])]
    return _Goal(buttons, notice, fields)


def _labels_form(site: Site[None], events: TrainEvents) -> _Goal:
    with gr.Row():
        learn = gr.Button(
            "Learn the labels", variant="primary", elem_id="labels-start", min_width=90
        )
        as_gpt1 = gr.Button("GPT-1's settings", elem_id="labels-gpt1", min_width=90)
    notice = gr.HTML("", elem_id="labels-said", elem_classes="said")
    settings_opener("labels-settings")
    fields = label_fields(site.services.limits)
    by_gpt1 = [fields[name] for name in GPT1_TUNING]
    as_gpt1.click(lambda: list(GPT1_TUNING.values()), None, by_gpt1, queue=False, **QUIET)
    buttons = [(learn, events.labels, [site.model, *fields.values()])]
    return _Goal(buttons, notice, fields)


def _assistant_form(site: Site[None], events: TrainEvents) -> _Goal:
    teach, chooser, prefer, notice, fields = assistant_fields(site.services)
    buttons = [
        (teach, events.teach, [site.model, *fields.values()]),
        (prefer, events.prefer, [chooser, *fields.values()]),
    ]
    return _Goal(buttons, notice, fields)


def _files_form() -> _Files:
    with gr.Accordion("Files", open=False):
        with gr.Row():
            save = gr.Button("Model folder .zip", elem_id="train-zip", min_width=120)
            uploaded = gr.UploadButton(
                "Open a .zip", file_types=[".zip"], elem_id="train-open", min_width=120
            )
        ready = gr.DownloadButton("Download", elem_id="train-zip-ready", elem_classes="off-screen")
        notice = gr.HTML("", elem_id="files-said", elem_classes="said")
    return _Files(save, uploaded, ready, notice)


def _wire_start(
    button: gr.Button,
    begin: Callable[..., Any],
    inputs: list[Any],
    shown: dict[str, Any],
    script: str,
) -> None:
    """Starts a run on a click; the script puts the page's own workspace before the inputs."""
    began = button.click(
        filling(begin, shown), inputs, list(shown.values()), js=script, concurrency_limit=4, **QUIET
    )
    at_end(began, [], _ANSWERED)


def _wire_scratch(scratch: _Scratch, events: TrainEvents, workspace: gr.Textbox, view: Any) -> None:
    fields = scratch.fields
    shown = {"view": view, "notice": scratch.notice, "seed": fields["seed"]}
    values = [workspace, *fields.values()]
    # The seed comes last, so that the script can replace it.
    before_seed = [item for name, item in fields.items() if name != "seed"]
    with_seed = [workspace, *before_seed, fields["seed"]]
    _wire_start(scratch.start, events.start, values, shown, _STARTS)
    _wire_start(scratch.reset, events.ready, values, shown, _STARTS)
    _wire_start(scratch.new_seed, events.reseed, with_seed, shown, _NEW_SEED)
    opens = calling(_WORKSPACE, "m.openForm('scratch')")
    scratch.tab.select(None, None, None, js=opens, **QUIET)
    # A broken run races against its intact version by default.
    fields["trick"].input(events.rival, fields["trick"], fields["rival"], queue=False, **QUIET)


def _add_linked(site: Site[None], forms: Mapping[str, Components]) -> None:
    """Registers the fields that a link can set."""
    for name in LINKED:
        form, field = name.split(".")
        if form == "train":
            site.add(name, forms["scratch"][field], "scratch")
        else:
            site.add(name, forms[form][field], "further")


def _wire_preset(site: Site[None], scratch: _Scratch, events: TrainEvents) -> Components:
    """Fills the form with a picked preset; returns all fields that a link can set, by name."""
    by_preset = {"preset_note": scratch.note, **{name: site.fields[name] for name in PRESET_FIELDS}}
    fill = filling(events.preset, by_preset)
    scratch.preset.input(fill, scratch.preset, list(by_preset.values()), queue=False, **QUIET)
    return {"preset_note": scratch.note, **{name: site.fields[name] for name in LINKED}}


def _wire_files(
    site: Site[None], files: _Files, events: TrainEvents, workspace: gr.Textbox, view: Any
) -> list[Call]:
    """Saves the open model; returns the two calls that pick another: a saved run and a file."""
    saved = files.save.click(
        events.zip, workspace, [files.ready, files.notice], js=WITH_WORKSPACE, **QUIET
    )
    saved.success(
        None,
        None,
        None,
        js="() => setTimeout(() => document.querySelector('#train-zip-ready')?.click(), 200)",
        **QUIET,
    )
    opened = {"model": site.model, "tabs": site.tabs}
    opening: Event = {
        "fn": filling(events.open, opened),
        "inputs": None,
        "outputs": list(opened.values()),
        **QUIET,
    }
    upload: Event = {
        "fn": events.upload,
        "inputs": [workspace, files.uploaded],
        "outputs": site.model,
        **QUIET,
    }
    upload["js"] = WITH_WORKSPACE
    return [Call(view.open, opening), Call(files.uploaded.upload, upload)]


def _shape_taken(*sizes: object) -> list[int]:
    """A shape from another tab, by SHAPE. Raises InputError for one that is too large to train
    here.
    """
    fields = fields_of(TrainForm)
    return [fields[name].check(size) for name, size in zip(SHAPE, sizes, strict=True)]
