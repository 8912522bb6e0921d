"""The little world itself: towns that are the same in every text."""

import zlib
from dataclasses import dataclass

from weights.recipes.world.english import a
from weights.recipes.world.lexicon import entries, words
from weights.recipes.world.splits import Draw

_TASK = "fact"
# How each fact is asked for, and two ways to state it.
_FACTS = entries("facts.txt")


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
        "product": [
            *words("dish"),
            *words("drink"),
            "clocks",
            "boats",
            "lamps",
            "hats",
            "bells",
            "kites",
        ],
        "animal": words("animal"),
        "colour": words("colour"),
        "sight": words("sight"),
        "mayor": words("girls") + words("boys"),
        "season": words("season"),
    }
    return Town(
        name,
        {
            kind: choice[zlib.crc32(f"{name} {kind}".encode()) % len(choice)]
            for kind, choice in choices.items()
        },
    )


TOWNS = [_town(name) for name in words("towns")]


def about(draw: Draw) -> str:
    """An entry of a guidebook."""
    town = draw.pick(TOWNS)
    said = [town.say(draw.pick(ways), kind) for kind, (_, *ways) in _FACTS.items()]
    draw.random.shuffle(said)
    return " ".join(said[: draw.number(3, len(said))])


def question(draw: Draw) -> tuple[str, str]:
    """(question, answer) about a town. On the "combination" split, one that training states but
    never asks.
    """
    town, kind = draw.until(
        lambda: (draw.pick(TOWNS), draw.pick(tuple(_FACTS))),
        lambda made: draw.fits(_TASK, made[0].name, made[1]),
    )
    return town.say(_FACTS[kind][0], kind), town.known[kind]
