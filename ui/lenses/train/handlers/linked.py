"""Settings of the Train tab's forms that a link or a scene of a talk may set: `FORM.FIELD`, such as `train.trick`."""

from collections.abc import Mapping
from typing import Any

from gptcore.errors import GPTCoreError
from ui.lenses.train.handlers.assistant import AssistantForm
from ui.lenses.train.handlers.forms import LabelForm, TrainForm, TuneForm
from ui.shared.fields import Field, fields_of, linked
from ui.shared.inputs import InputError

# The forms by their names in a link.
FORMS: dict[str, type] = {"train": TrainForm, "tune": TuneForm, "labels": LabelForm, "assistant": AssistantForm}
FIELDS: dict[str, Field] = {name: field for form, kind in FORMS.items() for name, _, field in linked(form, kind)}
NAMES = tuple(FIELDS)


def value_of(name: str, text: str) -> Any:
    """The value of a setting, as the form's component takes it.

    Args:
        name: of NAMES.
        text: as a link gives it.

    Raises:
        InputError: another kind of value, with what can be given.
    """
    try:
        return FIELDS[name].check(FIELDS[name].read(text))
    except GPTCoreError as error:  # also a text that is no text
        raise InputError(f"The link's {name}: {error}") from None


def read(query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """(those of a query's settings that can be used, by their names; a sentence for each other one)."""
    values: dict[str, Any] = {}
    sentences = []
    for name in (one for one in NAMES if one in query):
        try:
            value = value_of(name, query[name])
            values |= {name: value} if query[name] else {}
        except InputError as error:
            sentences.append(str(error))
    return values, sentences


def settings_of(form: str, values: Mapping[str, object], opens: Mapping[str, object]) -> dict[str, str]:
    """What a link sets for a form: the fields that differ from how it opens, as `value_of` reads them.

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
