"""Test items and solved examples of each task, frozen beside the `world` model that they test.

`weights/recipes/` made them (`python -m weights.recipes.freeze`): items on sides of the splits that training never
showed, and examples from the side that it did.
"""

from __future__ import annotations

import gzip
import json
import random
from functools import cache
from typing import Any, Literal

from gptcore.errors import PromptError
from gptcore.language_model import BUNDLED
from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item

Split = Literal["train", "combination", "word", "strict"]

ITEMS_FILE = BUNDLED / "world" / "items.json.gz"
NO_STEPS = "That is easy."  # of sums that are known by heart, and shown without a way to the answer
# The sides of the splits that training never shows, of each task that can be tested.
_SIDES: dict[str, tuple[Split, ...]] = {
    "summarise": ("combination", "word"),
    "translate": ("combination", "word"),
    "question": ("combination", "word"),
    "fact": ("combination",),
    "sentiment": ("combination", "word"),
    "cloze": ("combination", "word"),
    "arithmetic": ("combination", "strict"),
    "analogy": ("combination", "word"),
}
TASKS_WITH_ITEMS = tuple(_SIDES)


def splits_of(task: str) -> tuple[Split, ...]:
    """The sides that training never shows and that this task can be tested on."""
    return _SIDES[task]


def items(task: str, n: int, *, split: Split = "combination", seed: int = 0) -> list[Item]:
    """So many different items of a task, the same for the same seed.

    Args:
        task: one of TASKS_WITH_ITEMS.
        n: how many; fewer where there are not so many (400 at most).
        split: a side that training never shows; "train" for the one that it does.
        seed: of the choice; 0 takes the first ones.

    Raises:
        PromptError: the file of items is missing or damaged.
    """
    found = _frozen()[task][split]
    chosen = random.Random(repr((task, split, seed))).sample(found, len(found)) if seed else found
    return [_item(task, one) for one in chosen[:n]]


def examples(task: str, n: int) -> list[Item]:
    """Solved examples from the side that training shows; of a closed question, all answers in turn."""
    if n <= 0:
        return []
    made = items(task, 8 * n, split="train")
    choices = TASKS[task].choices
    if not choices:
        return made[:n]
    by_answer = [[item for item in made if item.answer == choice] for choice in choices]
    return [by_answer[place % len(choices)][place // len(choices)] for place in range(n)]


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
