"""Task tests: frozen held-out items, after solved examples that training may have shown."""

from gptcore.errors import PromptError
from gptcore.zero_shot.evaluation import Trial, find_template
from gptcore.zero_shot.items import TASKS_WITH_ITEMS, Split, examples, items, splits_of
from gptcore.zero_shot.tasks import TASKS


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
    chosen = find_template(TASKS[task], template)
    if split != "train" and split not in splits_of(task):
        raise PromptError(f"The task {task} has no split {split!r}. It has {', '.join(splits_of(task))}.")
    if not 0 <= n_examples <= 32 or not 1 <= n_items <= 400:
        raise PromptError(f"{n_examples} examples and {n_items} items: 0 to 32 and 1 to 400 are possible.")
    return Trial(task, chosen, items(task, n_items, split=split, seed=seed), examples(task, n_examples), split)
