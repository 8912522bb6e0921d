"""Word pairs that stand in the same relation."""

from weights.recipes.world.english import capitalised
from weights.recipes.world.lexicon import pairs
from weights.recipes.world.splits import Draw

_TASK = "analogy"
_SAID = {
    "opposite": ("the opposite of {a} is {b}", "{a} is the opposite of {b}"),
    "young": ("a young {a} is a {b}", "the child of a {a} is called a {b}"),
    "home": ("the {a} lives in the {b}", "the home of the {a} is the {b}"),
    "sound": ("a {a} can {b}", "hear the {a} {b}"),
    "part": ("a {a} has a {b}", "the {b} is a part of the {a}"),
    "worker": ("the {a} needs the {b}", "you think of the {b} when you see the {a}"),
    "woman": ("a {a} and a {b}", "he is a {a}, she is a {b}"),
    "use": ("with the {a} you can {b}", "to {b} you need the {a}"),
    "plural": ("one {a}, two {b}", "the plural of {a} is {b}"),
    "past": ("today we {a}, yesterday we {b}", "the past of {a} is {b}"),
    "more": ("this is {a}, that is {b}", "{a}, and even {b}"),
    "capital": ("the capital of {a} is {b}", "{b} is the capital of {a}"),
    "language": ("in {a} people speak {b}", "the language of {a} is {b}"),
    "colour": ("{a} is {b}", "the colour of {a} is {b}"),
    "kind": ("{a} is a kind of {b}", "of every {b}, I like {a} most"),
    "after": ("after {a} comes {b}", "{b} comes after {a}"),
    "product": ("a {a} makes {b}", "{b} comes from a {a}"),
}


def analogy(draw: Draw) -> tuple[str, str, str, str]:
    """(a, b, c, d): a is to b as c is to d. On the "combination" split, training never shows these two pairs together;
    on the "word" split, it shows the second pair in no analogy at all."""
    return related(draw)[1:]


def related(draw: Draw) -> tuple[str, str, str, str, str]:
    """The relation of an analogy and its four words."""
    relation = draw.pick(tuple(pairs()))
    couples = pairs()[relation]

    def name(couple: tuple[str, str]) -> str:
        return f"{relation} {couple[0]}"

    def make() -> tuple[tuple[str, str], tuple[str, str]]:
        return draw.word(_TASK, couples, name), draw.key_word(_TASK, couples, name)

    def good(made: tuple[tuple[str, str], tuple[str, str]]) -> bool:
        first, second = made
        fits = draw.split == "word" or draw.fits(_TASK, relation, first[0], second[0])
        return fits and first != second and first[1] != second[1]

    first, second = draw.until(make, good)
    return relation, *first, *second


def statement(draw: Draw) -> str:
    """A pair in a plain sentence, where every pair can be met."""
    relation = draw.pick(tuple(pairs()))
    first, second = draw.pick(pairs()[relation])
    return capitalised(draw.pick(_SAID[relation]).format(a=first, b=second)) + "."
