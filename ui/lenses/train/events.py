"""Event handlers of the Train tab."""

import html
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import gradio as gr

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.lenses.train.handlers import assistant, files, watching
from ui.lenses.train.handlers.fitting import fitted
from ui.lenses.train.handlers.forms import (
    LabelForm,
    TrainForm,
    TuneForm,
    label_form,
    rival_of,
    train_form,
    tune_form,
)
from ui.lenses.train.handlers.labels import label_plan
from ui.lenses.train.handlers.linked import NAMES as LINKED
from ui.lenses.train.handlers.plan import tuning_plan
from ui.lenses.train.handlers.presets import NOTES, PRESETS
from ui.payloads import LinkRequest, fields
from ui.runs.plan import Plan, Preparation
from ui.runs.workspaces import Workspace
from ui.services import Services
from ui.shared.fields import Values, fields_of
from ui.shared.picker import choices
from ui.shared.qr import qr_svg
from ui.shared.wiring import event_data, served
from ui.views import CONTINUED, TAB_NAMES

_LONGEST = 200_000  # characters of a text that is put back into its field
FORMS = {
    "scratch": TrainForm,
    "tune": TuneForm,
    "labels": LabelForm,
    "assistant": assistant.AssistantForm,
}
# Those that train the picked model further: how each is checked, and its plan.
_FURTHER: dict[str, tuple[Callable[..., Any], Callable[..., Plan | Preparation]]] = {
    "tune": (tune_form, tuning_plan),
    "labels": (label_form, label_plan),
    "assistant": (assistant.assistant_form, assistant.teaching_plan),
}

_OWN = ("written", "file")  # fields of the visitor's own text, which no preset fills in


class TrainEvents:
    """The tab's events as Gradio wants them. A refusal is said under the form, where it stays until
    the next try.
    """

    def __init__(self, services: Services) -> None:
        self._services = services

    def _begin(self, workspace: str, values: Mapping[str, object], *, go: bool) -> dict[str, Any]:
        with shown_to_visitor():
            try:
                limits = self._services.limits
                values, note = fitted(self._services, values) if go else (values, "")
                form = train_form(values, limits)
                begun = watching.start(
                    self._services, workspace, form, rival=rival_of(form), go=go, note=note
                )
                return {
                    "view": remembering("scratch", values, begun),
                    "notice": "",
                    "seed": form.config.seed,
                }
            except GPTCoreError as error:
                return {"notice": watching.message(error)}

    def start(self, workspace: str, *raw: object) -> dict[str, Any]:
        return self._begin(workspace, dict(zip(fields_of(TrainForm), raw, strict=True)), go=True)

    def ready(self, workspace: str, *raw: object) -> dict[str, Any]:
        return self._begin(workspace, dict(zip(fields_of(TrainForm), raw, strict=True)), go=False)

    def reseed(self, workspace: str, *raw: object) -> dict[str, Any]:
        names = [name for name in fields_of(TrainForm) if name != "seed"] + ["seed"]
        return self._begin(workspace, dict(zip(names, raw, strict=True)), go=False)

    def tune(self, workspace: str, model: str, *raw: object) -> dict[str, Any]:
        return self._further("tune", workspace, model, raw)

    def labels(self, workspace: str, model: str, *raw: object) -> dict[str, Any]:
        return self._further("labels", workspace, model, raw)

    def teach(self, workspace: str, model: str, *raw: object) -> dict[str, Any]:
        return self._further("assistant", workspace, model, raw)

    def prefer(self, workspace: str, chooser: object, *raw: object) -> dict[str, Any]:
        def start(values: Values) -> Workspace:
            form = assistant.assistant_form(values, self._services.limits)
            return assistant.prefer(
                self._services, workspace, form, by_audience=chooser == "audience"
            )

        return self._started("assistant", raw, start)

    def _further(
        self, kind: str, workspace: str, model: str, raw: Sequence[object]
    ) -> dict[str, Any]:
        def start(values: Values) -> Workspace:
            form, plan = _FURTHER[kind]
            return watching.further(
                self._services, workspace, model, form(values, self._services.limits), plan
            )

        return self._started(kind, raw, start)

    def _started(
        self, kind: str, raw: Sequence[object], start: Callable[[Values], Workspace]
    ) -> dict[str, Any]:
        with shown_to_visitor():
            try:
                values: Values = dict(zip(fields_of(FORMS[kind]), raw, strict=True))
                return {"view": remembering(kind, values, start(values)), "notice": ""}
            except GPTCoreError as error:
                return {"notice": watching.message(error)}

    def rival(self, trick: str) -> str:
        return "none" if trick == "none" else "healthy"

    def preset(self, name: object) -> dict[str, Any]:
        """Returns the values that a preset fills in, by field names in links, and its note; a text
        of the visitor's own stays.
        """
        known = name if isinstance(name, str) else ""
        preset = PRESETS.get(known, {})
        values = {f"train.{field}": value for field, value in preset.items() if field not in _OWN}
        return {"preset_note": html.escape(NOTES.get(known, ""), quote=False), **values}

    def linked(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The preset that a link names with what it fills in, and the fields of the forms that the
        link sets.
        """
        filled = self.preset(settings["preset"]) if "preset" in settings else {}
        return filled | {
            name: settings[name] for name in ("preset", "goal", *LINKED) if name in settings
        }

    def restore(self, event: gr.EventData) -> dict[str, Any]:
        """The form of the run that a page shows after a reload, as it was when the run was
        started.
        """
        workspace = self._services.workspaces.get(event_data(event).get("workspace"))
        run = None if workspace is None else workspace.current
        if run is None or run.form is None:
            return {}
        kind, values = run.form
        restored = {
            f"{kind}.{field}": values[field] for field in fields_of(FORMS[kind]) if field in values
        }
        restored.pop(f"{kind}.file", None)
        restored["kinds"] = gr.Tabs(selected="further" if kind in CONTINUED else kind)
        if kind in CONTINUED:
            restored["goal"] = kind
        return restored

    def zip(self, workspace: str) -> list[Any]:
        with shown_to_visitor():
            known = self._services.workspaces.get(workspace)
            shown = workspace if known is not None and known.runs else "example"
            return list(files.zipped_model(self._services, shown))

    def upload(self, workspace: str, file: str) -> Any:
        with shown_to_visitor():
            kept, name = files.opened_model(self._services, workspace, file)
        return gr.Dropdown(choices=choices(self._services, kept.id), value=name)

    def models(self, event: gr.EventData) -> Any:
        """A model that is being trained appears in the picker; what is picked stays."""
        return gr.Dropdown(choices=choices(self._services, event_data(event).get("workspace")))

    def open(self, event: gr.EventData) -> dict[str, Any]:
        """Picks the model of a run and goes to a tab."""
        workspace, name, tab = (event_data(event).get(key) for key in ("workspace", "run", "tab"))
        offered = choices(self._services, workspace)
        if name not in [value for _, value in offered] or tab not in TAB_NAMES:
            return {}
        return {"model": gr.Dropdown(choices=offered, value=name), "tabs": gr.Tabs(selected=tab)}


def goal_shown(goal: object) -> list[gr.Column]:
    """The form of what a model is trained further for, and none of the others."""
    return [gr.Column(visible=goal == kind) for kind in CONTINUED]


def remembering(kind: str, values: Mapping[str, object], workspace: Workspace) -> str:
    """A workspace as the view's value; stores the form's values with its run, to restore the form
    later.
    """
    run = workspace.current
    if run is not None:
        short = {
            name: value
            for name, value in values.items()
            if not isinstance(value, str) or len(value) < _LONGEST
        }
        run.form = (kind, short)
    return json.dumps({"workspace": workspace.id, "run": None if run is None else run.id})


def server_functions(services: Services) -> list[Callable[[object], object]]:
    """Server functions of the live view: they bypass the queue and answer invalid requests with
    None.
    """
    functions = (watching.poll, watching.command, watching.heads, watching.token_probabilities)
    return served(services, *functions, watching.past, watching.classify, watching.recording, phone)


def phone(_: Services, request: Annotated[object, LinkRequest]) -> str | None:
    """A link's QR code as SVG. None where it is not a link."""
    (link,) = fields(request, "link")
    return None if link is None else qr_svg(link)
