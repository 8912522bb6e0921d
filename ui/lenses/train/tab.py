"""The Train tab: a GPT that learns while people watch."""

from collections.abc import Callable
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
_WORKSPACE = "shared/view/workspace.js"
_STARTS = calling(_WORKSPACE, "[m.startOnOwn(), ...args.slice(1)]")
_NEW_SEED = calling(
    _WORKSPACE, "[m.startOnOwn(), ...args.slice(1, -1), Math.floor(Math.random() * 2 ** 31)]"
)
_COPIES = calling("shared/view/link.js", "[await m.shareLink(undefined, 'A file is left out.')]")
_ANSWERED = calling(_WORKSPACE, "m.answered()")


def train_tab(site: Site[None]) -> Lens:
    """Lays out the tab and wires it."""
    services = site.services
    model = site.model
    events = TrainEvents(services)
    workspace = gr.Textbox(visible=False)
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=300, elem_id="train-form"):
            with gr.Tabs(elem_id="train-kinds") as kinds:
                with gr.Tab(TITLES["scratch"], id="scratch") as scratch_tab:
                    presets = offered(services.limits)
                    preset = gr.Dropdown(
                        presets, value=FIRST_PRESET, label="Preset", elem_id="train-preset"
                    )
                    site.add("preset", preset, "scratch")
                    note = gr.HTML("", elem_id="train-note", elem_classes="said")
                    with gr.Row():
                        start = gr.Button(
                            "Start", variant="primary", elem_id="train-start", min_width=80
                        )
                        reset = gr.Button("Reset", elem_id="train-reset", min_width=70)
                        new_seed = gr.Button("New seed", elem_id="train-new-seed", min_width=80)
                    notice = gr.HTML("", elem_id="train-said", elem_classes="said")
                    settings_opener("train-settings")
                    fields = scratch_fields()
                with gr.Tab(TITLES["further"], id="further") as continue_tab:
                    goal = control(RunFields, "train", "goal")
                    site.add("goal", goal, "further")
                    goals = [
                        gr.Column(visible=kind == "tune", elem_classes="goal") for kind in CONTINUED
                    ]
                with goals[0]:
                    tune = gr.Button(
                        "Fine-tune the model above", variant="primary", elem_id="tune-start"
                    )
                    said_of_tuning = gr.HTML("", elem_id="tune-said", elem_classes="said")
                    settings_opener("tune-settings")
                    tuning = tuning_fields()
                with goals[1]:
                    with gr.Row():
                        learn = gr.Button(
                            "Learn the labels",
                            variant="primary",
                            elem_id="labels-start",
                            min_width=90,
                        )
                        as_gpt1 = gr.Button("GPT-1's settings", elem_id="labels-gpt1", min_width=90)
                    said_of_labels = gr.HTML("", elem_id="labels-said", elem_classes="said")
                    settings_opener("labels-settings")
                    lines = label_fields(services.limits)
                with goals[2]:
                    teach, chooser, prefer, said_of_helper, helper = assistant_fields(services)
            copy_link = gr.Button("Copy link", size="sm", elem_id="train-link")
            said_of_link = gr.HTML("", elem_id="train-link-said", elem_classes="said")
            with gr.Accordion("Files", open=False):
                with gr.Row():
                    save = gr.Button("Model folder .zip", elem_id="train-zip", min_width=120)
                    uploaded = gr.UploadButton(
                        "Open a .zip", file_types=[".zip"], elem_id="train-open", min_width=120
                    )
                ready = gr.DownloadButton(
                    "Download", elem_id="train-zip-ready", elem_classes="off-screen"
                )
                said_of_files = gr.HTML("", elem_id="files-said", elem_classes="said")
        with gr.Column(scale=6, min_width=330):
            view = train_view(server_functions=server_functions(services), elem_id="train")
            compared_view(site, workspace)

    values = list(fields.values())
    from_scratch = {"view": view, "notice": notice, "seed": fields["seed"]}
    # The seed comes last, so that the script can replace it.
    with_seed = [
        workspace,
        *(one for name, one in fields.items() if name != "seed"),
        fields["seed"],
    ]
    of_tuning = {"view": view, "notice": said_of_tuning}
    of_labels = {"view": view, "notice": said_of_labels}
    of_helper = {"view": view, "notice": said_of_helper}
    starts: list[tuple[gr.Button, Callable[..., Any], list[Any], dict[str, Any], str]] = [
        (start, events.start, [workspace, *values], from_scratch, _STARTS),
        (reset, events.ready, [workspace, *values], from_scratch, _STARTS),
        (new_seed, events.reseed, with_seed, from_scratch, _NEW_SEED),
        (tune, events.tune, [workspace, model, *tuning.values()], of_tuning, _STARTS),
        (learn, events.labels, [workspace, model, *lines.values()], of_labels, _STARTS),
        (teach, events.teach, [workspace, model, *helper.values()], of_helper, _STARTS),
        (prefer, events.prefer, [workspace, chooser, *helper.values()], of_helper, _STARTS),
    ]
    for button, begin, given, shown, script in starts:
        took = filling(begin, shown)
        began = button.click(
            took, given, list(shown.values()), js=script, concurrency_limit=4, **QUIET
        )
        at_end(began, [], _ANSWERED)
    scratch_tab.select(None, None, None, js=calling(_WORKSPACE, "m.openForm('scratch')"), **QUIET)
    opens = calling(_WORKSPACE, "(m.openForm(args[0]), args)")
    continue_tab.select(None, goal, None, js=opens, **QUIET)
    goal.change(goal_shown, goal, goals, js=opens, queue=False, **QUIET)
    forms = {"scratch": fields, "tune": tuning, "labels": lines, "assistant": helper}
    restored = {f"{kind}.{name}": one for kind, form in forms.items() for name, one in form.items()}
    restored |= {"kinds": kinds, "goal": goal}
    view.restore(filling(events.restore, restored), None, list(restored.values()), **QUIET)
    # A broken run races against its intact version by default.
    fields["trick"].input(events.rival, fields["trick"], fields["rival"], queue=False, **QUIET)
    for name in LINKED:
        form, field = name.split(".")
        if form == "train":
            site.add(name, fields[field], "scratch")
        else:
            site.add(name, forms[form][field], "further")
    by_preset = {"preset_note": note, **{name: site.fields[name] for name in PRESET_FIELDS}}
    preset.input(
        filling(events.preset, by_preset), preset, list(by_preset.values()), queue=False, **QUIET
    )
    by_link = {
        "preset": preset,
        "goal": goal,
        "preset_note": note,
        **{name: site.fields[name] for name in LINKED},
    }
    copy_link.click(None, None, said_of_link, js=_COPIES, queue=False, **QUIET)
    by_gpt1 = [lines[name] for name in GPT1_TUNING]
    as_gpt1.click(lambda: list(GPT1_TUNING.values()), None, by_gpt1, queue=False, **QUIET)
    save.click(events.zip, workspace, [ready, said_of_files], js=WITH_WORKSPACE, **QUIET).success(
        None,
        None,
        None,
        js="() => setTimeout(() => document.querySelector('#train-zip-ready')?.click(), 200)",
        **QUIET,
    )
    opened = {"model": model, "tabs": site.tabs}
    opening: Event = {
        "fn": filling(events.open, opened),
        "inputs": None,
        "outputs": list(opened.values()),
        **QUIET,
    }
    upload: Event = {
        "fn": events.upload,
        "inputs": [workspace, uploaded],
        "outputs": model,
        **QUIET,
    }
    upload["js"] = WITH_WORKSPACE
    return Lens(
        picks=[Call(view.open, opening), Call(uploaded.upload, upload)],
        offers=[Call(view.models, {"fn": events.models, "inputs": None, **QUIET})],
        fills=Fill(events.linked, by_link),
        bases={"preset": bases_of_presets()},
        takes=Taking(SHAPE, _shape_taken, [fields[name] for name in SHAPE]),
    )


def _shape_taken(*sizes: object) -> list[int]:
    """A shape from another tab, by SHAPE. Raises InputError for one that is too large to train
    here.
    """
    fields = fields_of(TrainForm)
    return [fields[name].check(size) for name, size in zip(SHAPE, sizes, strict=True)]
