"""Sentences with slots, filled from the word lists: "{A} (put/laid) the {thing} {spot}."."""

import re

from weights.recipes.world.english import a, capitalised, plural
from weights.recipes.world.facts import TOWNS
from weights.recipes.world.lexicon import jobs, words
from weights.recipes.world.names import first_name, titled
from weights.recipes.world.scene_parts import THINGS, some_spot, some_time
from weights.recipes.world.splits import Draw
from weights.recipes.world.sums import in_words
from weights.recipes.world.telling import Person, at, place

_CHOICE = re.compile(r"\(([^()]+)\)")
_KEY = re.compile(r"([a-z]+?)(s?)\d?")
_NUMBERS = [in_words(number) for number in range(21)]
_SECTIONS = {"kin": "family"}  # of words.txt, where the slot has a shorter name
_OWNED = tuple(dict.fromkeys(THINGS))


class Slots(dict[str, str]):
    """What stands in each slot of a text, drawn when it is first asked for, and never the same in
    two.

    `{A}`, `{B}` and `{C}` are people; `{she}`, `{her}`, `{him}` stand for the first, `{she2}` and
    so on for the second. Other slots are sections of words.txt, or of a few further kinds (`place`,
    `spot`, `time`, `n`). A number at the end asks for another one, `{things}` for the plural,
    `{a_thing}` for its article, and a capital letter for one.
    """

    def __init__(self, draw: Draw, taken: frozenset[str] = frozenset()) -> None:
        """The slots of a text after others, with none of the words taken by them."""
        self._draw = draw
        self._taken = taken
        one, two, three = draw.until(
            lambda: _three(draw),
            lambda cast: len({item.name for item in cast} - taken) == len(cast),
        )
        super().__init__(A=one.name, B=two.name, C=three.name)
        self.update(she=one.she, her=one.her, him=one.him, she2=two.she, her2=two.her, him2=two.him)

    def __missing__(self, key: str) -> str:
        self[key] = made = self._made(key)
        return made

    def _made(self, key: str) -> str:
        if key[0].isupper():
            return capitalised(self[key[0].lower() + key[1:]])
        if key.startswith("a_"):
            return a(self[key[2:]])
        match = _KEY.fullmatch(key)
        if match is None:
            raise KeyError(key)
        kind = match[1]
        many = match[2]
        if many and f"{kind}s" != "clothes":
            return plural(self[kind + key[len(kind) + 1 :]])
        kind += many
        if kind == "fewer":
            return self._drawn(kind)
        taken = {_noun(word) for word in self._taken.union(self.values())}
        return self._draw.until(lambda: self._drawn(kind), lambda made: _noun(made) not in taken)

    def _drawn(self, kind: str) -> str:
        draw = self._draw
        if kind == "place":
            return at(place(draw))
        if kind == "spot":
            return some_spot(draw)
        if kind == "time":
            hour = f"{in_words(draw.number(1, 12))} o'clock"
            return f"at {draw.pick(('noon', 'midnight', hour, hour, hour, hour))}"
        if kind == "timeword":
            return some_time(draw)
        if kind == "n":
            return draw.pick(_NUMBERS[3:])
        if kind == "fewer":  # than n
            return draw.pick(_NUMBERS[2 : _NUMBERS.index(self["n"])])
        if kind == "job":
            return draw.pick(jobs())[0]
        if kind == "town":
            return draw.pick(TOWNS).name if draw.chance(0.5) else draw.pick(words("towns"))
        return draw.pick(words(_SECTIONS.get(kind, kind)))

    def fits(self) -> bool:
        """Whether training may show these people with these things."""
        people = [self[name] for name in "ABC"]
        things = [word for key, word in self.items() if _is_owned(key)]
        return all(self._draw.fits("question", who, thing) for who in people for thing in things)

    def fill(self, line: str) -> str:
        """The line with a choice made of each (this/that), and its slots filled."""
        chosen = _CHOICE.sub(lambda found: self._draw.pick(found[1].split("/")), line)
        return chosen.format_map(self)


def _three(draw: Draw) -> list[Person]:
    """Three people: no animal may marry, nor a king be born yesterday."""
    girls = [draw.chance(0.5) for _ in range(3)]
    names = [
        titled(draw, girl=girl) if draw.chance(0.08) else first_name(draw, girl=girl)
        for girl in girls
    ]
    return [Person(name, girl) for name, girl in zip(names, girls, strict=True)]


def _noun(words_: str) -> str:
    """Of "in the box" the box."""
    return words_.rpartition(" the ")[2]


def _is_owned(key: str) -> bool:
    match = _KEY.fullmatch(key)
    return match is not None and (match[1] in _OWNED or match[1] + match[2] in _OWNED)
