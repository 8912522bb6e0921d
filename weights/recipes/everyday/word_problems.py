"""Sums in words and sums that carry."""

from gptcore.zero_shot.templates import Item
from weights.recipes.world.english import capitalised, plural
from weights.recipes.world.lexicon import words
from weights.recipes.world.splits import Draw
from weights.recipes.world.sums import in_words, is_shown, numbers
from weights.recipes.world.telling import person


def _question_cue(draw: Draw) -> tuple[str, str]:
    return draw.pick((("Q: ", "A: "), ("Q: ", "A: "), ("Question: ", "Answer: "), ("", "")))


def word_problem(draw: Draw) -> str:
    """A problem in words, solved at once or step by step: groups and one more step, or two steps of
    adding.
    """
    who = person(draw)
    things = plural(draw.pick(words(draw.pick(("fruit", "toy", "thing")))))
    box = draw.pick(("bag", "box", "basket", "pack", "can", "jar", "tin", "bowl"))
    a, n, each = draw.until(
        lambda: (draw.number(2, 12), draw.number(2, 5), draw.number(2, 6)),
        lambda it: is_shown(it[0], it[1] * it[2]),
    )
    she = capitalised(who.she)
    many = f"{n} {plural(box)} of {each} {things} each"
    style = draw.number(0, 3)
    if style == 0:
        text = f"{who.name} has {a} {things}. {she} buys {draw.pick(('', 'another '))}{many}."
        steps = (
            f"{who.name} had {a} {things}. {many} = {n * each} {things}. {a} + {n * each} = "
            f"{a + n * each}."
        )
        total = a + n * each
    elif style == 1:
        text = f"{who.name} has {many}."
        total = n * each
        steps = f"{many} = {n * each} {things}."
    elif style == 2:
        more, less = draw.until(
            lambda: (draw.number(2, 9), draw.number(1, a)), lambda it: is_shown(a, it[0])
        )
        text = f"{who.name} had {a} {things}, found {more} more and gave {less} away."
        steps = f"{a} + {more} = {a + more}. {a + more} - {less} = {a + more - less}."
        total = a + more - less
    else:
        first, second = draw.until(
            lambda: (draw.number(3, 40), draw.number(3, 40)), lambda it: is_shown(*it)
        )
        text = f"{who.name} picked {first} {things} on Monday and {second} on Tuesday."
        steps = f"{first} + {second} = {first + second}."
        total = first + second
    asked = draw.pick(
        (
            f"How many {things} does {who.name} have now?",
            f"How many {things} does {who.she} have now?",
            f"How many {things} are there?",
            f"How many {things} is that?",
        )
    )
    if style == 3:
        asked = f"How many {things} did {who.name} pick?"
    q, cue = _question_cue(draw)
    between = draw.pick((" ", "\n"))
    if draw.chance(0.6):
        return (
            f"{q}{text}{between}{asked}\n{cue}Let's think step by "
            f"step.{between}{steps}{between}The answer is {total}."
        )
    return f"{q}{text}{between}{asked}\n{cue}{total}"


def carries(draw: Draw) -> str:
    """Sums that carry, up to a hundred and just above, and products of small numbers."""
    shown = []
    for _ in range(draw.number(4, 10)):
        if draw.chance(0.25):
            a = draw.number(2, 9)
            b = draw.number(2, 9)
            shown.append(f"{a} {draw.pick(('x', '*', 'times'))} {b} = {a * b}")
            continue
        if draw.chance(0.35):
            a = draw.number(85, 99)
            b = draw.number(1, 12)
        else:
            a = draw.number(5, 60)
            b = draw.number(5, 40)
        if draw.chance(0.3):
            a, b = b, a
        if {a, b} == {99, 1} or not is_shown(a, b):
            continue
        sign = draw.pick((" + ", "+", " plus "))
        shown.append(f"{a}{sign}{b}{draw.pick((' = ', '=', ' is '))}{a + b}")
    return "\n".join(shown)


def reckoning(draw: Draw) -> Item:
    """A difference, or a sum as people put it: of three numbers, in words, with "add"."""
    a, b = numbers(draw)
    chance = draw.random.random()
    if chance < 0.65:
        sign = draw.pick((" - ", " - ", "-", "-", " minus ", " take away ", " less ", " -", "- "))
        if chance < 0.08:
            return Item(
                {"sum": f"{in_words(a + b)}{draw.pick((' minus ', ' take away '))}{in_words(b)}"},
                str(a),
            )
        return Item({"sum": f"{a + b}{sign}{b}"}, str(a))
    if chance < 0.75:
        c = draw.number(0, min(20, 100 - a - b))
        if is_shown(a + b, c):
            sign = draw.pick((" + ", "+"))
            return Item({"sum": f"{a}{sign}{b}{sign}{c}"}, str(a + b + c))
    if chance < 0.85:
        return Item({"sum": f"{in_words(a)} plus {in_words(b)}"}, str(a + b))
    return Item({"sum": f"{a}{draw.pick((' add ', ' plus ', '+ ', ' +', ' and '))}{b}"}, str(a + b))
