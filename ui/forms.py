"""The fields of all forms by their names in links: from one declaration come control, link, check
and sentence.
"""

from collections.abc import Mapping

from ui.lenses.attention.handlers.forms import HeadsFields, PairFields
from ui.lenses.generate.handlers.forms import ChatFields, CompareFields, SteerFields, WritingFields
from ui.lenses.parameters.handlers.forms import ReferenceFields
from ui.lenses.parameters.handlers.shapes import ShapeForm
from ui.lenses.train.handlers.linked import FIELDS as TRAIN_FIELDS
from ui.lenses.train.handlers.linked import RunFields
from ui.lenses.zero_shot.handlers.fields import AnswerFields, BoardFields, TaskFields
from ui.shared.fields import Field, fields_of

# (what stands in front of a field's name in a link, its form).
FORMS: tuple[tuple[str, type], ...] = (
    ("", WritingFields),
    ("", CompareFields),
    ("", ChatFields),
    ("", SteerFields),
    ("", HeadsFields),
    ("", PairFields),
    ("shape.", ShapeForm),
    ("", ReferenceFields),
    ("", RunFields),
    ("", TaskFields),
    ("zs.", AnswerFields),
    ("zs.", BoardFields),
)


def _fields() -> Mapping[str, Field]:
    fields = dict[str, Field](TRAIN_FIELDS)
    for prefix, form in FORMS:
        for name, field in fields_of(form).items():
            if prefix + name in fields:
                raise ValueError(f"Two forms declare the field {prefix + name!r}.")
            fields[prefix + name] = field
    return fields


FIELDS = _fields()
