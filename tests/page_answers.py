"""What the page's events answer, and where two answers differ.

Every event that fills a component of ours is asked with the values that the page begins with, then
with another model, and with each field changed that no event before it takes.
`python -m tests.tools.record` keeps the answers in `tests/recorded`.
"""

import inspect
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr
from answers import DRAWN_ANEW, changes, differences, leaves
from gradio.block_function import BlockFunction
from gradio.state_holder import SessionState

from ui.shared.site import Asked

OURS = "lens-component"
_MOST_OPTIONS = 4  # of a choice, that are tried
BEYOND = 10**12  # a number that no field takes, nor its negative
TOO_LONG = "word " * 40_000  # a text that no field takes but those of a training
# what an event may change of a field
_OF_FIELDS = ("value", "choices", "visible", "interactive", "label", "info")
# in place of the page's first values: quicker, and no less of a text
_SMALL: dict[str, Any] = {"max-new-tokens": 24, "zs-items": 20}
# a field that makes an answer one of chance
_BY_CHANCE = "keep-seed"
# what starts a run, and what times this machine
_OF_THE_MOMENT = {"train", "measured"}
# events that take seconds are asked once, without a change of each field
_ONCE = ("zs-board", "compared-0", "checks")
_REFUSAL = re.compile(r'[^"<>\\]+(?:; it must|are allowed|er than m)[^"<>\\]*')
# fields of requests that hold a visitor's text
_TEXTS = ("text", "first", "second", "answer", "logits")
_PAGES = itertools.count()
# what a component sends with an event: a token of the text, and one that takes its place
_SENT = {"pick": {"place": 3, "id": 262}}
THEN = ", then "


@dataclass(frozen=True)
class Question:
    """An event, and the values that it is asked with."""

    component: str  # the first of those that it fills
    changed: str  # the field, "" for none
    event: BlockFunction
    values: tuple[Any, ...]
    after: "Question | None" = None  # asked before by the same page

    @property
    def name(self) -> str:
        """As `tests/recorded` knows it."""
        if self.after:
            return f"{self.component}{THEN}{self.changed}"
        return f"{self.component}, another {self.changed}" if self.changed else self.component

    @property
    def is_whole(self) -> bool:
        """Whether all of its answer is kept, or only what differs from that to the first values."""
        return self.changed in ("", "model") or self.after is not None


def name_of(block: Any) -> str:
    """The id of a component's element, "" for none."""
    return getattr(block, "elem_id", None) or ""


def first_values(page: gr.Blocks) -> dict[int, Any]:
    """What each component of a page shows at first, by its number."""
    return {item["id"]: item["props"].get("value") for item in page.config["components"]}


def filled_by(event: BlockFunction) -> list[str]:
    """Ids of the components of ours that an event fills."""
    outputs = [
        item for item in event.outputs if OURS in (getattr(item, "elem_classes", None) or [])
    ]
    return [name_of(item) for item in outputs]


def questions(page: gr.Blocks) -> Iterator[Question]:
    """All of them, in the order of the page."""
    shown = first_values(page)
    names = {block._id: name_of(block) for block in page.blocks.values()}
    seen = set[str]()
    varied = set[str]()
    for event in page.fns.values():
        values = tuple(_SMALL.get(name_of(item), shown.get(item._id)) for item in event.inputs)
        ids = filled_by(event)
        if _fills_a_form(event, names):
            target, trigger = event.targets[0]
            yield from _asked(f"{trigger} of {names[target]}", event, values, set())
        elif set(ids) - seen and not set(ids) & _OF_THE_MOMENT and not _is_of_load(event):
            seen |= set(ids)
            yield from _asked(ids[0], event, values, varied)


def further(page: gr.Blocks) -> Iterator[Question]:
    """Events that fill a component which another one has filled before, asked after that one."""
    shown = first_values(page)
    names = {block._id: name_of(block) for block in page.blocks.values()}
    before = {question.component: question for question in questions(page) if not question.changed}
    asked = {_what_runs(question.event) for question in before.values()}
    for event in page.fns.values():
        ids = filled_by(event)
        target, trigger = next(iter(event.targets), (None, ""))
        is_asked = event.fn is None or _what_runs(event) in asked or _is_of_load(event)
        if not is_asked and names.get(target) and ids and ids[0] in before:
            asked.add(_what_runs(event))
            first = before[ids[0]]
            values = tuple(_SMALL.get(name_of(item), shown.get(item._id)) for item in event.inputs)
            yield Question(ids[0], f"{trigger} of {names[target]}", event, values, first)


def _what_runs(event: BlockFunction) -> object:
    """The handlers behind an event that answers a question, and what it fills."""
    return frozenset(map(repr, _handlers(event.fn))), tuple(filled_by(event))


def _handlers(function: Any) -> Iterator[Any]:
    """The innermost functions that a wrapper, a partial or a question holds."""
    if isinstance(function, partial):
        yield from (function.args[1:], *_handlers(function.func))
        return
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    inner = [item.fn if isinstance(item, Asked) else item for item in cells]
    held = [item for item in inner if inspect.isroutine(item) or isinstance(item, partial)]
    yield from (found for item in held for found in _handlers(item))
    if not held:
        yield getattr(function, "__qualname__", function)


def _is_of_load(event: BlockFunction) -> bool:
    return any(trigger == "load" for _, trigger in event.targets)


def _fills_a_form(event: BlockFunction, names: Mapping[int, str]) -> bool:
    """Whether an event sets fields by fields, and does nothing else."""
    target = next((names.get(item) for item, _ in event.targets if item is not None), None)
    if any(trigger == "upload" for _, trigger in event.targets):
        return False  # it takes a file
    takes, gives = [[*map(name_of, items)] for items in (event.inputs, event.outputs)]
    has_both = all(takes) and any(gives) and bool(takes)
    return event.fn is not None and bool(target) and has_both and not filled_by(event)


def _asked(
    name: str, event: BlockFunction, values: tuple[Any, ...], varied: set[str]
) -> Iterator[Question]:
    """The questions of an event; `varied` holds the fields that others have changed before."""
    yield Question(name, "", event, values)
    for index, item in enumerate(event.inputs):
        field = name_of(item)
        if not field or (field in varied and field != "model") or field == _BY_CHANCE:
            continue
        if name in _ONCE and field != "model":
            continue
        varied.add(field)
        found = others(item, values[index])
        for number, other in enumerate(found[:1] if name in _ONCE else found):
            changed = (*values[:index], other, *values[index + 1 :])
            again = f" {number + 1}" if number else ""
            yield Question(name, field + again, event, changed)


def others(item: Any, value: Any) -> list[Any]:
    """Other values that a field can have."""
    if isinstance(item, gr.Checkbox):
        return [not value]
    if isinstance(item, gr.Slider):
        step = item.step or 1
        steps = round((item.maximum - item.minimum) / 2 / step)
        middle = item.minimum + steps * step
        return [middle if middle != value else item.minimum]
    if isinstance(item, gr.Number):
        return [] if value is None else [value + 1]
    if isinstance(item, gr.Radio | gr.Dropdown) and not isinstance(value, list):
        others = [option for _, option in item.choices if option != value]
        half = _MOST_OPTIONS // 2
        return others if len(others) <= _MOST_OPTIONS else [*others[:half], *others[-half:]]
    if isinstance(item, gr.CheckboxGroup):
        return [value[1:]] if value[1:] else []
    if isinstance(item, gr.Textbox) and item.visible is not False:
        words = str(value or "").split(" ")
        return [" ".join([*words[:-1], "zebra"]), *([""] if value else [])]
    return []


def beyond(page: gr.Blocks) -> Iterator[Question]:
    """Each event, with each number far from what it may be and each text far too long."""
    shown = first_values(page)
    names = {block._id: name_of(block) for block in page.blocks.values()}
    for event in page.fns.values():
        if event.fn is None or _is_of_load(event):
            continue
        target, trigger = next(iter(event.targets), (None, "load"))
        filled = [name_of(item) for item in event.outputs if name_of(item)]
        called = f"{trigger} of {names.get(target)} for {', '.join(filled[:1])}"
        values = tuple(_SMALL.get(name_of(item), shown.get(item._id)) for item in event.inputs)
        for index, item in enumerate(event.inputs):
            for about, other in _unfit(item) if name_of(item) else ():
                changed = (*values[:index], other, *values[index + 1 :])
                yield Question(called, f"{name_of(item)} {about}", event, changed)


def _unfit(item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, gr.Number | gr.Slider):
        yield "too small", -BEYOND
        yield "too large", BEYOND
    if isinstance(item, gr.Textbox):
        yield "too long", TOO_LONG


def refusal(found: Any) -> str | None:
    """The sentence with which an answer refuses a value and names its limits, if it does."""
    said = _REFUSAL.search(json.dumps(found, ensure_ascii=False))
    return said and said[0]


async def answer(page: gr.Blocks, question: Question) -> dict[str, Any]:
    """What an event gives each component that has a name, at last; to a page of its own."""
    session = f"page-{next(_PAGES)}"
    data = None
    if question.after:
        first = question.after
        await answer_of_event(page, first.event, first.values, session=session)
        data = _SENT.get(question.changed.partition(" ")[0])
    return await answer_of_event(page, question.event, question.values, data=data, session=session)


async def answer_of_event(
    page: gr.Blocks,
    event: BlockFunction,
    values: Sequence[Any],
    *,
    query: Mapping[str, str] | None = None,
    data: Any = None,
    session: str = "",
) -> dict[str, Any]:
    """The same of an event.

    Args:
        page: that has it.
        values: of its inputs.
        query: of the address that the page was opened by.
        data: that a component sends with the event.
        session: of the page that asks; "" for a new one.
    """
    session = session or f"page-{next(_PAGES)}"
    request: Any = gr.Request(
        session_hash=session,
        client={"host": "127.0.0.1", "port": 1},
        headers={},
        query_params=query or {},
    )
    state = SessionState(page)
    said: dict[str, Any] = {}
    iterator = None
    while True:
        try:
            given = await page.process_api(
                event,
                list(values),
                state=state,
                event_data=gr.EventData(None, data),
                request=request,
                iterator=iterator,
                session_hash=session,
                in_event_listener=True,
            )
        except gr.Error as refusal:
            return {"refused": refusal.message}
        for item, value in zip(event.outputs, given["data"], strict=True):
            if isinstance(value, dict) and value.get("__type__") == "update":
                value = {key: new for key, new in value.items() if key in _OF_FIELDS}
                if OURS in (getattr(item, "elem_classes", None) or []):
                    value = value.get("value")
            if name_of(item) and value is not None and value != {}:
                said[name_of(item)] = value
        iterator = given.get("iterator")
        if not given.get("is_generating"):
            return said


def kept(question: Question, found: Any, first: Any) -> Any:
    """What is kept of an answer.

    Args:
        question: that was asked.
        found: its answer, as `read` has read it.
        first: the answer to the first values.
    """
    return found if question.is_whole else changes(first, found)


def unlike(question: Question, kept: Any, found: Any) -> list[str]:
    """Where an answer differs from what is kept of it."""
    if question.is_whole:
        return list(differences(kept, found))
    now = leaves(found)
    kept = {way: leaf for way, leaf in kept.items() if not DRAWN_ANEW.search(way)}
    return [text for way, leaf in kept.items() for text in differences(leaf, now.get(way), way)]


def told_fields(page: gr.Blocks) -> Iterator[tuple[str, Any]]:
    """The fields that the page tells its scripts: their names and components."""
    for event in page.fns.values():
        if isinstance(event.js, str) and "holdFields(" in event.js:
            names = json.JSONDecoder().raw_decode(event.js.partition("holdFields(")[2])[0]
            yield from zip(names, event.inputs, strict=True)


def fields_of(page: gr.Blocks) -> dict[str, Any]:
    """The fields that the page tells its scripts, with their first values."""
    shown = first_values(page)
    return {name: shown.get(item._id) for name, item in told_fields(page)}


def other_requests(request: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Requests with one field out of its range, or at a number beside it or beside another field,
    and the name of each.
    """
    whole = {field: value for field, value in request.items() if type(value) is int}
    for field, value in request.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            out = (-1, 10**6)
        elif isinstance(value, str) and field in _TEXTS:
            out = ("", "x " * 20_000)
        else:
            continue
        for number, other in enumerate(out):
            yield f"{field} too {'large' if number else 'small'}", {**request, field: other}
        near = {beside for number in whole.values() for beside in (number, number + 1)}
        for other in sorted({0, *near} - {value} if field in whole else ()):
            yield f"{field} {other}", {**request, field: other}
