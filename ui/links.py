"""Settings in the link: read from the query string when the page loads. The page's script writes
them (`link.js`).
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import parse_qsl

from gptcore.errors import GPTCoreError, PromptError
from gptcore.zero_shot import TASKS
from ui.forms import FIELDS
from ui.lenses.zero_shot.handlers.asking import FIRST_TASK
from ui.rooms.exercises.handlers.catalogue import EXERCISES
from ui.views import STATE_NAMES, TAB_NAMES, titles

MAX_PROMPT = 2_000
_LONGEST_MODEL = 300  # characters of a model's name
_MOST_CHECKED = 100  # settings that are checked for mistakes
_LONGEST_NAME = 40  # characters of a name that is checked

# Names that only the page's scripts read: never reported as mistakes.
_OF_SCRIPTS = (
    "layer",
    "head",
    "token",
    "place",
    "present",
    "tour",
    "choose",
    "once",
    "see",
    "press",
    "run",
    "workspace",
    "start",
    "follow",
    *STATE_NAMES,
)
_CHOICES: dict[str, tuple[str, ...]] = {
    "tab": TAB_NAMES,
    "embed": TAB_NAMES,  # a tab without the page around it, for a frame of another page
    "exercise": tuple(item.name for item in EXERCISES),
}
# Texts that a link holds, by the number of characters. A view is opened by the page's script, once
# the tab is there.
_TEXTS = {"model": _LONGEST_MODEL, "view": 40, "prompt": MAX_PROMPT, "text": MAX_PROMPT}


def expanded(query: Mapping[str, str]) -> dict[str, str]:
    """The query, with the settings of the exercise that it names where it does not set them
    itself.
    """
    named = next((entry.link for entry in EXERCISES if entry.name == query.get("exercise", "")), "")
    return {**dict(parse_qsl(named)), **query}


def read(query: Mapping[str, str], max_new_tokens: int) -> dict[str, Any]:
    """The settings of a query string that can be used, as components take them, by name.

    Args:
        max_new_tokens: that this server allows at most; a link that sets more gets as many.
    """
    settings: dict[str, Any] = {}
    for name, most in _TEXTS.items():
        if query.get(name):
            settings[name] = query[name][:most]
    for name, choices in _CHOICES.items():
        if query.get(name) in choices:
            settings[name] = query[name]
    for name, value, problem in _fields(query):
        if not problem:
            settings[name] = value
    if any(_wrong_template(query)):
        settings.pop("template", None)
    if "max_new_tokens" in settings:
        settings["max_new_tokens"] = min(max_new_tokens, settings["max_new_tokens"])
    if "embed" in settings:
        settings["tab"] = settings.pop("embed")
    return settings


def mistakes(query: Mapping[str, str]) -> list[str]:
    """A sentence for each invalid setting of a link and each misspelt name; unrelated names are
    ignored.
    """
    sentences = list(_wrong_view(query))
    sentences += _wrong_template(query)
    sentences += [problem for _, _, problem in _fields(query) if problem]
    known = _known()
    for name, value in list(query.items())[:_MOST_CHECKED]:
        if name in _CHOICES and value not in _CHOICES[name]:
            choices = ", ".join(map(repr, _CHOICES[name]))
            sentences.append(f"The link's {name} is {value[:60]!r}; choose {choices}.")
        elif name not in known and len(name) <= _LONGEST_NAME:
            sentences += _misspelt(name, known)
    return sentences


def unknown(query: Mapping[str, str]) -> list[str]:
    """The names of a query that this page does not know."""
    known = {*_known(), "__theme"}
    return [name for name in query if name not in known]


def _known() -> list[str]:
    return [*FIELDS, *_CHOICES, *_TEXTS, *_OF_SCRIPTS]


def _fields(query: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    """(name, value, what is wrong with it or "") of each field that a query sets."""
    for name, text in query.items():
        if name not in FIELDS:
            continue
        field = FIELDS[name]
        try:
            yield name, field.check(field.read(text)), ""
        except GPTCoreError as error:  # also a text that is no text
            yield name, None, f"The link's {name}: {error}"


def _wrong_view(query: Mapping[str, str]) -> Iterator[str]:
    tab = query.get("embed", query.get("tab", ""))
    view = query.get("view", "")
    views = titles(tab)
    if not view or tab not in TAB_NAMES or view.casefold() in (title.casefold() for title in views):
        return
    offered = f"choose {', '.join(map(repr, views))}" if views else "it has only one"
    yield f"The link's view is {view[:60]!r}, which {tab} does not have; {offered}."


def _wrong_template(query: Mapping[str, str]) -> Iterator[str]:
    """A template that the link's task does not have; what the field refuses is said by itself."""
    task = TASKS.get(query.get("task", FIRST_TASK))
    is_named = any(name == "template" and not problem for name, _, problem in _fields(query))
    if task is None or not is_named:
        return
    try:
        task.template(query["template"][:60])
    except PromptError as error:
        yield f"The link's template: {error}"


def _misspelt(name: str, known: list[str]) -> Iterator[str]:
    nearly = get_close_matches(name, known, 1, 0.8)
    if nearly:
        yield f"The link sets {name!r}, which this page does not know; did you mean {nearly[0]!r}?"
