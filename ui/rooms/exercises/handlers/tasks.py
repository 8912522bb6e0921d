"""Kinds of exercises: what one answers, how the answer is checked, and where the right one comes
from.

Nothing is looked up: every answer is measured in the model when it is asked for.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from ui.conclusions import head_tag
from ui.rooms.exercises.payloads import Kind
from ui.runs.run_state import RunState

_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_DOTTED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3}){2,}")  # dots between thousands
_ABOUT = re.compile(r"^(?:about|around|approximately|approx\.?|ca\.?|circa|~|≈|=)\s*")
_UNIT = re.compile(
    r"\s*(?:tokens?|pieces?|nats?|bits?|cells?|parameters?|params?|numbers?|blocks?|layers?|heads?|letters?|"
    r"characters?|words?|percent|%)?\s*(?:per token)?\.?$"
)
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9}
_SCALED = re.compile(rf"(.*\d)\s*({'|'.join(_SCALES)})")
_LOGARITHM = re.compile(r"(?:ln|log)\s*\(?\s*([^()]+?)\s*\)?")
_TIMES = re.compile(r"\s*[*×·x]\s*")
_MOST_FACTORS = 4  # each may have two readings
_FORMULA = re.compile(r"[A-Za-z]\w?(?:\s*[*×·x+]\s*\w+)+")
# A head as people write it: L5H4, 5.4, 5,4 or layer 5, head 4.
_HEAD = re.compile(r"(?:L|layer)?\s*(\d{1,5})\s*(?:[.,:/]|H|,?\s*head)\s*(\d{1,5})", re.IGNORECASE)
_NONE_SUCH = (
    "No such head: the model has {layers} layers and {heads} heads in each, both counted from 0."
)


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and a sentence on what was measured."""

    right: bool
    said: str
    reason: str = (
        ""  # why this answer is right, where that depends on it; else that of the exercise
    )


@dataclass(frozen=True)
class Task:
    """The kind of answer to an exercise, its check and its solution."""

    kind: Kind  # of answer
    # of a model, the answer and the visitor's newest run, a verdict; raises GPTCoreError for an
    # answer that cannot be checked
    check: Callable[[LanguageModel, str, RunState | None], Verdict]
    solve: Callable[[LanguageModel], str]  # of a model, the right answer with its figures


def number(
    measure: Callable[[LanguageModel], float], description: str, *, within: float = 0.0
) -> Task:
    """A number to find, off by `within` at most; `description` is a sentence with {value}."""

    def check(lm: LanguageModel, answer: str, run: RunState | None) -> Verdict:
        given = numbers(answer)
        value = measure(lm)
        if any(abs(item - value) <= within + 1e-9 for item in given):
            return Verdict(True, description.format(value=value))
        return Verdict(
            False,
            f"The right number is {'lower' if given[0] > value else 'higher'} than "
            f"{answer.strip()}.",
        )

    return Task("number", check, lambda lm: description.format(value=measure(lm)))


def word(measure: Callable[[LanguageModel], str], description: str) -> Task:
    """A word of the text or of the vocabulary to find; `said` is a sentence with {value}."""

    def check(lm: LanguageModel, answer: str, run: RunState | None) -> Verdict:
        value = measure(lm)
        right = _bare(answer) == _bare(value)
        return Verdict(
            right,
            description.format(value=value.strip()) if right else f"It is not “{answer.strip()}”.",
        )

    return Task("word", check, lambda lm: description.format(value=measure(lm).strip()))


def head(judge: Callable[[LanguageModel], Mapping[tuple[int, int], str]], wrong: str) -> Task:
    """A head to find: `judge` gives those that are right with a sentence on each, `wrong` is said
    of any other.
    """

    def check(lm: LanguageModel, answer: str, run: RunState | None) -> Verdict:
        place = _place(answer, lm)
        judged = judge(lm)
        return Verdict(place in judged, judged.get(place, wrong))

    def solve(lm: LanguageModel) -> str:
        judged = judge(lm)
        tags = ", ".join(head_tag(layer, number) for layer, number in judged)
        return f"{tags}. {next(iter(judged.values()), '')}".strip()

    return Task("head", check, solve)


def text(judge: Callable[[LanguageModel, str], Verdict], examples: Sequence[str]) -> Task:
    """A text to write; the first of `examples` that is right for the model is shown as the
    answer.
    """

    def check(lm: LanguageModel, answer: str, run: RunState | None) -> Verdict:
        if not answer.strip():
            raise GPTCoreError("The answer is empty. Write a text, then check it.")
        return judge(lm, answer)

    def solve(lm: LanguageModel) -> str:
        tried = [(example, judge(lm, example)) for example in examples]
        example, verdict = next((item for item in tried if item[1].right), tried[0])
        return f"For instance “{example}”. {verdict.said}"

    return Task("text", check, solve)


def run(judge: Callable[[RunState, str], Verdict], answer: str, *, kind: Kind = "run") -> Task:
    """Something to reach with a run of one's own, as `answer` says; kind "number" asks for a number
    as well.
    """

    def check(lm: LanguageModel, given: str, newest: RunState | None) -> Verdict:
        if newest is None or not newest.step:
            return Verdict(
                False, "There is no run of yours yet. Press Start on Train, then check again."
            )
        return judge(newest, given)

    return Task(kind, check, lambda lm: answer)


def _bare(word: str) -> str:
    """A word without quotation marks and the punctuation around it; a sign that stands alone is
    kept.
    """
    plain = word.strip().casefold()
    return plain.strip("\"'“”„‘’«».,;:!? ") or plain


def numbers(answer: str) -> list[float]:
    """Lists the numbers that somebody may have meant by 1,234.5 or 1 234 or 0,65 or 12%, the
    likelier reading first.

    A unit may stand behind it ("8 tokens"), or a word such as million; ln 64 and 50257 * 768 are
    computed. A single comma is a decimal point; with three digits behind it, it may also stand
    between thousands.

    Raises:
        GPTCoreError: it is not a number.
    """
    plain = _UNIT.sub("", _ABOUT.sub("", answer.strip().lower().replace("\u00a0", " ")))
    if logarithm := _LOGARITHM.fullmatch(plain):
        return [math.log(value) for value in _readings(logarithm[1]) if value > 0] or _refuse(
            answer
        )
    factors = _TIMES.split(plain)
    if 1 < len(factors) <= _MOST_FACTORS:
        # what is multiplied is mostly a count
        readings = [_readings(factor)[::-1] for factor in factors]
        return [math.prod(item) for item in product(*readings)] or _refuse(answer)
    return _readings(plain) or _refuse(answer)


def _readings(plain: str) -> list[float]:
    """The readings of a number without a unit; none where it is not one."""
    scale = 1.0
    if scaled := _SCALED.fullmatch(plain):
        plain = scaled[1]
        scale = _SCALES[scaled[2]]
    plain = plain.replace(" ", "").replace("−", "-")
    if _DOTTED.fullmatch(plain):
        plain = plain.replace(".", "")
    single = plain.count(",") == 1 and "." not in plain
    readings = [plain.replace(",", ".")] if single else []
    if not single or _THOUSANDS.fullmatch(plain):
        readings.append(plain.replace(",", ""))
    try:
        values = [float(reading) * scale for reading in readings]
    except ValueError:
        return []
    return values if all(map(math.isfinite, values)) else []


def _refuse(answer: str) -> list[float]:
    """Raises GPTCoreError for what is not a number."""
    shown = answer.strip()[:40]
    if _FORMULA.fullmatch(shown):
        raise GPTCoreError(
            f"The answer {shown!r} is a formula. Put in its numbers, such as 50257 × 768."
        )
    raise GPTCoreError(f"The answer {shown!r} is not a number. Write one like 12, 3.5 or ln 64.")


def _place(answer: str, lm: LanguageModel) -> tuple[int, int]:
    layers = lm.model.config.n_layer
    heads = lm.model.config.n_head
    written = _HEAD.fullmatch(answer.strip())
    if written is None:
        raise GPTCoreError(
            "Choose a head in the grid, or write its layer and number, such as L3H1."
        )
    layer = int(written[1])
    number = int(written[2])
    if layer >= layers or number >= heads:
        raise GPTCoreError(_NONE_SUCH.format(layers=layers, heads=heads))
    return layer, number
