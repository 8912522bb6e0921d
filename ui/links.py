"""Settings in the link: read from the query string when the page loads, written to it by "Copy link"."""

import math
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import parse_qsl

from gptcore.inference.sampling_settings import CONTROLS
from gptcore.zero_shot.tasks import TASKS
from ui.lenses.attention.handlers.maps import ENDS, MODES
from ui.lenses.generate.handlers.steer import MOST_STRENGTH
from ui.lenses.train.handlers import linked
from ui.lenses.train.handlers.presets import PRESETS
from ui.lenses.zero_shot.handlers.form import MOST_EXAMPLES, MOST_FIELDS
from ui.rooms.exercises.handlers.catalogue import EXERCISES, GONE
from ui.views import TAB_NAMES, earlier, titles

MAX_PROMPT = 2_000
_MOST_CHECKED, _LONGEST_NAME = 100, 40  # settings checked for mistakes, and characters per name

_DRAWN = ("lines", "steps")

# Names that only the page's scripts read: never reported as mistakes.
_OF_SCRIPTS = (
    "layer", "head", "token", "word", "rival", "place", "present", "tour", "choose", "once", "see", "press", "run",
    "workspace", "bench",  # the same in links of earlier versions
    "start", "follow", "draws",
)  # fmt: skip

# Names that links of earlier versions set -> what they belonged to, and what is left of it.
_GONE = dict.fromkeys(("word_from", "word_to"), "Swapping a concept is gone; Steer pushes a text in a direction.")

# Query name -> (lowest, highest, whole number): the sliders' own ranges.
RANGES: dict[str, tuple[float, float, bool]] = {
    **{name: (control.low, control.high, control.is_whole) for name, control in CONTROLS.items()},
    "max_new_tokens": (1, 100_000, True),
    "tokens_per_second": (0, 60, True),
    "seed": (0, 2**31 - 1, True),
    "n_examples": (0, MOST_EXAMPLES, True),
    "strength": (-MOST_STRENGTH, MOST_STRENGTH, False),
}

CHOICES: dict[str, tuple[str, ...]] = {
    "tab": TAB_NAMES,
    "embed": TAB_NAMES,  # a tab without the page around it, for a frame of another page
    "sink": MODES,
    "keep": ENDS,
    "task": tuple(TASKS),
    "preset": tuple(PRESETS),
    "exercise": tuple(one.name for one in EXERCISES),
}

# Texts that a link holds, by the number of characters.
_TEXTS = {"model": 300, "asked": 300, "template": 200, "expected": 300}
# A view is opened by the page's script, once the tab is there.
_TEXTS |= {"view": 40}
_TEXTS |= dict.fromkeys(("prompt", "text", "instruction", "body", "labels"), MAX_PROMPT)
_TEXTS |= dict.fromkeys(("pair_a", "pair_b", "towards", "away"), MAX_PROMPT)
_TEXTS |= {f"field_{place}": MAX_PROMPT for place in range(MOST_FIELDS)}


def expanded(query: Mapping[str, str]) -> dict[str, str]:
    """The query, with the settings of the exercise that it names where it does not set them itself."""
    exercise = query.get("exercise", "")
    named = next((one.link for one in EXERCISES if one.name == GONE.get(exercise, exercise)), "")
    return {**dict(parse_qsl(named)), **query}


def read(query: Mapping[str, str], max_new_tokens: int) -> dict[str, Any]:
    """Parses a query string: drops unknown and non-numeric settings, and clamps the others to their range."""
    settings: dict[str, Any] = {}
    for name, (low, high, is_whole) in RANGES.items():
        if _is_number(query.get(name, "")):
            value = min(high, max(low, float(query[name])))
            settings[name] = round(value) if is_whole else value
    if "max_new_tokens" in settings:
        settings["max_new_tokens"] = min(max_new_tokens, settings["max_new_tokens"])
    for name, most in _TEXTS.items():
        if query.get(name):
            settings[name] = query[name][:most]
    for name, choices in CHOICES.items():
        if query.get(name) in choices:
            settings[name] = query[name]
    settings |= linked.read(query)[0]
    if "embed" in settings:
        settings["tab"] = settings.pop("embed")
    return settings


def mistakes(query: Mapping[str, str]) -> list[str]:
    """A sentence for each invalid setting of a link and each misspelt name; unrelated names are ignored."""
    sentences = []
    tab, view = query.get("embed", query.get("tab", "")), query.get("view", "")
    views = titles(tab)
    drawn = tab == "attention" and view in _DRAWN  # as links of earlier versions said how a head is drawn
    ways = {old.casefold(): way for old, way in earlier().items()}
    moved = dict(parse_qsl(ways.get(view.casefold(), ""))).get("view")
    if moved in views:
        sentences.append(f"The view {view[:60]!r} is part of {moved!r} now.")
    elif view and tab in TAB_NAMES and not drawn and view.casefold() not in (title.casefold() for title in views):
        offered = f"choose {', '.join(map(repr, views))}" if views else "it has only one"
        sentences.append(f"The link's view is {view[:60]!r}, which {tab} does not have; {offered}.")
    sentences += dict.fromkeys(_GONE[name] for name in query if name in _GONE)
    sentences += linked.read(query)[1]
    known = [*RANGES, *CHOICES, *_TEXTS, *_OF_SCRIPTS, *linked.NAMES, *_GONE]
    for name, value in list(query.items())[:_MOST_CHECKED]:
        shown = repr(value[:60])
        if name == "exercise" and value in GONE:
            sentences.append(f"The exercise {shown} is gone; the nearest one is {GONE[value]!r}.")
        elif name in CHOICES and value not in CHOICES[name]:
            sentences.append(f"The link's {name} is {shown}; choose {', '.join(map(repr, CHOICES[name]))}.")
        elif name in RANGES and not _is_number(value):
            sentences.append(f"The link's {name} is {shown}, which is not a number.")
        elif name not in known and len(name) <= _LONGEST_NAME and (nearly := get_close_matches(name, known, 1, 0.8)):
            sentences.append(f"The link sets {name[:60]!r}, which this page does not know; did you mean {nearly[0]!r}?")
    return sentences


def unknown(query: Mapping[str, str]) -> list[str]:
    """The names of a query that this page does not know."""
    known = {*RANGES, *CHOICES, *_TEXTS, *_OF_SCRIPTS, *linked.NAMES, "view", "__theme"}
    return [name for name in query if name not in known]


def _is_number(value: str) -> bool:
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False
