"""The little world itself: towns that are the same in every text."""

import zlib
from dataclasses import dataclass

from weights.recipes.world.english import a
from weights.recipes.world.lexicon import words
from weights.recipes.world.splits import Draw

_TASK = "fact"


@dataclass(frozen=True)
class Town:
    """A town and what is known about it.

    Attributes:
        name: unlike any other's.
        product: what it makes.
        animal: on its flag.
        colour: of its town hall.
        sight: what people come to see.
        mayor: a first name.
        season: of its festival.
    """

    name: str
    product: str
    animal: str
    colour: str
    sight: str
    mayor: str
    season: str


def _town(name: str) -> Town:
    def one(kind: str, choices: list[str]) -> str:
        return choices[zlib.crc32(f"{name} {kind}".encode()) % len(choices)]

    products = [
        *words("dish"),
        *words("drink"),
        *(f"{thing}s" for thing in ("clock", "boat", "lamp", "hat", "bell", "kite")),
    ]
    return Town(
        name,
        one("product", products),
        one("animal", words("animal")),
        one("colour", words("colour")),
        one(
            "sight",
            [
                "castle",
                "tower",
                "harbour",
                "museum",
                "bridge",
                "lake",
                "mill",
                "garden",
                "cave",
                "market",
                "zoo",
                "theatre",
            ],
        ),
        one("mayor", words("girls") + words("boys")),
        one("season", words("season")),
    )


TOWNS = [_town(name) for name in words("towns")]


def _sentences(town: Town) -> dict[str, tuple[str, ...]]:
    """Ways to state each fact."""
    name = town.name
    return {
        "product": (
            f"{name} is known for its {town.product}.",
            f"The best {town.product} in the land comes from {name}.",
        ),
        "animal": (f"The flag of {name} shows {a(town.animal)}.", f"There is {a(town.animal)} on the flag of {name}."),
        "colour": (f"The town hall of {name} is {town.colour}.", f"{name} has a {town.colour} town hall."),
        "sight": (
            f"People come to {name} to see its {town.sight}.",
            f"Everybody who visits {name} goes to the {town.sight}.",
        ),
        "mayor": (f"The mayor of {name} is called {town.mayor}.", f"{town.mayor} is the mayor of {name}."),
        "season": (f"{name} has a festival every {town.season}.", f"The festival of {name} is in {town.season}."),
    }


def _asked(town: Town) -> dict[str, tuple[str, str]]:
    name = town.name
    return {
        "product": (f"What is {name} known for?", town.product),
        "animal": (f"Which animal is on the flag of {name}?", town.animal),
        "colour": (f"What colour is the town hall of {name}?", town.colour),
        "sight": (f"What do people see in {name}?", town.sight),
        "mayor": (f"Who is the mayor of {name}?", town.mayor),
        "season": (f"When is the festival of {name}?", town.season),
    }


def about(draw: Draw, town: Town | None = None) -> str:
    """An entry of a guidebook."""
    town = town or draw.pick(TOWNS)
    said = [draw.pick(ways) for ways in _sentences(town).values()]
    draw.random.shuffle(said)
    return " ".join(said[: draw.number(3, len(said))])


def question(draw: Draw) -> tuple[str, str]:
    """(question, answer) about a town. On the "combination" split, one that training states but never asks."""

    def make() -> tuple[Town, str]:
        town = draw.pick(TOWNS)
        return town, draw.pick(tuple(_asked(town)))

    town, kind = draw.until(make, lambda made: draw.fits(_TASK, made[0].name, made[1]))
    return _asked(town)[kind]
