"""What the page gives its tabs: fields by their names in links, and events whose answers say what
they answer.

A field is a component with the name under which links, questions and handlers know it. A component
that answers declares which fields it needs (`ui.shared.files.component`); an event names the fields
that it takes. The page's script (`shared/view/ask.js`) numbers the question of each event, and
marks a component as stale from the moment that one of its needs differs from what its content was
computed from.
"""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, get_type_hints

import gradio as gr
from gradio.events import Dependency

from ui.services import Services
from ui.shared.fields import Choice, Field
from ui.shared.files import calling
from ui.shared.lens import Wiring
from ui.shared.wiring import QUIET, at_end

E = TypeVar("E")  # of a tab's example
_ASK = "shared/view/ask.js"
_STORE = "shared/view/store.js"
_GIVEN_BY_GRADIO = (gr.Request, gr.EventData)
# Fields of the page itself, which no form declares.
_OF_THE_PAGE = ("model", "opened", "text", "prompt")


class WiringError(Exception):
    """A view is wired so that its content could be stale without a mark."""


@dataclass(frozen=True)
class Asked:
    """An event that answers a question.

    Args:
        fn: takes the request, where it wants one, then the values of `takes` and of `more`; gives
            or yields values of `outputs`, as a list, or as a dictionary from component to value of
            what is new.
        takes: names of fields.
        outputs: components that it sets.
        more: further inputs, which no answer depends on.
        js: makes the values of `takes` and `more` from those that Gradio has, as `calling` makes
            it.
        options: of the listener.
    """

    fn: Callable[..., Any]
    takes: Sequence[str]
    outputs: Sequence[Any]
    more: Sequence[Any] = ()
    js: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


class PageFields:
    """The fields of the page, and the events that are about them."""

    def __init__(self, declared: Mapping[str, Field]) -> None:
        self._declared = declared
        self._components: dict[str, Any] = {}
        self._places: dict[str, tuple[str, str]] = {}
        # the number of a question, which the page's script gives
        self._question = gr.Textbox(visible=False)

    def add(self, name: str, component: Any, *, tab: str = "", view: str = "") -> Any:
        """Makes a component a field; a link to its view, or to any view of its tab, sets it.

        Raises:
            WiringError: no form declares the name, or it is taken.
        """
        if name not in self._declared and name not in _OF_THE_PAGE:
            raise WiringError(
                f"No form declares the field {name!r}. Declare it, and add its form to ui/forms.py."
            )
        if name in self._components:
            raise WiringError(f"Two components are the field {name!r}.")
        self._components[name] = component
        self._places[name] = (tab, view)
        return component

    def __getitem__(self, name: str) -> Any:
        return self._components[name]

    @property
    def by_name(self) -> Mapping[str, Any]:
        """All fields."""
        return self._components

    def register(self) -> list[dict[str, Any]]:
        """The fields that links hold, for the page's scripts: name, tab and view, and how they are
        declared.
        """
        return [
            {
                "name": name,
                "tab": tab,
                "view": view,
                **_declaration(self._declared.get(name), self.by_name[name]),
            }
            for name, (tab, view) in self._places.items()
            if tab and name not in _OF_THE_PAGE
        ]

    def listen(
        self, listener: Callable[..., Dependency], asked: Asked, **options: Any
    ) -> Dependency:
        """Adds an event; its components say "Computing…" until their answer is there.

        Raises:
            WiringError: the event takes a field that none of its components needs, so that a change
                of it would leave them unmarked.
        """
        answering = [output for output in asked.outputs if getattr(output, "needs", ())]
        needed = {name for item in answering for need in item.needs for name in need.split("|")}
        forgotten = [name for name in asked.takes if name not in needed]
        if answering and forgotten:
            shown = ", ".join(str(item.elem_id) for item in answering)
            raise WiringError(
                f"{shown}: computed from {', '.join(forgotten)}, which none of them needs."
            )
        ids = json.dumps([item.elem_id for item in answering])
        given = f"await ({asked.js})(...args.slice(1))" if asked.js else "args.slice(1)"
        dependency = listener(
            **{
                **asked.options,
                **options,
                "fn": _stamped(asked, answering, self._components),
                "inputs": [self._question, *(self[name] for name in asked.takes), *asked.more],
                "outputs": list(asked.outputs),
                "js": calling(_ASK, f"m.asks({ids}, {json.dumps(list(asked.takes))}, {given})"),
            }
        )
        set_here = self._among(asked.outputs)
        names = json.dumps(list(set_here))
        ended, failed = (
            calling(_ASK, f"m.ended({ids}, {names}, args, {flag})") for flag in ("false", "true")
        )
        at_end(dependency, list(set_here.values()), ended, failed)
        return dependency

    def keep(self, component: Any, asked: Asked) -> Dependency:
        """Has a component ask by itself, as its `asks` says (`ui.shared.files.component`)."""
        return self.listen(component.ask, asked, trigger_mode="multiple")

    def note(self, dependency: Dependency, outputs: Sequence[Any]) -> Dependency:
        """Passes the values of fields that an event has set to the page's scripts: a component off
        screen triggers no change event.

        Returns:
            The event that passes them on; `dependency` itself if it sets no field.
        """
        changed = self._among(outputs)
        if not changed:
            return dependency
        return dependency.then(None, list(changed.values()), None, js=_holding(changed), **QUIET)

    def _among(self, outputs: Sequence[Any]) -> dict[str, Any]:
        """The fields among the outputs of an event."""
        return {
            name: component
            for name, component in self._components.items()
            if any(component is output for output in outputs)
        }

    def follow(self, page: gr.Blocks) -> None:
        """Tells the page's scripts the values of all fields at first, and those of a tab whenever
        one of them changes: an event of a tab also sets fields that are off screen, whose change
        event never comes.

        Gradio's front end looks for each value in the whole page (without
        `ui.server.gradio_internals.quick_front_end`): for those of all tabs that takes 20 ms on a
        slow processor.
        """
        told = {
            name: component
            for name, component in self._components.items()
            if not isinstance(component, gr.File)
        }
        page.load(None, list(told.values()), None, js=_holding(told), **QUIET)
        by_tab: dict[str, dict[str, Any]] = {}
        for name, item in told.items():
            if hasattr(item, "change"):
                by_tab.setdefault(self._places[name][0], {})[name] = item
        for fields in by_tab.values():
            gr.on(
                [item.change for item in fields.values()],
                None,
                list(fields.values()),
                None,
                js=_holding(fields),
                # two that take the last alone start each other
                trigger_mode="multiple",
                **QUIET,
            )


@dataclass(frozen=True)
class Site(Generic[E]):
    """The services, fields and components that the page gives every tab."""

    services: Services  # of the app
    fields: PageFields  # of the page; "model" is the picker
    example: E  # what the tab shows at first
    model_work: Wiring  # how events that compute with a model are wired
    opened: gr.State  # changes once another model has been opened
    tab: gr.Tab  # the tab itself
    tabs: gr.Tabs  # the row of tabs

    @property
    def model(self) -> Any:
        """The picker."""
        return self.fields["model"]

    def add(self, name: str, component: Any, view: str = "") -> Any:
        """Adds a field of this tab, or of one of its views, as PageFields.add does."""
        return self.fields.add(name, component, tab=str(self.tab.id), view=view)


def _declaration(field: Field | None, component: Any) -> dict[str, Any]:
    """Returns the declaration of a field for scripts: its base, whether it is composed, and where
    it applies.
    """
    if field is None:
        return {"base": ""}
    declared: dict[str, Any] = {"base": field.base}
    if field.composed:
        declared["composed"] = True
    if field.only[0]:
        declared |= {"only": field.only, "element": component.elem_id}
    if isinstance(field, Choice) and field.shows:
        declared["shows"] = field.shows
    return declared


def _holding(fields: Mapping[str, Any]) -> str:
    return calling(_STORE, f"(m.holdFields({json.dumps(list(fields))}, args), [])")


def _stamped(
    asked: Asked, answering: Sequence[Any], fields: Mapping[str, Any]
) -> Callable[..., Any]:
    """The function of an event as Gradio calls it: in front of each answer stand the question's
    number and the fields that the event has set, which the answer is about, too.
    """
    hints = get_type_hints(asked.fn)
    given = [name for name, hint in hints.items() if hint in _GIVEN_BY_GRADIO]

    set_here = {
        name: item for name, item in fields.items() if any(item is out for out in asked.outputs)
    }

    def stamp(answer: Any, question: object, changed: dict[str, Any]) -> Any:
        values = (
            answer
            if isinstance(answer, Mapping)
            else dict(zip(asked.outputs, _listed(answer), strict=True))
        )
        for name, item in set_here.items():
            if isinstance(values.get(item), (str, int, float)):
                changed[name] = values[item]
        is_known = isinstance(question, str) and question.isdecimal()
        more = f" {json.dumps(changed)}" if changed else ""
        row = []
        for output in asked.outputs:
            value = values.get(output, gr.skip())
            is_answer = (
                is_known and isinstance(value, str) and any(output is known for known in answering)
            )
            row.append(f"#{question}{more}\n{value}" if is_answer else value)
        return row if len(row) != 1 else row[0]  # as Gradio takes the value of a single component

    def _listed(answer: Any) -> Sequence[Any]:
        return answer if isinstance(answer, (list, tuple)) else [answer]

    def streams(*values: Any) -> Iterator[Any]:
        own = values[: len(given)]
        question = values[len(given)]
        rest = values[len(given) + 1 :]
        is_silent = True
        changed = dict[str, Any]()
        for answer in asked.fn(*own, *rest):
            is_silent = False
            yield stamp(answer, question, changed)
        if is_silent:  # Gradio empties the outputs of an event that ends without a value
            yield stamp({}, question, changed)

    def returns(*values: Any) -> Any:
        own = values[: len(given)]
        question = values[len(given)]
        rest = values[len(given) + 1 :]
        return stamp(asked.fn(*own, *rest), question, {})

    called = streams if inspect.isgeneratorfunction(asked.fn) else returns
    _declare(called, asked, {name: hints[name] for name in given})
    return called


def _declare(called: Callable[..., Any], asked: Asked, given: Mapping[str, Any]) -> None:
    """Gives a function the name and signature from which Gradio learns what to pass: the arguments
    that it makes itself, then the question's number and the values.
    """
    n_values = 1 + len(asked.takes) + len(asked.more)
    names = [*given, *(f"value_{index}" for index in range(n_values))]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    called.__name__ = getattr(asked.fn, "__name__", "answer")
    called.__annotations__ = dict(given)
    called.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # pyright: ignore[reportFunctionMemberAccess]
