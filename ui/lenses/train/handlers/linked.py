"""The Train tab's forms by their names in links: `FORM.FIELD`, such as `train.trick`."""

from dataclasses import dataclass, replace
from typing import Any

from ui.lenses.train.handlers.assistant import AssistantForm
from ui.lenses.train.handlers.forms import LabelForm, TrainForm, TuneForm
from ui.lenses.train.handlers.presets import PRESETS
from ui.shared.fields import Choice, Field, Text, declared, fields_of
from ui.views import CONTINUED

FORMS: dict[str, type] = {
    "train": TrainForm,
    "tune": TuneForm,
    "labels": LabelForm,
    "assistant": AssistantForm,
}
# fields whose choice fills in the others of a form
_BASES = {"train": "preset", "labels": "labels.input_form"}


@dataclass(frozen=True, kw_only=True)
class RunFields:
    """Which form is open, and which preset filled it in."""

    preset: str = declared(
        Choice(
            title="Preset",
            help="a preset of the Train tab.",
            options={name: name for name in PRESETS},
            listed=True,
        ),
        next(iter(PRESETS)),
    )
    goal: str = declared(
        Choice(title="Train the model above on", noun="The goal", id="goal", options=CONTINUED),
        "tune",
    )
    compare_prompt: str = declared(Text(title="Ask all three", noun="The question", most=2_000), "")


def _fields() -> dict[str, Field]:
    fields = dict[str, Field]()
    for form, kind in FORMS.items():
        for name, field in fields_of(kind).items():
            if field.linked:
                other, value = field.only
                only = (f"{form}.{other}", value) if other else field.only
                fields[f"{form}.{name}"] = replace(field, base=_base(form, name), only=only)
    return fields


def _base(form: str, name: str) -> str:
    base = _BASES.get(form, "")
    return "" if base == f"{form}.{name}" else base


FIELDS = _fields()
NAMES = tuple(FIELDS)


def bases_of_presets() -> dict[str, dict[str, Any]]:
    """Returns the values that each preset fills in, by the names of fields: a link holds what
    differs from them.
    """
    return {
        preset: {f"train.{name}": value for name, value in values.items()}
        for preset, values in PRESETS.items()
    }
