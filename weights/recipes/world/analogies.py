"""Word pairs that stand in the same relation."""

from weights.recipes.world.english import capitalised
from weights.recipes.world.lexicon import entries, pairs
from weights.recipes.world.splits import Draw

_TASK = "analogy"
_SAID = entries("analogies.txt")  # of each relation in pairs.txt


def analogy(draw: Draw) -> tuple[str, str, str, str]:
    """(a, b, c, d): a is to b as c is to d. On the "combination" split, training never shows these
    two pairs together; on the "word" split, it shows the second pair in no analogy at all.
    """
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
