"""Settings of the Train tab's forms that a link or a scene of a talk may set: `FORM.FIELD`, such as `train.trick`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from gptcore.corpora import CORPORA
from ui.lenses.train.handlers.assistant import FIELDS as ASSISTANT_FIELDS
from ui.lenses.train.handlers.assistant import SECONDS
from ui.lenses.train.handlers.input_forms import INPUT_FORMS
from ui.lenses.train.handlers.presets import FIELDS, LABEL_FIELDS, LENGTHS, OPTIMIZERS, RIVALS, TRICKS, TUNING_FIELDS
from ui.lenses.train.handlers.texts import REPEATED, YOURS
from ui.shared.inputs import InputError

# The forms by their names in a link; a file cannot be linked, nor what asks another host.
FORMS: dict[str, tuple[str, ...]] = {
    form: tuple(name for name in fields if name not in ("file", "data_set"))
    for form, fields in (
        ("train", FIELDS),
        ("tune", TUNING_FIELDS),
        ("labels", LABEL_FIELDS),
        ("assistant", ASSISTANT_FIELDS),
    )
}
NAMES = tuple(f"{form}.{field}" for form, fields in FORMS.items() for field in fields)
LONGEST = 20_000  # characters of a text
TEXTS = ("written", "prompt", "labelled", "stories")
_FLAGS = ("attention_bias", "tasks")
_CHOICES: dict[str, Iterable[str]] = {
    "corpus": (*CORPORA, REPEATED, YOURS),
    "tokenizer": ("char", "bpe"),
    "norm_position": ("pre", "post"),
    "length": LENGTHS,
    "optimizer": OPTIMIZERS,
    "trick": TRICKS,
    "rival": RIVALS,
    "input_form": INPUT_FORMS,
}
_OF_FORM: dict[str, Iterable[str]] = {"assistant.length": SECONDS, "tune.corpus": (*CORPORA, YOURS)}
_LARGEST = 2**31 - 1  # of a number without a range of its own
# Whole numbers with the lowest and the highest that the form's field takes.
RANGES: dict[str, tuple[int, int]] = {
    "train.vocab_size": (257, 16_384),
    "train.n_layer": (1, 24),
    "train.n_head": (1, 32),
    "train.n_embd": (4, 1024),
    "train.n_positions": (4, 1024),
    "train.batch_size": (1, 512),
    "tune.n_positions": (4, _LARGEST),
    "tune.batch_size": (1, _LARGEST),
    "labels.batch_size": (1, _LARGEST),
}
for _form in ("train", "tune", "labels"):
    RANGES[f"{_form}.max_steps"] = (1, _LARGEST)
for _form in ("train", "tune"):
    RANGES |= {f"{_form}.warmup_steps": (0, _LARGEST), f"{_form}.seed": (0, _LARGEST)}


def value_of(name: str, text: str) -> Any:
    """The value of a setting, as the form's component takes it.

    Args:
        name: of NAMES.
        text: as a link gives it.

    Raises:
        InputError: another kind of value, with what can be given.
    """
    field = name.split(".", 1)[1]
    choices = _OF_FORM.get(name, _CHOICES.get(field))
    if choices is not None:
        return _one_of(name, text, choices)
    if field in TEXTS:
        return text[:LONGEST]
    if field in _FLAGS:
        return _one_of(name, text, ("0", "1")) == "1"
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"The link's {name} is {text[:60]!r}, which is not a number.")
    low, high = RANGES.get(name, (-_LARGEST, _LARGEST))
    if not low <= number <= high or (name in RANGES and not number.is_integer()):
        whole = "a whole number" if name in RANGES else "a number"
        raise InputError(f"The link's {name} is {text[:60]!r}; give {whole} from {low:,} to {high:,}.")
    return int(number) if number.is_integer() else number


def _one_of(name: str, text: str, choices: Iterable[str]) -> str:
    if text not in choices:
        raise InputError(f"The link's {name} is {text[:60]!r}; choose {', '.join(map(repr, choices))}.")
    return text


def read(query: Mapping[str, str]) -> dict[str, Any]:
    """Those of a query's settings that can be used, by their names."""
    found = {}
    for name in NAMES:
        if query.get(name):
            try:
                found[name] = value_of(name, query[name])
            except InputError:  # `mistakes` says so
                continue
    return found


def settings_of(form: str, values: Mapping[str, object], opens: Mapping[str, object]) -> dict[str, str]:
    """What a link sets for a form: the fields that differ from how it opens, as `value_of` reads them.

    Args:
        form: of FORMS.
        values: of all fields, by NAMES.
        opens: the fields that need not be set, with their values.
    """
    found = {}
    for field in FORMS[form]:
        value = values[f"{form}.{field}"]
        if value is None or value == "" or value == opens.get(field):
            continue
        found[f"{form}.{field}"] = str(int(value)) if isinstance(value, bool) else str(value)
    return found


def mistakes(query: Mapping[str, str]) -> list[str]:
    """A sentence for each setting that cannot be used."""
    found = []
    for name in NAMES:
        try:
            if name in query:
                value_of(name, query[name])
        except InputError as error:
            found.append(str(error))
    return found
