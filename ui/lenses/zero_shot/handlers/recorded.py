"""Recorded scores of the bundled models: on hand-written items, and on generated items like their training data."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from gptcore.errors import CheckpointError
from gptcore.formatting import percent
from gptcore.language_model import bundled_models
from gptcore.zero_shot.metrics import reached
from gptcore.zero_shot.tasks import TASKS
from ui.shared.sheets import Bar, Section, sheet

FILE = "zero_shot.json"
HAND_WRITTEN, FREE = "hand-written", "free wording"
# What is held out from training, in words.
SIDES = {"this combination": "combination", "this template": "template", "this word in this task": "word"}

Row = Mapping[str, Any]
_MUCH = 0.2  # by which what people wrote may flatter


def recorded() -> str:
    """The scores as a sheet: first hand-written items, then generated items like the training data."""
    rows = [(name, row) for name in bundled_models() for row in hand_written(name)]
    own = [(name, row) for name in bundled_models() for row in _scores(name).get("rows", ())]
    people = Section(
        _titled("What people write", rows),
        "Items written by hand before the last training, by somebody who did not know what the model reads: this is "
        "what to expect for your own inputs. First in the task’s first template, then in free phrasings.",
        ("model", "task", "prompt", "right", "95% interval", "items", "metric"),
        [_people_row(name, row) for name, row in rows],
        bars=[_bar(row, _whose(name, rows) + f"{TASKS[row['task']].title}, {_worded(row)}") for name, row in rows],
    )
    alike = Section(
        _titled("Sentences of its own kind", own),
        "Made by the same rules as its training text, in combinations, templates or words that those rules never let "
        "it see: what it has learned of its little world. The one exception is facts from memory: those it has read. "
        "This is part of the model’s card; measure it again with the button above.",
        ("model", "task", "held out from training", "template", "score", "95% interval", "items", "metric"),
        [_own_row(name, row) for name, row in own],
        bars=[_bar(row, _whose(name, own) + _own_label(row)) for name, row in own],
        folded=True,
    )
    return sheet([section for section in (people, alike) if section.rows])


def hand_written(model: str) -> Sequence[Row]:
    """A bundled model's scores on hand-written items, the tasks' first templates first."""
    return _scores(model).get("hand_written", ())


def expected_of(model: str, task: str) -> str:
    """A bundled model's accuracy on a task in a sentence or two; "" if unknown."""
    row = next((one for one in hand_written(model) if (one["task"], one["held_out"]) == (task, HAND_WRITTEN)), None)
    own = {one["held_out"]: one for one in reversed(_scores(model).get("rows", ())) if one["task"] == task}
    if row is None:
        known = own.get("combination")
        return "" if known is None else f"Nobody wrote inputs for this task. Of its own kind, {_right(model, known)}"
    sentence = f"On inputs that people wrote for this task, {_right(model, row)}"
    rare = own.get("word")
    if rare is not None and rare["score"] < row["score"] - _MUCH:
        sentence += f" With words that it has never seen in this task it gets {rare['score']:.0%} right."
    return sentence


def _right(model: str, row: Row) -> str:
    right = round(row["score"] * row["items"])
    return f"{model} gets {right} of {row['items']} right (95% range {_interval(row)})."


@cache
def _scores(model: str) -> dict[str, Sequence[Row]]:
    folder = bundled_models().get(model)
    if folder is None or not (folder / FILE).is_file():
        return {}
    try:
        scores = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return {name: scores.get(name, ()) for name in ("rows", "hand_written")}
    except (OSError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{folder / FILE} cannot be read ({error}).") from None


def _titled(title: str, rows: Sequence[tuple[str, Row]]) -> str:
    """With the model where all rows are of one: it need not stand in front of each bar."""
    return f"{title}: {rows[0][0]}" if len({name for name, _ in rows}) == 1 else title


def _whose(name: str, rows: Sequence[tuple[str, Row]]) -> str:
    return "" if len({one for one, _ in rows}) == 1 else f"{name}: "


def _bar(row: Row, what: str) -> Bar:
    return Bar(what, row["score"], row["low"], row["high"], reached(row["score"], row["items"]))


def _worded(row: Row) -> str:
    return "free wording" if row["held_out"] == FREE else row["template"]


def _interval(row: Row) -> str:
    return f"{percent(row['low'])}–{percent(row['high'])}"


def _people_row(name: str, row: Row) -> Sequence[str | int | float]:
    score = reached(row["score"], row["items"])
    return name, TASKS[row["task"]].title, _worded(row), score, _interval(row), row["items"], row["metric"]


def _own_label(row: Row) -> str:
    template, side = row["template"].partition(" (")[0], row["held_out"].partition(",")[0]
    new = {"word": ", new words", "template": ", new template", "strict": ", new in either order"}.get(side, "")
    steps = ", with an example" if row["examples"] else ""
    return f"{TASKS[row['task']].title}, {template}{steps}{new}"


def _own_row(name: str, row: Row) -> Sequence[str | int | float]:
    held_out = row["held_out"].partition(",")[0]
    unseen = next((words for words, side in SIDES.items() if side == held_out), "this sum in either order")
    if row["task"] == "fact" and held_out == SIDES["this combination"]:
        unseen = "nothing: it has read these facts"
    template = row["template"] + (f", {row['examples']} example" if row["examples"] else "")
    score, task = reached(row["score"], row["items"]), TASKS[row["task"]].title
    return name, task, unseen, template, score, _interval(row), row["items"], row["metric"]
