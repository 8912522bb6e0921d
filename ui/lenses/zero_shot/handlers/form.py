"""Validation of the Zero-shot form: a task, its input, its examples and its template."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gptcore.inference.sampling_settings import CONTROLS, SamplingSettings
from gptcore.language_model import LanguageModel
from gptcore.zero_shot.items import NO_STEPS, TASKS_WITH_ITEMS, items
from gptcore.zero_shot.items import examples as examples_of
from gptcore.zero_shot.tasks import TASKS, Task
from gptcore.zero_shot.templates import Fitted, Item, Prompt, Template, fit, fit_text
from ui.shared import inputs
from ui.shared.fields import Text, Whole, declared, fields_of, parsed
from ui.shared.inputs import InputError
from ui.state.limits import Limits

MOST_FIELDS = 3
MOST_EXAMPLES = 8
MOST_LABELS = 12
MOST_SEED = 2**31 - 1
_MOST_DRAWS = 10**6  # 0 takes the first ones, with which a task opens
# What the tab sends, in this order.
FIELDS = (
    "task",
    "template",
    "instruction",
    "body",
    "field_0",
    "field_1",
    "field_2",
    "expected",
    "n_examples",
    "examples",
    "labels",
    "max_new_tokens",
    *CONTROLS,
    "stops",
    "seed",
    "prompt",
)
STOPS = {"a new line": "\n", "an empty line": "\n\n", "a full stop": ".", "Q:": "Q:"}
OWN_WORDING = "your own template"
# Inputs of the one task without items of its own.
BEGINNINGS = (
    "One day Lucy found a small key in the garden. She",
    "There was a little dog who wanted to fly. Every morning he",
    "Ben was not happy. His red ball was gone. He looked",
    "It rained all night. In the morning the pond was",
    "The old bear lived alone in the forest. One day he heard",
    "Mia and Tom built a big house of snow. Then",
)


@dataclass(frozen=True)
class Asked:
    """Settings of every task, declared once. The length has a limit of its own in each profile."""

    expected: str = declared(
        Text(title="Expected answer, if known", noun="The expected answer", most=2_000), ""
    )
    n_examples: int = declared(
        Whole(
            title="Worked examples first (shots)", noun="The number of examples", id="n-examples",
            low=0, high=MOST_EXAMPLES, step=1,
        ),
        0,
    )  # fmt: skip
    labels: str = declared(
        Text(
            title="Labels to compare by likelihood, one a line",
            noun="The list of labels",
            most=2_000,
            lines=2,
        ),
        "",
    )
    max_new_tokens: int = declared(
        Whole(title="Maximum tokens", noun="The length", id="length", low=1, high=10_000), 16
    )


@dataclass(frozen=True)
class TaskForm:
    """The page's fields for a task, checked."""

    # name, task: of the task
    name: str
    task: Task
    template: Template  # chosen, or written by the visitor
    item: Item  # the input, with the expected answer if one is given
    examples: Sequence[Item]  # worked examples before the input
    labels: Sequence[str]  # answers to compare; perhaps none
    settings: SamplingSettings  # sampling controls
    # max_new_tokens, stop, seed: of the answer
    max_new_tokens: int
    stop: tuple[str, ...]
    seed: int | None
    edited: str  # the prompt as edited by the visitor, or "" if it is as assembled

    @property
    def prompt(self) -> Prompt:
        """The prompt as it is assembled."""
        return self.template.prompt(self.item, self.examples)

    @property
    def compared(self) -> Sequence[str]:
        """The labels whose likelihood means something here."""
        return () if self.template.chain_of_thought else self.labels

    def fitted(self, lm: LanguageModel) -> Fitted:
        """The prompt that the model reads, with room in the window for its answer and for every
        label.
        """
        if self.edited:
            return fit_text(lm, self.edited, self.room(lm))
        return fit(lm, self.prompt, self.room(lm))

    def room(self, lm: LanguageModel) -> int:
        """Tokens that stay free behind the prompt."""
        return max(
            [
                self.max_new_tokens,
                *(len(lm.tokenizer.encode(f" {label}")) for label in self.compared),
            ]
        )


def example_item(name: str) -> Item:
    """The input with which a task opens."""
    return _drawn(name, 1, 1)[0]


def another_item(name: str, shown: Sequence[str]) -> Item:
    """A held-out input of a task, drawn by chance.

    Args:
        shown: the values of the page's fields, from which the input differs.
    """
    seen = list(shown[: len(known_task(name).fields)])
    drawn = _drawn(name, 2, _chance())
    return next(item for item in drawn if _values(name, item) != seen)


def other_rows(name: str) -> list[list[str]]:
    """Worked examples drawn by chance, as rows of the page's table; none for a task without."""
    known_task(name)
    if name not in TASKS_WITH_ITEMS:
        return []
    return rows_of(name, items(name, MOST_EXAMPLES, split="train", seed=_chance()))


def _chance() -> int:
    return random.randrange(1, _MOST_DRAWS)


def _drawn(name: str, n: int, seed: int) -> list[Item]:
    """`n` different inputs of a task; the seed chooses them."""
    if name in TASKS_WITH_ITEMS:
        return items(name, n, seed=seed)
    first = seed - 1
    return [Item({"text": BEGINNINGS[(first + i) % len(BEGINNINGS)]}) for i in range(n)]


def _values(name: str, item: Item) -> list[str]:
    return [item.fields[field] for field in known_task(name).fields]


def field_values(name: str, item: Item) -> dict[str, str]:
    """An input as the page's fields have it; "" in those that its task does not use."""
    values = _values(name, item)
    padded = [*values, *[""] * (MOST_FIELDS - len(values))]
    return {
        **{f"field_{index}": value for index, value in enumerate(padded)},
        "expected": item.answer,
    }


def defaults(name: str) -> dict[str, Any]:
    """The tab's values for a task: its first template, an input, examples, and the papers'
    settings.
    """
    task = known_task(name)
    template = task.templates[0]
    solved = examples_of(name, MOST_EXAMPLES) if name in TASKS_WITH_ITEMS else []
    # those with a chain of thought first
    solved = sorted(solved, key=lambda item: item.steps == NO_STEPS)
    return {
        "task": name,
        **_wording(task, template),
        **field_values(name, example_item(name)),
        "n_examples": 0,
        "examples": rows_of(name, solved),
        "labels": "\n".join(template.label(choice) for choice in task.choices),
        **SamplingSettings(temperature=task.temperature, top_k=task.top_k).on_controls(),
        "seed": 1,
        "prompt": "",
    }


def columns_of(name: str) -> list[str]:
    """Columns of the page's table of examples: fields, answer, and steps if it has a chain of
    thought.
    """
    return [*TASKS[name].fields, "answer", *(["steps"] if TASKS[name].chain is not None else [])]


def rows_of(name: str, made: Sequence[Item]) -> list[list[str]]:
    """Examples as the rows of the page's table, by `columns_of`."""
    return [
        [
            {**item.fields, "answer": item.answer, "steps": item.steps}[column]
            for column in columns_of(name)
        ]
        for item in made
    ]


def known_task(name: object) -> Task:
    """The task of a name. Raises InputError for an unknown name."""
    if isinstance(name, str) and name in TASKS:
        return TASKS[name]
    raise InputError(f"There is no task {str(name)[:60]!r}; choose one of {', '.join(TASKS)}.")


def task_form(values: Mapping[str, object], limits: Limits) -> TaskForm:
    """Checks everything that the tab sends.

    Raises:
        InputError or PromptError: with the value, the limit and the way out.
    """
    task = known_task(values["task"])
    template = _template(task, values)
    most = limits.max_prompt_chars
    fields = {
        field: inputs.text(
            values[f"field_{index}"], title[:1].upper() + title[1:], most=most, needs_words=True
        ).strip()
        for index, (field, title) in enumerate(task.fields.items())
    }
    length = replace(fields_of(Asked)["max_new_tokens"], high=limits.max_new_tokens).check(
        values["max_new_tokens"]
    )
    asked = parsed(Asked, values)
    labels = [line.strip() for line in asked.labels.split("\n") if line.strip()]
    if len(labels) > MOST_LABELS:
        raise InputError(f"There are {len(labels)} labels; {MOST_LABELS} are allowed.")
    edited = inputs.text(values["prompt"], "The prompt", most=most)
    name = str(values["task"])
    item = Item(fields, asked.expected.strip())
    examples = _examples(name, template, values["examples"], asked, most)
    settings = inputs.sampling(values)
    stops = _stops(values["stops"])
    seed = inputs.seed(values["seed"])
    form = TaskForm(name, task, template, item, examples, labels, settings, length, stops, seed, "")
    return replace(form, edited=edited) if edited.strip() and edited != form.prompt.text else form


def _template(task: Task, values: Mapping[str, object]) -> Template:
    """The chosen template, with what the visitor changed in it."""
    name = inputs.text(values["template"], "The template", most=200)
    chosen = task.template(name)
    instruction = inputs.text(values["instruction"], "The instruction", most=4_000)
    body = inputs.text(values["body"], "The template", most=4_000, needs_words=True)
    if (instruction, body) == (chosen.instruction, chosen.body):
        return chosen
    made = Template(OWN_WORDING, body, instruction, chosen.labels, chosen.between, chosen.end)
    return made.check(tuple(task.fields))


def _examples(name: str, template: Template, rows: object, asked: Asked, most: int) -> list[Item]:
    """The first rows of the table that are not empty, as many as are asked for."""
    n = asked.n_examples
    fields = TASKS[name].fields
    columns = columns_of(name)
    examples = list[Item]()
    for row in rows if isinstance(rows, list) else []:
        given = row if isinstance(row, list) else []
        cells = [str(cell or "").strip() for cell in given]
        if len(cells) < len(fields) + 1 or not any(cells):
            continue
        place = f"Example {len(examples) + 1}"
        if not all(cells[: len(fields) + 1]) and fields:
            raise InputError(f"{place} has an empty cell. Fill it, or delete the row.")
        if sum(map(len, cells)) > most:
            raise InputError(f"{place} is longer than the {most:,} characters allowed.")
        named = dict(zip(columns, cells, strict=False))
        steps = named.get("steps", "")
        if template.chain_of_thought and not steps and len(examples) < n:
            raise InputError(
                f"{place} has no steps, and this template shows steps before the answer. "
                + (
                    "Fill them in, or ask for no examples."
                    if "steps" in columns
                    else "Ask for no examples."
                )
            )
        examples.append(
            Item({field: named[field] for field in fields}, named["answer"], steps=steps)
        )
    if n > len(examples):
        raise InputError(
            f"Examples asked for: {n}; in the table: {len(examples)}. Add rows, or ask for fewer."
        )
    return examples[:n]


def _stops(chosen: object) -> tuple[str, ...]:
    given = chosen if isinstance(chosen, list) else [chosen]
    names = [str(name) for name in given]
    unknown = [name for name in names if name not in STOPS]
    if unknown:
        raise InputError(
            f"There is no stop rule {unknown[0][:40]!r}; choose among {', '.join(STOPS)}."
        )
    return tuple(STOPS[name] for name in names)


def with_template(values: Mapping[str, object], name: object) -> dict[str, Any]:
    """The values for another template of a task: its text, answer names and length."""
    task = known_task(values["task"])
    chosen = task.template(inputs.text(name, "The template", most=200))
    labels = [chosen.label(choice) for choice in task.choices]
    if chosen.chain_of_thought:
        labels = []
    return {**_wording(task, chosen), "labels": "\n".join(labels)}


def in_language(values: Mapping[str, object], name: object, language: object) -> dict[str, Any]:
    """A template of the translation task for another language than French, as the tab's values; one
    that names its language, where this one does not.

    Raises InputError for a language that is no word of letters, and for another task.
    """
    if values["task"] != "translate":
        raise InputError("Only the translation task has a language to choose.")
    wanted = inputs.text(language, "The language", most=40, needs_words=True).strip()
    if not all(part.isalpha() for part in wanted.split()):
        raise InputError(
            f"The language is {wanted[:40]!r}; write its English name, such as German."
        )
    changed = with_template(values, name)
    if "French" not in changed["instruction"] + changed["body"]:
        # one that names the language
        changed = with_template(values, "Translate English to French")
    for field in ("instruction", "body"):
        changed[field] = changed[field].replace("French", wanted)
    return changed


def _wording(task: Task, template: Template) -> dict[str, Any]:
    """A template, how long an answer in its form may be, and what ends it, as the tab's values."""
    worded = {"template": template.name, "instruction": template.instruction, "body": template.body}
    stops = [label for label, text in STOPS.items() if text in task.stops(template)]
    return {**worded, "max_new_tokens": task.length(template), "stops": stops}
