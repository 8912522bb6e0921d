"""Named endpoints for programs: a form declares what a program sends, and a handler makes the
answer.
"""

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

from gptcore.inference.sequence import MAX_SEED
from gptcore.language_model import DEFAULT_MODEL
from ui.services import Services
from ui.shared import inputs
from ui.shared.fields import Field, Text, Whole, declared, defaults_of, fields_of, parsed

_LONGEST = 10_000_000  # characters of any text; handlers know the server's limit
MODEL = Text(title="Model", noun="The model's name", help="a name from the page's list.", most=300)
SEED = Whole(
    title="Seed",
    help="the same seed gives the same text; null draws one.",
    low=0,
    high=min(MAX_SEED, 2**53),
)


@dataclass(frozen=True, kw_only=True)
class StopStrings(Field):
    """Stop strings, as a list or as a text with one a line."""

    def check(self, value: object) -> Any:
        inputs.stops(value)
        return value


def written(title: str, about: str) -> Text:
    """Declares a text that a model reads."""
    return Text(title=title, help=about, most=_LONGEST)


def needed(field: Field) -> Any:
    """Makes a dataclass field of a value that must be sent."""
    return declared(field)


def spelled_out(form: type, *, leave_out: Sequence[str] = ()) -> Any:
    """Makes a dataclass field that holds another form, whose documented fields a program sends by
    their own names.

    Args:
        form: the other form; its fields without `help` keep their defaults.
        leave_out: names of fields that mean nothing here and keep their defaults.
    """
    return dataclasses.field(metadata={"form": form, "leave_out": tuple(leave_out)})


@dataclass(frozen=True)
class Value:
    """One value that an endpoint takes.

    Args:
        name, kind: its name and its type.
        field: its declaration.
        default: `inspect.Parameter.empty` where a program must send it.
    """

    name: str
    kind: Any
    field: Field
    default: Any


@dataclass(frozen=True)
class Endpoint:
    """A named endpoint.

    Args:
        name: in its address.
        form: a dataclass of declared fields in the order in which programs send them.
        answer: makes the answer from the services and a checked form, or yields its states. Its
            docstring says what the endpoint does, and under "Returns:" the keys of the answer.
    """

    name: str
    form: type
    answer: Callable[[Services, Any], Any]

    @property
    def about(self) -> str:
        """The description of the endpoint, from its handler's docstring."""
        paragraphs = self._docstring.partition("\n\nReturns:\n")[0].split("\n\n")
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)

    @property
    def returns(self) -> str:
        """The keys of its answer."""
        return " ".join(self._docstring.partition("\n\nReturns:\n")[2].split())

    @property
    def _docstring(self) -> str:
        return inspect.cleandoc(self.answer.__doc__ or "")

    @property
    def streams(self) -> bool:
        """Whether it yields states of its answer."""
        return inspect.isgeneratorfunction(self.answer)

    def values(self, default_model: str = DEFAULT_MODEL) -> list[Value]:
        """Lists what it takes; a model that is left out is the server's default one."""
        own = {value.name: value for value in _documented(self.form)}
        if "model" in own and own["model"].default == DEFAULT_MODEL:
            own["model"] = dataclasses.replace(own["model"], default=default_model)
        found = list[Value]()
        for member in dataclasses.fields(self.form):
            if member.name in own:
                found.append(own[member.name])
            else:
                found += _documented(member.metadata["form"], member.metadata["leave_out"])
        return found

    def signature(self, default_model: str = DEFAULT_MODEL) -> inspect.Signature:
        """The signature of a function that takes its values and answers."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        taken = [
            inspect.Parameter(value.name, kind, default=value.default, annotation=value.kind)
            for value in self.values(default_model)
        ]
        answer = dict[str, Any]
        return inspect.Signature(
            taken, return_annotation=Iterator[answer] if self.streams else answer
        )

    def parse(self, values: Mapping[str, object]) -> Any:
        """Checks what a program has sent. Raises InputError with the value, the limit and the way
        out.
        """
        inner = dict[str, Any]()
        for member in dataclasses.fields(self.form):
            if "form" in member.metadata:
                inner[member.name] = parsed(member.metadata["form"], values)
        return parsed(self.form, values, **inner)

    def __call__(self, services: Services, *values: object, **named: object) -> Any:
        """Answers as the page's server does. Raises InputError and the core's errors."""
        bound = self.signature(services.models.default).bind(*values, **named)
        bound.apply_defaults()  # the default model is that of this server
        return self.answer(services, self.parse(bound.arguments))


def _documented(form: type, leave_out: Sequence[str] = ()) -> list[Value]:
    """Lists the values of a form's own fields that have a help."""
    kinds = get_type_hints(form)
    defaults = defaults_of(form)
    return [
        Value(name, kinds[name], field, defaults.get(name, inspect.Parameter.empty))
        for name, field in fields_of(form).items()
        if field.help and name not in leave_out
    ]
