"""The little world itself: towns that are the same in every text."""

import zlib
from dataclasses import dataclass

from weights.recipes.world.english import a
from weights.recipes.world.lexicon import words
from weights.recipes.world.splits import Draw

_TASK = "fact"
_SIGHTS = (
    "castle", "tower", "harbour", "museum", "bridge", "lake", "mill", "garden", "cave", "market", "zoo", "theatre",
)  # fmt: skip
# How each fact is asked for, and two ways to state it.
_FACTS = {
    "product": (
        "What is {name} known for?", "{name} is known for its {it}.", "The best {it} in the land comes from {name}.",
    ),
    "animal": (
        "Which animal is on the flag of {name}?", "The flag of {name} shows {a_it}.",
        "There is {a_it} on the flag of {name}.",
    ),
    "colour": (
        "What colour is the town hall of {name}?", "The town hall of {name} is {it}.", "{name} has a {it} town hall.",
    ),
    "sight": (
        "What do people see in {name}?", "People come to {name} to see its {it}.",
        "Everybody who visits {name} goes to the {it}.",
    ),
    "mayor": ("Who is the mayor of {name}?", "The mayor of {name} is called {it}.", "{it} is the mayor of {name}."),
    "season": (
        "When is the festival of {name}?", "{name} has a festival every {it}.", "The festival of {name} is in {it}.",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Town:
    """A town: a name unlike any other's, and what is known about it, by kind of fact."""

    name: str
    known: dict[str, str]

    def say(self, sentence: str, kind: str) -> str:
        """One of the sentences about a fact, for this town."""
        return sentence.format(name=self.name, it=self.known[kind], a_it=a(self.known[kind]))


def _town(name: str) -> Town:
    choices = {
        "product": [*words("dish"), *words("drink"), "clocks", "boats", "lamps", "hats", "bells", "kites"],
        "animal": words("animal"), "colour": words("colour"), "sight": _SIGHTS,
        "mayor": words("girls") + words("boys"), "season": words("season"),
    }  # fmt: skip
    return Town(name, {kind: one[zlib.crc32(f"{name} {kind}".encode()) % len(one)] for kind, one in choices.items()})


TOWNS = [_town(name) for name in words("towns")]


def about(draw: Draw) -> str:
    """An entry of a guidebook."""
    town = draw.pick(TOWNS)
    said = [town.say(draw.pick(ways), kind) for kind, (_, *ways) in _FACTS.items()]
    draw.random.shuffle(said)
    return " ".join(said[: draw.number(3, len(said))])


def question(draw: Draw) -> tuple[str, str]:
    """(question, answer) about a town. On the "combination" split, one that training states but never asks."""
    town, kind = draw.until(
        lambda: (draw.pick(TOWNS), draw.pick(tuple(_FACTS))), lambda made: draw.fits(_TASK, made[0].name, made[1])
    )
    return town.say(_FACTS[kind][0], kind), town.known[kind]
