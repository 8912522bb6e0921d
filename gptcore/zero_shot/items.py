"""Tests of each task: items and solved examples, frozen beside the `world` model that they test.

`weights/recipes/` made them (`python -m weights.recipes.freeze`): items from the
held-out splits, and examples from the training split.
"""

import gzip
import json
import random
from functools import cache
from typing import Any, Literal

from gptcore.errors import PromptError
from gptcore.language_model import BUNDLED
from gptcore.zero_shot.evaluation import Trial
from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item

Split = Literal["train", "combination", "word", "strict"]

ITEMS_FILE = BUNDLED / "world" / "items.json.gz"
NO_STEPS = "That is easy."  # for memorised sums, which are shown without steps
# The held-out splits of each task that can be tested.
_SIDES: dict[str, tuple[Split, ...]] = {task: ("combination", "word") for task in TASKS if task != "story"}
_SIDES |= {"fact": ("combination",), "arithmetic": ("combination", "strict")}
TASKS_WITH_ITEMS = tuple(_SIDES)


def splits_of(task: str) -> tuple[Split, ...]:
    """The held-out splits that this task can be tested on."""
    return _SIDES[task]


def items(task: str, n: int, *, split: Split = "combination", seed: int = 0) -> list[Item]:
    """`n` different items of a task, determined by the seed.

    Args:
        task: one of TASKS_WITH_ITEMS.
        n: number of items; fewer if there are not enough (400 at most).
        split: a held-out split; "train" for the training split.
        seed: of the choice; 0 takes the first ones.

    Raises:
        PromptError: the file of items is missing or damaged.
    """
    drawn = _frozen()[task][split]
    chosen = random.Random(repr((task, split, seed))).sample(drawn, len(drawn)) if seed else drawn
    return [_item(task, one) for one in chosen[:n]]


def examples(task: str, n: int) -> list[Item]:
    """Solved examples from the training split; for a closed question, all answers in turn."""
    if n <= 0:
        return []
    made = items(task, 8 * n, split="train")
    choices = TASKS[task].choices
    if not choices:
        return made[:n]
    by_answer = [[item for item in made if item.answer == choice] for choice in choices]
    return [by_answer[place % len(choices)][place // len(choices)] for place in range(n)]


def make_trial(
    task: str,
    *,
    template: str = "",
    split: Split = "combination",
    n_examples: int = 0,
    n_items: int = 100,
    seed: int = 0,
) -> Trial:
    """A test of a task on its frozen items.

    Args:
        task: one that has items.
        template: its name; "" for the task's first.
        split: "combination" or "word", as `splits_of` offers; "train" for training items.
        n_examples: solved examples, always from the training split.
        n_items: how many items at most.
        seed: of the items.

    Raises:
        PromptError: no such task, template or split, or a number out of range.
    """
    if task not in TASKS_WITH_ITEMS:
        raise PromptError(f"There is no test for the task {task!r}. Choose {', '.join(TASKS_WITH_ITEMS)}.")
    chosen = TASKS[task].template(template)
    if split != "train" and split not in splits_of(task):
        raise PromptError(f"The task {task} has no split {split!r}. It has {', '.join(splits_of(task))}.")
    if not 0 <= n_examples <= 32 or not 1 <= n_items <= 400:
        raise PromptError(f"{n_examples} examples and {n_items} items: 0 to 32 and 1 to 400 are possible.")
    return Trial(task, chosen, items(task, n_items, split=split, seed=seed), examples(task, n_examples), split)


@cache
def _frozen() -> dict[str, dict[str, list[dict[str, Any]]]]:
    try:
        return json.loads(gzip.decompress(ITEMS_FILE.read_bytes()))
    except (OSError, EOFError, ValueError) as error:
        raise PromptError(
            f"The test items in {ITEMS_FILE} cannot be read ({error}). `python -m weights.recipes.freeze` writes them."
        ) from None


def _item(task: str, one: dict[str, Any]) -> Item:
    return Item(one["fields"], one["answer"], TASKS[task].choices, one.get("steps", ""))
