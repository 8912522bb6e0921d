"""Test sets from files: LAMBADA's last words, sentences in two languages, reviews with labels."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gptcore.errors import PromptError
from gptcore.zero_shot.evaluation import Trial
from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item, Template


def lambada(path: Path, n: int | None = None) -> Trial:
    """The last words of passages, from lines of JSON with a "text" (Paperno et al. 2016; OpenAI's plain version)."""
    made = []
    for line in _lines(path)[:n]:
        try:
            front, _, last = json.loads(line)["text"].rstrip().rpartition(" ")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise PromptError(f'{path} has a line that is not a JSON object with a "text": {line[:60]!r}.') from None
        made.append(Item({"text": front}, last))
    return Trial("cloze", TASKS["cloze"].templates[0], made)


def parallel(english: Path, french: Path, n: int | None = None, *, n_examples: int = 0) -> Trial:
    """Sentences to translate, line by line from two files; the first lines are the examples."""
    pairs = list(zip(_lines(english), _lines(french), strict=False))[:n]
    made = [Item({"english": a}, b) for a, b in pairs]
    if len(made) <= n_examples:
        raise PromptError(f"{english} has {len(made)} lines; more than the {n_examples} examples are needed.")
    return Trial("translate", TASKS["translate"].templates[0], made[n_examples:], made[:n_examples])


def hand_written(path: Path) -> list[tuple[str, Trial]]:
    """Items that people wrote, by task, in the tasks' first templates; and whole prompts in people's own wordings.

    The file is an object of lists by task, each item with "fields" and "answer" (a summary with "people" and "event"
    instead), and under "free" lists by task of items with "prompt".
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        free = Template("as people word it", "{prompt} {answer}")
        rows = [("hand-written", task, TASKS[task].templates[0], content[task]) for task in TASKS if task in content]
        rows += [("free wording", task, free, made) for task, made in content["free"].items()]
        return [(way, Trial(task, one, [_item(task, i) for i in made], (), way)) for way, task, one, made in rows]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PromptError(f"{path} is not a file of hand-written items ({type(error).__name__}: {error}).") from None


def _item(task: str, given: dict[str, Any]) -> Item:
    people, event = tuple(given.get("people", ())), tuple(given.get("event", ()))
    fields = given["fields"] if "fields" in given else {"prompt": given["prompt"]}
    answer = given["answer"] if not people else f"{' and '.join(people)}: {event[0]}"
    return Item(fields, answer, TASKS[task].choices, people=people, event=event)


def reviews(path: Path, n: int | None = None) -> Trial:
    """Reviews, from lines of split, label (1 is positive) and text with tabs between: those of test, else of valid."""
    lines = _lines(path)
    split = "test" if any(line.startswith("test\t") for line in lines) else "valid"
    made = []
    for line in lines:
        which, _, rest = line.partition("\t")
        label, _, text = rest.partition("\t")
        if which == split and label in ("0", "1"):
            made.append(Item({"text": text}, "positive" if label == "1" else "negative", TASKS["sentiment"].choices))
    if not made:
        raise PromptError(f"{path} has no line that begins with {split!r}, a label 0 or 1, and a text.")
    return Trial("sentiment", TASKS["sentiment"].templates[0], made[:n])


def _lines(path: Path) -> Sequence[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"The file {path} cannot be read ({error}).") from None
