"""What links set on the page: at a load of it, and on a page that is open.
`python -m tests.tools.record` keeps the answers.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import gradio as gr
from answers import read
from gradio.block_function import BlockFunction
from page_answers import answer_of_event, first_values, name_of

from helpers import other_values
from ui import links
from ui.forms import FIELDS
from ui.rooms.exercises.handlers.catalogue import EXERCISES

_LONG = "word " * 1_000
# Besides those of all fields: texts, models, what a server limits, and what a link may get wrong.
_OTHERS: dict[str, dict[str, str]] = {
    "nothing": {},
    "a text": {"text": "A dog ran"},
    "a prompt": {"prompt": "A cat sat"},
    "both": {"text": "A dog ran", "prompt": "A cat sat"},
    "a long text": {"text": _LONG},
    "another model": {"model": "world"},
    "another model and a text": {"model": "world", "text": "A dog ran"},
    "a moment": {"model": "mini@512"},
    "a frame": {"embed": "attention", "text": "A dog ran"},
    "more tokens than allowed": {"max_new_tokens": "99999"},
    "nothing for values": {"prompt": "", "stop": "", "text": "", "labels": "", "body": ""},
    "no tab": {"tab": "nowhere"},
    "no view": {"tab": "attention", "view": "Nothing"},
    "a view where there is one": {"tab": "start", "view": "Write"},
    "misspelt": {"temprature": "0.5", "tepm": "1", "utm_source": "a"},
    "wrong values": {"temperature": "hot", "top_k": "-1", "cached": "perhaps", "strategy_1": "x"},
    "a template": {"template": "With the choices"},
    "a template and an input": {"template": "With the choices", "field_0": "Dull."},
    "a template in other words": {
        "template": "With the choices",
        "body": "{text} It is {answer}",
        "labels": "good\nbad",
        "field_0": "Dull.",
        "expected": "bad",
    },
    "no template": {"template": "nonsense", "text": "A dog ran"},
    "a template of another task": {"task": "translate", "template": "With the choices"},
    "markup": {"tab": "<b>start</b>", "temprature": "<i>"},
}


def queries() -> dict[str, dict[str, str]]:
    """Links by what they are: of each form all its fields, with one value each and with another."""
    found = dict(_OTHERS)
    forms = sorted({name.rpartition(".")[0] for name in FIELDS})
    for form in forms:
        own = {name: field for name, field in FIELDS.items() if name.rpartition(".")[0] == form}
        for n in (0, 1):
            values = {name: other_values(field)[n] for name, field in own.items()}
            text = {name: FIELDS[name].written(value) for name, value in values.items()}
            found[f"form {form or 'of none'}, {n + 1}"] = text
    named = next(item for item in EXERCISES if "text=" in item.link)
    found["an exercise"] = {"exercise": named.name}
    found["an exercise with a text"] = {"exercise": named.name, "text": "A dog ran"}
    return found


def _events(page: gr.Blocks) -> tuple[BlockFunction, BlockFunction]:
    """What a load of the page asks, and what fills an open one: those that set most."""
    by_outputs = sorted(page.fns.values(), key=lambda event: -len(event.outputs))
    load = next(event for event in by_outputs if ("load" in dict(event.targets).values()))
    fill = next(event for event in by_outputs if event is not load and event.fn is not None)
    return load, fill


def _set_by(said: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """Values that differ from what the page shows at first."""
    return {name: value for name, value in said.items() if value != shown.get(name)}


def answers(page: gr.Blocks) -> Iterator[tuple[str, Any]]:
    """What each link sets, and what is said of its mistakes, by what the link is."""
    load, fill = _events(page)
    shown = {name_of(page.blocks[number]): value for number, value in first_values(page).items()}
    for name, query in queries().items():
        opened = asyncio.run(answer_of_event(page, load, [None, None, ""], query=query))
        link = {"link": urlencode(query)}
        filled = asyncio.run(answer_of_event(page, fill, [], data=link))
        yield (
            name,
            read(
                {
                    "opened": _set_by(opened, shown),
                    "filled": _set_by(filled, shown),
                    "mistakes": links.mistakes(query),
                }
            ),
        )
