"""Fields of a form, declared once: from a declaration come the control, the link, the API's check
and its sentence.

A form is a frozen dataclass whose fields are made by `declared`. `parsed` makes it from untrusted
values, once; a preset or a rival is then `dataclasses.replace` on it.
"""

import dataclasses
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ui.shared import inputs
from ui.shared.inputs import InputError

Values = Mapping[str, object]
Form = TypeVar("Form")
LONGEST_LINKED = 20_000  # characters of a text in a link
_LONGEST_LIST = 250  # characters of options that a sentence names
_SHOWN = 24  # characters of a text that tells what differs


@dataclass(frozen=True, kw_only=True)
class Field:
    """One setting."""

    title: str  # on the page
    noun: str = ""  # in sentences, such as "The batch"
    info: str = ""  # below the control
    help: str = ""  # what it is, for programs; "" of a field that no endpoint takes by its own name
    id: str = ""  # of its element, behind the form's name; the field's own name where left out
    group: str = ""  # of controls that stand together on the page
    linked: bool = True  # whether a link may set it
    base: str = ""  # name in links of the field whose choice fills this one in, such as a preset
    # Another field of the form and its value, where this field has a meaning with that value alone;
    # else ("", "").
    only: tuple[str, object] = ("", "")
    composed: bool = (
        False  # whether an answer makes it of the others; a link says it where it was edited
    )
    of_data: bool = False  # whether runs with another value cannot be drawn into one chart

    @property
    def called(self) -> str:
        """The name of the field in sentences."""
        return self.noun or f"The {self.title[:1].lower()}{self.title[1:]}"

    def check(self, value: object) -> Any:
        """The value as handlers use it. Raises InputError with the value, the limit and the way
        out.
        """
        raise NotImplementedError

    def read(self, text: str) -> object:
        """A link's text as a value to check."""
        return text

    def written(self, value: object) -> str:
        """A value as a link holds it."""
        return str(value)

    def shown(self, value: Any) -> str:
        """A value as people read it where two runs are compared."""
        return str(value)


@dataclass(frozen=True, kw_only=True)
class Number(Field):
    """A number from low to high; a slider where a step is given, up to `end` where more is allowed
    than it shows.
    """

    low: float
    high: float
    step: float | None = None
    end: float | None = None

    def check(self, value: object) -> float:
        return inputs.number(value, self.called, low=self.low, high=self.high)

    def read(self, text: str) -> object:
        try:
            number = float(text)
        except ValueError:
            return text
        return int(number) if number.is_integer() else number

    def shown(self, value: Any) -> str:
        return f"{value:g}"


@dataclass(frozen=True, kw_only=True)
class Whole(Number):
    """A whole number."""

    def check(self, value: object) -> int:
        return inputs.whole(value, self.called, low=int(self.low), high=int(self.high))

    def shown(self, value: Any) -> str:
        return f"{value:,}"


@dataclass(frozen=True, kw_only=True)
class Choice(Field):
    """One of several: their names, and what stands on the page; a list where `listed`, else
    buttons.
    """

    options: Mapping[str, str]
    listed: bool = False
    # option -> element that is seen with it alone
    shows: Mapping[str, str] = dataclasses.field(default_factory=dict[str, str])

    def check(self, value: object) -> str:
        if not isinstance(value, str) or value not in self.options:
            *names, last = self.options
            has_commas = any("," in name for name in self.options)
            between = "; " if has_commas else ", "
            listed = f"{between.join(names)} or {last}"
            known = (
                listed
                if len(listed) <= _LONGEST_LIST
                else f"one of the {len(self.options)} in the list"
            )
            raise InputError(f"{self.called} is {inputs.named(value)}; choose {known}.")
        return value

    def shown(self, value: Any) -> str:
        return self.options[value]


@dataclass(frozen=True, kw_only=True)
class Flag(Field):
    """Yes or no; 1 or 0 in a link."""

    def check(self, value: object) -> bool:
        return inputs.flag(value, self.called)

    def read(self, text: str) -> object:
        return {"0": False, "1": True}.get(text, text)

    def written(self, value: object) -> str:
        return str(int(bool(value)))

    def shown(self, value: Any) -> str:
        return "yes" if value else "no"


@dataclass(frozen=True, kw_only=True)
class Text(Field):
    """A text of at most so many characters; of several lines where `lines` says so."""

    most: int
    lines: int = 1
    placeholder: str = ""

    def check(self, value: object) -> str:
        return inputs.text(value, self.called, most=self.most)

    def read(self, text: str) -> object:
        return text[:LONGEST_LINKED]

    def shown(self, value: Any) -> str:
        if len(value) <= _SHOWN:
            return value
        return f"{value[:_SHOWN]}… ({len(value):,} characters, {zlib.crc32(value.encode()):08x})"


@dataclass(frozen=True, kw_only=True)
class InJson(Field):
    """A list, which a link holds as JSON."""

    def read(self, text: str) -> object:
        return _from_json(text)

    def written(self, value: object) -> str:
        return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class Several(InJson):
    """Some of several options, as a list; JSON in a link."""

    options: Mapping[str, str]

    def check(self, value: object) -> list[str] | None:
        if value is None:  # as another field's choice fills it in
            return None
        names = list[str]()
        for name in value if isinstance(value, list) else [value]:
            if not isinstance(name, str) or name not in self.options:
                known = ", ".join(self.options)
                raise InputError(f"{self.called} has {str(name)[:60]!r}; choose among {known}.")
            names.append(name)
        return names

    def shown(self, value: Any) -> str:
        return ", ".join(value)


@dataclass(frozen=True, kw_only=True)
class Names(InJson):
    """A list of names that only handlers know, such as those of models; JSON in a link."""

    most: int

    def check(self, value: object) -> list[str] | None:
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise InputError(f"{self.called} must be a list of names.")
        if len(value) > self.most:
            raise InputError(f"{self.called} has {len(value):,} names; {self.most:,} are allowed.")
        return value


@dataclass(frozen=True, kw_only=True)
class Rows(InJson):
    """A list of rows, each a list of short values; JSON in a link. Handlers check what a row
    means.
    """

    most: int

    def check(self, value: object) -> list[list[Any]] | None:
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
            raise InputError(f"{self.called} must be a list of lists.")
        strange = next((cell for row in value for cell in row if not _is_cell(cell)), None)
        if strange is not None:
            raise InputError(
                f"{self.called} has {str(strange)[:60]!r} in a cell; write texts or numbers."
            )
        if len(value) > self.most:
            raise InputError(f"{self.called} has {len(value):,} rows; {self.most:,} are allowed.")
        return value


@dataclass(frozen=True, kw_only=True)
class File(Field):
    """The path of a file that a visitor has uploaded, or None."""

    linked: bool = False

    def check(self, value: object) -> str | None:
        return value if isinstance(value, str) and value else None

    def shown(self, value: Any) -> str:
        return "a file" if value else ""


@dataclass(frozen=True, kw_only=True)
class Table(Field):
    """An object of names and values."""

    linked: bool = False

    def check(self, value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise InputError(
                f"{self.called} must be an object of names and values, not {str(value)[:60]!r}."
            )
        return value


def declared(field: Field, default: Any = dataclasses.MISSING) -> Any:
    """Makes a dataclass field of a setting; one without a default must be given. None is allowed
    where it is the default.
    """
    return dataclasses.field(default=default, metadata={"field": field})


def taken(form: type, name: str, default: Any = dataclasses.MISSING, **changes: Any) -> Any:
    """Makes a dataclass field of another form's setting, with the changes; it keeps its default
    where none is named.
    """
    field = dataclasses.replace(fields_of(form)[name], **changes)
    return declared(field, defaults_of(form)[name] if default is dataclasses.MISSING else default)


def fields_of(form: type | object) -> dict[str, Field]:
    """The declarations of a form by name, in their order."""
    fields = dataclasses.fields(form)  # type: ignore[arg-type]
    return {field.name: field.metadata["field"] for field in fields if "field" in field.metadata}


def defaults_of(form: type) -> dict[str, Any]:
    """The value of every setting that may be left out."""
    fields = [field for field in dataclasses.fields(form) if "field" in field.metadata]
    return {
        field.name: field.default for field in fields if field.default is not dataclasses.MISSING
    }


def values_of(form: object) -> dict[str, Any]:
    """The settings of a form by name."""
    return {name: getattr(form, name) for name in fields_of(form)}


def parsed(form: type[Form], values: Values, **others: Any) -> Form:
    """A form of untrusted values; what they lack has its default.

    Args:
        form: its dataclass.
        values: by name; names that it does not know are ignored.
        others: fields of the dataclass that are no settings.

    Raises:
        InputError: a value that cannot be used.
    """
    defaults = defaults_of(form)  # type: ignore[arg-type]
    checked = dict[str, Any]()
    for name, field in fields_of(form).items():
        if name not in values:
            continue
        value = values[name]
        may_be_none = value is None and defaults.get(name, field) is None
        checked[name] = None if may_be_none else field.check(value)
    return form(**checked, **others)


def shown(form: object, *, of_data: bool = False) -> dict[str, str]:
    """Formats the values of a form for people, by title; `of_data`: of its data alone. Empty texts
    are left out.
    """
    fields = fields_of(form)
    told = {
        _small(field.title): field.shown(getattr(form, name))
        for name, field in fields.items()
        if field.of_data or not of_data
    }
    return {title: value for title, value in told.items() if value}


def _from_json(text: str) -> object:
    """The value of a link's text; the text itself where it is no JSON, for `check` to refuse."""
    try:
        return json.loads(text[:LONGEST_LINKED])
    except (ValueError, RecursionError):
        return text


def _small(title: str) -> str:
    """A title within a sentence."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def _is_cell(value: object) -> bool:
    """Whether a table can hold a value: a text, a finite number or nothing."""
    is_finite = isinstance(value, float) and math.isfinite(value)
    return value is None or is_finite or isinstance(value, (str, int))
