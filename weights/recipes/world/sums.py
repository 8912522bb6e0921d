"""Little sums in digits, in words and in stories."""

from weights.recipes.world.english import plural
from weights.recipes.world.lexicon import sayings, words
from weights.recipes.world.splits import Draw, held_out
from weights.recipes.world.telling import person

_TASK = "arithmetic"
_LARGEST = 100  # no sum is larger
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SIGNS = (" + ", " + ", " + ", " + ", "+", "+", "+ ", " +", " plus ", " plus ", " and ")
_MINUS = (" - ", " - ", " - ", "-", " minus ", " minus ", " less ")


def in_words(number: int) -> str:
    """A number from 0 to 100: forty-two."""
    small = words("numbers")
    if number < len(small):
        return small[number]
    if number == _LARGEST:
        return "one hundred"
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens]}-{small[ones]}" if ones else _TENS[tens]


def numbers(draw: Draw) -> tuple[int, int]:
    """Two numbers to add, up to a sum of 100.

    Of every pair at least one order is shown, but for pairs on the "strict" side, which have a
    number above 9. On the "combination" split, training shows only the mirror image: 3 + 4, not 4 +
    3.
    """

    def make() -> tuple[int, int]:
        most = draw.pick((9, 9, 20, 50, 90))
        return draw.number(0, most), draw.number(0, most)

    def good(made: tuple[int, int]) -> bool:
        a, b = made
        if a + b > _LARGEST or is_strict(a, b) != (draw.split == "strict"):
            return False
        return draw.split == "strict" or _hidden(a, b) == (draw.split == "combination")

    return draw.until(make, good)


def is_strict(a: int, b: int) -> bool:
    """Whether training shows neither a + b nor b + a: of sums with a number above 9, but for round
    ones.
    """
    return (
        max(a, b) > 9
        and a % 10 > 0
        and b % 10 > 0
        and held_out("strict", _TASK, min(a, b), max(a, b))
    )


def is_shown(a: int, b: int) -> bool:
    """Whether training may show a + b: neither held out in this order nor in both."""
    return not is_strict(a, b) and not _hidden(a, b)


def _hidden(a: int, b: int) -> bool:
    """Whether training shows b + a, but not a + b."""
    return (
        a != b and held_out("combination", _TASK, a, b) and not held_out("combination", _TASK, b, a)
    )


def addition(draw: Draw, *, plain: bool = False) -> tuple[str, str, str]:
    """(sum, answer, a way there): ("3 + 4", "7", "4, 5, 6, 7"), or ("27+15", "42", "7 + 5 = 12, 20
    + 10 = 30, ...").

    Args:
        draw: of the numbers.
        plain: write the sum as "3 + 4" in any case.
    """
    a, b = numbers(draw)
    sign = " + " if plain else draw.pick(_SIGNS)
    return f"{a}{sign}{b}", str(a + b), way(a, b)


def way(a: int, b: int) -> str:
    """How to find a + b: counting on, or tens and ones apart."""
    if max(a, b) < 10:
        return f"From {a} count {b} on: {counting(a, b)}."
    (tens_a, ones_a), (tens_b, ones_b) = divmod(a, 10), divmod(b, 10)
    ones = ones_a + ones_b
    tens = 10 * (tens_a + tens_b)
    return f"{_shown(ones_a, ones_b)}, {_shown(10 * tens_a, 10 * tens_b)}, {_shown(tens, ones)}."


def _shown(a: int, b: int) -> str:
    """A sum with its result, in an order that training shows."""
    return f"{b} + {a} = {a + b}" if _hidden(a, b) else f"{a} + {b} = {a + b}"


def counting(a: int, b: int) -> str:
    """The b numbers after a; "nothing" for none."""
    return ", ".join(str(a + step) for step in range(1, b + 1)) or "nothing"


def spelled(draw: Draw) -> tuple[str, str]:
    """("three plus four", "seven")."""
    a, b = numbers(draw)
    return f"{in_words(a)} {draw.pick(('plus', 'plus', 'and'))} {in_words(b)}", in_words(a + b)


def subtraction(draw: Draw) -> tuple[str, str]:
    """("7 - 3", "4"): of numbers whose sum, taken back, is one that is shown."""
    a, b = numbers(draw)
    return f"{a + b}{draw.pick(_MINUS)}{b}", str(a)


def story_sum(draw: Draw) -> tuple[str, str, str]:
    """(text, question, answer): somebody has some things and gets more, or gives some away."""
    a, b = draw.until(lambda: numbers(draw), lambda made: min(made) > 1)
    who = person(draw)
    things = plural(draw.pick(words(draw.pick(("fruit", "toy", "thing", "animal")))))
    giver = person(draw, who)
    day = draw.pick(words("day"))
    then = draw.pick(words("day"))
    less = draw.chance(0.3)
    text = draw.pick(sayings("less" if less else "more")).format(
        who=who,
        she=who.she.capitalize(),
        giver=giver.name,
        things=things,
        a=a,
        b=b,
        both=a + b,
        day=day,
        then=then,
    )
    if less:
        return text, f"How many {things} are {draw.pick(('left', 'still there'))}?", str(a)
    asked = (
        f"How many {things} are there now?",
        f"How many {things} are there?",
        f"How many {things} is that?",
    )
    return text, draw.pick(asked), str(a + b)


def worksheet(draw: Draw) -> str:
    """Counting and other things that are said about numbers."""
    start = draw.number(0, 90)
    style = draw.number(0, 4)
    if style == 0:
        return " ".join(str(start + step) for step in range(draw.number(4, 9)))
    if style == 1:
        return f"After {start} comes {start + 1}. Before {start + 1} comes {start}."
    if style == 2:
        return ", ".join(in_words(start + step) for step in range(draw.number(3, 7)))
    if style == 3:
        return f"{in_words(start).capitalize()} is {start}. {start + 1} is one more than {start}."
    return f"{start} = {in_words(start)}"
