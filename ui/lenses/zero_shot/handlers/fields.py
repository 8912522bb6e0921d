"""The Zero-shot tab's form: every setting, declared once. What depends on the task is filled in by
its choice.
"""

from dataclasses import dataclass, replace

from gptcore.inference.sampling_settings import CONTROLS
from gptcore.zero_shot.items import TASKS_WITH_ITEMS
from gptcore.zero_shot.tasks import TASKS
from ui.lenses.zero_shot.handlers.asking import FIRST_TASK
from ui.lenses.zero_shot.handlers.form import FIELDS, MOST_EXAMPLES, MOST_SEED, STOPS, Asked
from ui.lenses.zero_shot.handlers.recorded import SIDES
from ui.lenses.zero_shot.handlers.views import EXPECTED, OWN
from ui.lenses.zero_shot.models.scoreboard import MOST_ITEMS, WAYS
from ui.shared.fields import (
    Choice,
    Field,
    Names,
    Number,
    Rows,
    Several,
    Text,
    Whole,
    declared,
    fields_of,
)
from ui.shared.uses import ABOVE

_LONGEST = 2_000  # characters of a text in a link
_OF_TASK = "task"  # the field whose choice fills in the others


def _text(title: str, most: int = _LONGEST, field_id: str = "") -> Text:
    return Text(title=title, most=most, id=field_id, base=_OF_TASK)


def _number(name: str) -> Field:
    """A sampling control, over its whole range."""
    control = CONTROLS[name]
    kind = Whole if control.is_whole else Number
    high = control.allowed[1] or 1_000_000
    return kind(
        title=control.title,
        id=name.replace("_", "-"),
        low=control.allowed[0],
        high=high,
        base=_OF_TASK,
    )


_ASKED = {name: replace(field, base=_OF_TASK) for name, field in fields_of(Asked).items()}


@dataclass(frozen=True, kw_only=True)
class TaskFields:
    """The task and what the model reads."""

    asked: str = declared(Text(title="Model", noun="The model asked", most=300), ABOVE)
    task: str = declared(
        Choice(
            title="Task", options={name: task.title for name, task in TASKS.items()}, listed=True
        ),
        FIRST_TASK,
    )
    template: str = declared(_text("Template", 200), "")
    instruction: str = declared(_text("Instruction, given once"), "")
    body: str = declared(_text("Template"), "")
    field_0: str = declared(_text("First input", field_id="field-0"), "")
    field_1: str = declared(_text("Second input", field_id="field-1"), "")
    field_2: str = declared(_text("Third input", field_id="field-2"), "")
    expected: str = declared(_ASKED["expected"], "")
    n_examples: int = declared(_ASKED["n_examples"], 0)
    examples: list[list[str]] | None = declared(
        Rows(title="Worked examples", most=10 * MOST_EXAMPLES, base=_OF_TASK), None
    )
    labels: str = declared(_ASKED["labels"], "")


@dataclass(frozen=True, kw_only=True)
class AnswerFields:
    """The settings for answering the task."""

    max_new_tokens: int = declared(_ASKED["max_new_tokens"], 16)
    temperature: float = declared(_number("temperature"), 1.0)
    top_k: int = declared(_number("top_k"), 0)
    top_p: float = declared(_number("top_p"), 1.0)
    min_p: float = declared(_number("min_p"), 0.0)
    repetition_penalty: float = declared(_number("repetition_penalty"), 1.0)
    no_repeat_ngram_size: int = declared(_number("no_repeat_ngram_size"), 0)
    min_new_tokens: int = declared(_number("min_new_tokens"), 0)
    stops: list[str] | None = declared(
        Several(
            title="Stop at",
            noun="The list of stops",
            options=dict.fromkeys(STOPS, ""),
            base=_OF_TASK,
        ),
        None,
    )
    seed: int = declared(Whole(title="Seed", low=0, high=MOST_SEED), 1)
    prompt: str = declared(
        Text(title="Prompt (editable)", noun="The prompt", most=_LONGEST, composed=True), ""
    )
    whose: str = declared(Choice(title="Whose answer", options={OWN: OWN, EXPECTED: EXPECTED}), OWN)


@dataclass(frozen=True, kw_only=True)
class BoardFields:
    """The settings of the scoreboard and of the comparison of models."""

    rungs: list[str] | None = declared(
        Names(title="Models", noun="The list of models", most=50), None
    )
    tests: list[str] | None = declared(
        Several(title="Tasks", options={name: TASKS[name].title for name in TASKS_WITH_ITEMS}), None
    )
    players: list[str] | None = declared(
        Names(title="Models", noun="The list of models", most=50), None
    )
    shots: list[str] | None = declared(
        Several(title="Examples in the prompt", options=dict.fromkeys(WAYS, "")), None
    )
    side: str = declared(
        Choice(title="Never seen in training", options=dict.fromkeys(SIDES, "")), next(iter(SIDES))
    )
    items: int = declared(
        Whole(title="Items in each row", id="items", low=5, high=MOST_ITEMS, step=5), 40
    )


# The names of `ui.lenses.zero_shot.handlers.form.FIELDS` -> those of the page's fields.
PAGE_NAMES = {name: name if name in fields_of(TaskFields) else f"zs.{name}" for name in FIELDS}
