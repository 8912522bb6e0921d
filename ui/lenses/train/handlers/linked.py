"""Settings of the Train tab's forms that a link or a scene of a talk may set: `FORM.FIELD`, such as `train.trick`."""

from collections.abc import Mapping
from typing import Any

from gptcore.errors import GPTCoreError
from ui.lenses.train.handlers.assistant import AssistantForm
from ui.lenses.train.handlers.forms import LabelForm, TrainForm, TuneForm
from ui.shared.fields import Field, fields_of, linked

# The forms by their names in a link.
FORMS: dict[str, type] = {"train": TrainForm, "tune": TuneForm, "labels": LabelForm, "assistant": AssistantForm}
FIELDS: dict[str, Field] = {name: field for form, kind in FORMS.items() for name, _, field in linked(form, kind)}
NAMES = tuple(FIELDS)


def read(query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """(those of a query's settings that can be used, as the form's components take them, by name; a sentence for each
    other one)."""
    values, sentences = dict[str, Any](), list[str]()
    for name in (one for one in NAMES if one in query):
        try:
            value = FIELDS[name].check(FIELDS[name].read(query[name]))
            values |= {name: value} if query[name] else {}
        except GPTCoreError as error:  # also a text that is no text
            sentences.append(f"The link's {name}: {error}")
    return values, sentences


def settings_of(form: str, values: Mapping[str, object], opens: Mapping[str, object]) -> dict[str, str]:
    """What a link sets for a form: the fields that differ from how it opens, as `read` takes them.

    Args:
        form: of FORMS.
        values: of all fields, by NAMES.
        opens: the fields that need not be set, with their values.
    """
    settings = {}
    for field, declared in fields_of(FORMS[form]).items():
        value = values.get(f"{form}.{field}")
        if value is not None and value != "" and value != opens.get(field):
            settings[f"{form}.{field}"] = declared.written(value)
    return settings
