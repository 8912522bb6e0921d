"""Little sums in digits, in words and in stories."""

from __future__ import annotations

from gptcore.corpora.world.english import plural
from gptcore.corpora.world.lexicon import words
from gptcore.corpora.world.splits import Draw, held_out
from gptcore.corpora.world.telling import person

NUMBERS = words("numbers")

_TASK = "arithmetic"
# Neither 4 + 7 nor 7 + 4 is ever shown: to know it takes more than turning round what was read.
_NEITHER_ORDER = {(2, 6), (3, 5), (4, 7), (5, 8), (6, 9)}


def numbers(draw: Draw, *, strict: bool = False) -> tuple[int, int]:
    """Two digits from 0 to 9 to add.

    Args:
        draw: on the "combination" split, of a sum of which training shows only the mirror image (3 + 4, not 4 + 3).
        strict: instead one that training shows in neither order.
    """

    def shown(a: int, b: int) -> bool:
        return not held_out("combination", _TASK, a, b) or a == b

    def good(made: tuple[int, int]) -> bool:
        a, b = made
        if (min(made), max(made)) in _NEITHER_ORDER or strict:
            return strict and (min(made), max(made)) in _NEITHER_ORDER
        if draw.split == "combination":
            return not shown(a, b) and shown(b, a)
        return shown(a, b) or not shown(b, a)  # were both held out, both are shown

    return draw.until(lambda: (draw.number(0, 9), draw.number(0, 9)), good)


def addition(draw: Draw, *, strict: bool = False) -> tuple[str, str, str]:
    """(sum, answer, the way there by counting on): ("3 + 4", "7", "4, 5, 6, 7")."""
    a, b = numbers(draw, strict=strict)
    return f"{a} + {b}", str(a + b), counting(a, b)


def larger(draw: Draw) -> tuple[str, str]:
    """A sum with a number up to 20, so that it pays to find out how adding works."""
    a, b = draw.until(lambda: (draw.number(0, 20), draw.number(0, 20)), lambda made: max(made) > 9)
    return f"{a} + {b}", str(a + b)


def counting(a: int, b: int) -> str:
    """The b numbers after a; "nothing" for none."""
    return ", ".join(str(a + step) for step in range(1, b + 1)) or "nothing"


def in_words(draw: Draw) -> tuple[str, str]:
    """("three plus four", "seven")."""
    a, b = numbers(draw)
    return f"{NUMBERS[a]} plus {NUMBERS[b]}", NUMBERS[a + b]


def subtraction(draw: Draw) -> tuple[str, str]:
    """("7 - 3", "4"): of numbers up to 18 whose sum, taken back, is one that is shown."""
    a, b = numbers(draw)
    return f"{a + b} - {b}", str(a)


def story_sum(draw: Draw) -> tuple[str, str, str]:
    """(text, question, answer): somebody has some things and gets more."""
    a, b = draw.until(lambda: numbers(draw), lambda made: min(made) > 1)
    who = person(draw)
    things = plural(draw.pick(words(draw.pick(("fruit", "toy", "thing", "animal")))))
    giver = person(draw, who)
    text = draw.pick(
        (
            f"{who.name} has {a} {things}. {giver.name} gives {who.him} {b} more.",
            f"{who.name} had {a} {things} and bought {b} more.",
            f"{who.name} found {a} {things} on {draw.pick(words('day'))} and {b} on {draw.pick(words('day'))}.",
            f"There are {a} {things} on the table. {who.name} puts {b} more on it.",
        )
    )
    return text, f"How many {things} are there now?", str(a + b)


def worksheet(draw: Draw) -> str:
    """Counting and other things that are said about numbers."""
    start, style = draw.number(0, 12), draw.number(0, 3)
    if style == 0:
        return " ".join(str(start + step) for step in range(draw.number(4, 9)))
    if style == 1:
        return f"After {start} comes {start + 1}. Before {start + 1} comes {start}."
    if style == 2:
        return ", ".join(NUMBERS[min(20, start + step)] for step in range(draw.number(3, 7)))
    return f"{NUMBERS[start]} is {start}. {start + 1} is one more than {start}."
