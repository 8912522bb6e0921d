"""Kinds of exercises: what one answers, how the answer is checked, and where the right one comes from.

Nothing is looked up: every answer is measured in the model when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from ui.payloads.exercises import Kind
from ui.runs.run_state import RunState

_NONE_SUCH = "No such head: the model has {layers} layers and {heads} heads in each, both counted from 0."


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and a sentence on what was measured."""

    right: bool
    said: str


@dataclass(frozen=True)
class Task:
    """How an exercise is answered.

    Attributes:
        kind: of answer.
        check: of a model, the answer and the visitor's newest run, a verdict; raises GPTCoreError for an answer that
            cannot be checked.
        solve: of a model, the right answer with its figures.
        options: to choose from, for "choice".
    """

    kind: Kind
    check: Callable[[LanguageModel, str, RunState | None], Verdict]
    solve: Callable[[LanguageModel], str]
    options: tuple[str, ...] = ()


def number(measure: Callable[[LanguageModel], float], said: str, *, within: float = 0.0) -> Task:
    """A number to find.

    Args:
        measure: the right one.
        said: a sentence with {value}.
        within: how far an answer may be off.
    """

    def check(lm: LanguageModel, answer: str, run: RunState | None) -> Verdict:
        given, value = parse_number(answer), measure(lm)
        if abs(given - value) <= within + 1e-9:
            return Verdict(True, said.format(value=value))
        return Verdict(False, f"The right number is {'lower' if given > value else 'higher'} than {answer.strip()}.")

    return Task("number", check, lambda lm: said.format(value=measure(lm)))


def word(measure: Callable[[LanguageModel], str], said: str) -> Task:
    """A word of the text or of the vocabulary to find; `said` is a sentence with {value}."""

    def check(lm: LanguageModel, answer: str, run: RunState | None) -> Verdict:
        value = measure(lm)
        right = answer.strip().casefold() == value.strip().casefold()
        return Verdict(right, said.format(value=value.strip()) if right else f"It is not “{answer.strip()}”.")

    return Task("word", check, lambda lm: said.format(value=measure(lm).strip()))


def choice(options: Mapping[str, str], measure: Callable[[LanguageModel], tuple[str, str]]) -> Task:
    """One of several answers.

    Args:
        options: their names and what stands on the page.
        measure: the name of the right one, and a sentence on what was measured.
    """

    def check(lm: LanguageModel, answer: str, run: RunState | None) -> Verdict:
        right, said = measure(lm)
        wrong = "That is not what was measured. Look again."
        return Verdict(options[right] == answer.strip(), said if options[right] == answer.strip() else wrong)

    def solve(lm: LanguageModel) -> str:
        right, said = measure(lm)
        return f"{options[right]}. {said}"

    return Task("choice", check, solve, tuple(options.values()))


def head(judge: Callable[[LanguageModel], Mapping[tuple[int, int], str]], wrong: str) -> Task:
    """A head to find.

    Args:
        judge: the heads that are right, and a sentence on each.
        wrong: what is said of any other.
    """

    def check(lm: LanguageModel, answer: str, run: RunState | None) -> Verdict:
        place, found = _place(answer, lm), judge(lm)
        return Verdict(place in found, found.get(place, wrong))

    def solve(lm: LanguageModel) -> str:
        found = judge(lm)
        listed = ", ".join(f"{layer}.{number}" for layer, number in found)
        return f"Layer.head {listed}. {next(iter(found.values()), '')}".strip()

    return Task("head", check, solve)


def text(judge: Callable[[LanguageModel, str], Verdict], examples: Sequence[str]) -> Task:
    """A text to write.

    Args:
        judge: of a model and the text.
        examples: right ones, of which the first that holds for the model is shown as the answer.
    """

    def check(lm: LanguageModel, answer: str, run: RunState | None) -> Verdict:
        if not answer.strip():
            raise GPTCoreError("The answer is empty. Write a text, then check it.")
        return judge(lm, answer)

    def solve(lm: LanguageModel) -> str:
        tried = [(example, judge(lm, example)) for example in examples]
        example, verdict = next((one for one in tried if one[1].right), tried[0])
        return f"For instance “{example}”. {verdict.said}"

    return Task("text", check, solve)


def run(judge: Callable[[RunState, str], Verdict], answer: str, *, kind: Kind = "run") -> Task:
    """Something to reach with a training run of one's own.

    Args:
        judge: of the visitor's newest run and the answer, "" where none is given.
        answer: what to do.
        kind: "run", or "number" where a number is asked for as well.
    """

    def check(lm: LanguageModel, given: str, newest: RunState | None) -> Verdict:
        if newest is None or not newest.step:
            return Verdict(False, "There is no run of yours yet. Press Start on Train, then check again.")
        return judge(newest, given)

    return Task(kind, check, lambda lm: answer)


def parse_number(answer: str) -> float:
    """The number that somebody wrote: 1,234.5 or 1 234 or 12%. Raises GPTCoreError for anything else."""
    plain = answer.strip().rstrip("%").replace(",", "").replace(" ", "").replace("\u00a0", "")
    try:
        value = float(plain)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise GPTCoreError(f"The answer {answer.strip()[:40]!r} is not a number. Write one like 12 or 3.5.")
    return value


def _place(answer: str, lm: LanguageModel) -> tuple[int, int]:
    layers, heads = lm.model.config.n_layer, lm.model.config.n_head
    parts: list[Any] = answer.strip().split(".")
    if len(parts) != 2 or not all(part.strip().isascii() and part.strip().isdigit() for part in parts):
        raise GPTCoreError("Choose a head in the grid, or write its layer and number, such as 3.1.")
    layer, number = (int(part) for part in parts)
    if layer >= layers or number >= heads:
        raise GPTCoreError(_NONE_SUCH.format(layers=layers, heads=heads))
    return layer, number
