"""What scenes are made of: who is in them, what they can say, where and when."""

from dataclasses import dataclass

from weights.recipes.world.english import a, plural
from weights.recipes.world.lexicon import entries, sayings, words
from weights.recipes.world.names import first_name, titled
from weights.recipes.world.splits import Draw
from weights.recipes.world.sums import in_words
from weights.recipes.world.telling import Person, owned

THINGS = (
    "thing",
    "thing",
    "toy",
    "clothes",
    "school",
    "instrument",
    "fruit",
    "animal",
    "reading",
    "vehicle",
    "plant",
)
AROUND = (
    "in",
    "on",
    "under",
    "behind",
    "next to",
    "in front of",
    "near",
    "inside",
    "beside",
    "above",
)
HOLDERS = (
    "box",
    "basket",
    "bag",
    "drawer",
    "bucket",
    "cupboard",
    "suitcase",
    "bowl",
    "glass",
    "pot",
    "bottle",
)
FURNITURE = sayings("furniture")
_TIMES = sayings("times")


@dataclass(frozen=True)
class Fact:
    """A sentence, what can be asked about it, what a summary would keep of it, and words that a
    later sentence can end with: (the words before it, the word) each; and whether something happens
    in it.
    """

    sentence: str
    asked: tuple[tuple[str, str], ...]
    gist: str
    closings: tuple[tuple[str, str], ...] = ()
    happens: bool = False


@dataclass(frozen=True)
class Cast:
    """Who is in a scene, and the sentence in which a pronoun may stand for the first of them."""

    first: Person
    second: Person
    named: bool

    def subject(self, draw: Draw) -> str:
        """The first one, by name or, once the name was said, by pronoun."""
        return self.first.she if self.named and draw.chance(0.4) else self.first.name


def told(
    said: str, gist: str, cast: Cast, *sections: str, happens: bool = False, **filled: object
) -> Fact:
    """The fact that a sentence says, with what `scenes.txt` asks about it, and how later sentences
    may end.

    Args:
        said: the sentence.
        gist: what a summary would keep of it.
        cast: who is in it; `{name}` is the first of them, `{other}` the second.
        sections: of the list; "" is none. That of the later sentences is NAME, then.
        happens: whether something happens in it.
        filled: what else stands in the slots of these sections.
    """
    lists = entries("scenes.txt")
    filled = {"name": cast.first.name, "other": cast.second.name, **filled}
    asked, closings = (
        tuple(
            (front, last)
            for section in sections
            for front, _, last in (
                item.format(**filled).partition(" = ") for item in lists.get(section + then, ())
            )
        )
        for then in ("", ", then")
    )
    return Fact(said, asked, gist, closings, happens)


def happened(said: str, gist: str, cast: Cast, *sections: str, **filled: object) -> Fact:
    """The same of a sentence in which something happens."""
    return told(said, gist, cast, *sections, happens=True, **filled)


def somebody(draw: Draw, *others: Person) -> Person:
    """A person who is none of the others, rarely one with a title or without a name."""
    taken = {other.name for other in others}

    def make() -> Person:
        girl = draw.chance(0.5)
        chance = draw.random.random()
        if chance < 0.06:
            return Person(titled(draw, girl=girl), girl)
        if chance < 0.16:
            return Person(draw.pick(words("woman unnamed" if girl else "man unnamed")), girl)
        return Person(first_name(draw, girl=girl), girl)

    return draw.until(make, lambda made: made.name not in taken)


def some_time(draw: Draw) -> str:
    """When it was: a day, a month, an hour."""
    return draw.pick(_TIMES).format(
        day=draw.pick(words("day")),
        month=draw.pick(words("month")),
        season=draw.pick(words("season")),
        number=in_words(draw.number(1, 12)),
    )


def some_spot(draw: Draw) -> str:
    """Where in a room: behind the box."""
    return f"{draw.pick(AROUND)} the {draw.pick((*HOLDERS, *FURNITURE))}"


def adjective(draw: Draw) -> str:
    """A colour, a size or a look."""
    return draw.pick(words(draw.pick(("colour", "size", "look"))))


def some_object(draw: Draw, who: Person, sections: tuple[str, ...] = THINGS) -> tuple[str, str]:
    """(noun, noun with an article and perhaps an adjective)."""
    noun = owned(draw, who, sections)
    if draw.chance(0.15):
        number = draw.number(2, 12)
        return noun, f"{in_words(number) if draw.chance(0.7) else number} {plural(noun)}"
    return noun, a(f"{adjective(draw)} {noun}" if draw.chance(0.4) else noun)
