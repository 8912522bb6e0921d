"""Tests of each task: items and solved examples, frozen beside the `world` model that they test, or
from files.

`weights/recipes/` made the frozen ones (`python -m weights.recipes.freeze`): items from the
held-out splits, and examples from the training split.
"""

import gzip
import json
import random
from functools import cache
from pathlib import Path
from typing import Any, Literal

from gptcore.errors import PromptError
from gptcore.language_model import BUNDLED
from gptcore.zero_shot.evaluation import Trial
from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item, Template

Split = Literal["train", "combination", "word", "strict"]

ITEMS_FILE = BUNDLED / "world" / "items.json.gz"
NO_STEPS = "That is easy."  # for memorised sums, which are shown without steps
# The held-out splits of each task that can be tested.
_SIDES: dict[str, tuple[Split, ...]] = {
    task: ("combination", "word") for task in TASKS if task != "story"
}
_SIDES |= {"fact": ("combination",), "arithmetic": ("combination", "strict")}
TASKS_WITH_ITEMS = tuple(_SIDES)


def splits_of(task: str) -> tuple[Split, ...]:
    """The held-out splits that this task can be tested on. Raises PromptError for one that has
    none.
    """
    if task not in _SIDES:
        raise PromptError(f"There is no test for the task {task!r}. Choose {', '.join(_SIDES)}.")
    return _SIDES[task]


def items(task: str, n: int, *, split: Split = "combination", seed: int = 0) -> list[Item]:
    """Up to `n` different items of one of TASKS_WITH_ITEMS, 400 at most, from a held-out split or
    "train"; the seed chooses them, and 0 takes the first ones. Raises PromptError for no such task
    or split, and if the file of items is missing or damaged.
    """
    held_out = splits_of(task)
    if split != "train" and split not in held_out:
        raise PromptError(f"The task {task} has no split {split!r}. It has {', '.join(held_out)}.")
    drawn = _frozen()[task][split]
    chosen = random.Random(repr((task, split, seed))).sample(drawn, len(drawn)) if seed else drawn
    return [_item(task, item) for item in chosen[:n]]


def examples(task: str, n: int) -> list[Item]:
    """Solved examples from the training split; for a closed question, all answers in turn."""
    if n <= 0:
        return []
    made = items(task, 8 * n, split="train")
    choices = TASKS[task].choices
    if not choices:
        return made[:n]
    by_answer = [[item for item in made if item.answer == choice] for choice in choices]
    return [by_answer[index % len(choices)][index // len(choices)] for index in range(n)]


def make_trial(
    task: str,
    *,
    template: str = "",
    split: Split = "combination",
    n_examples: int = 0,
    n_items: int = 100,
    seed: int = 0,
) -> Trial:
    """A test of a task on at most `n_items` of its frozen items, with solved examples from the
    training split.

    The template goes by its name, "" for the task's first; the split is one of `splits_of`, or
    "train". Raises PromptError for no such task, template or split, or a number out of range.
    """
    splits_of(task)  # refuses a task that has none
    chosen = TASKS[task].template(template)
    if not 0 <= n_examples <= 32 or not 1 <= n_items <= 400:
        raise PromptError(
            f"{n_examples} examples and {n_items} items: 0 to 32 and 1 to 400 are possible."
        )
    return Trial(
        task,
        chosen,
        items(task, n_items, split=split, seed=seed),
        examples(task, n_examples),
        split,
    )


def lambada(path: Path, n: int | None = None) -> Trial:
    """The last words of passages, from lines of JSON with a "text" (Paperno et al. 2016; OpenAI's
    plain version).
    """
    made = []
    for line in _lines(path)[:n]:
        try:
            front, _, last = json.loads(line)["text"].rstrip().rpartition(" ")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise PromptError(
                f'{path} has a line that is not a JSON object with a "text": {line[:60]!r}.'
            ) from None
        made.append(Item({"text": front}, last))
    return Trial("cloze", TASKS["cloze"].templates[0], made)


def parallel(english: Path, french: Path, n: int | None = None, *, n_examples: int = 0) -> Trial:
    """Sentences to translate, line by line from two files; the first lines are the examples."""
    pairs = list(zip(_lines(english), _lines(french), strict=False))[:n]
    made = [Item({"english": a}, b) for a, b in pairs]
    if len(made) <= n_examples:
        raise PromptError(
            f"{english} has {len(made)} lines; more than the {n_examples} examples are needed."
        )
    return Trial("translate", TASKS["translate"].templates[0], made[n_examples:], made[:n_examples])


def hand_written(path: Path) -> list[tuple[str, Trial]]:
    """Items that people wrote, by task, in the tasks' first templates; and whole prompts in
    people's own wordings.

    The file is an object of lists by task, each item with "fields" and "answer" (a summary with
    "people" and "event" instead), and under "free" lists by task of items with "prompt".
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        free = Template("as people word it", "{prompt} {answer}")
        rows = [
            ("hand-written", task, TASKS[task].templates[0], content[task])
            for task in TASKS
            if task in content
        ]
        rows += [("free wording", task, free, made) for task, made in content["free"].items()]
        return [
            (way, Trial(task, one, [_item(task, i) for i in made], (), way))
            for way, task, one, made in rows
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PromptError(
            f"{path} is not a file of hand-written items ({type(error).__name__}: {error})."
        ) from None


def reviews(path: Path, n: int | None = None) -> Trial:
    """Reviews, from lines of split, label (1 is positive) and text with tabs between: those of
    test, else of valid.
    """
    lines = _lines(path)
    has_test = any(line.startswith("test\t") for line in lines)
    split = "test" if has_test else "valid"
    made = []
    for line in lines:
        which, _, rest = line.partition("\t")
        label, _, text = rest.partition("\t")
        if which == split and label in ("0", "1"):
            made.append(
                Item(
                    {"text": text},
                    "positive" if label == "1" else "negative",
                    TASKS["sentiment"].choices,
                )
            )
    if not made:
        raise PromptError(
            f"{path} has no line that begins with {split!r}, a label 0 or 1, and a text."
        )
    return Trial("sentiment", TASKS["sentiment"].templates[0], made[:n])


@cache
def _frozen() -> dict[str, dict[str, list[dict[str, Any]]]]:
    try:
        return json.loads(gzip.decompress(ITEMS_FILE.read_bytes()))
    except (OSError, EOFError, ValueError) as error:
        raise PromptError(
            f"The test items in {ITEMS_FILE} cannot be read ({error}). `python -m "
            "weights.recipes.freeze` writes them."
        ) from None


def _item(task: str, given: dict[str, Any]) -> Item:
    people = tuple(given.get("people", ()))
    event = tuple(given.get("event", ()))
    fields = given["fields"] if "fields" in given else {"prompt": given["prompt"]}
    answer = given["answer"] if not people else f"{' and '.join(people)}: {event[0]}"
    return Item(fields, answer, TASKS[task].choices, given.get("steps", ""), people, event)


def _lines(path: Path) -> list[str]:
    """The lines that are not blank. A line ends at a line feed: JSON may hold other separators."""
    try:
        return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"The file {path} cannot be read ({error}).") from None
