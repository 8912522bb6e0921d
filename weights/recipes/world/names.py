"""First names without end: those that many people have, and others made of syllables."""

from weights.recipes.world.lexicon import words
from weights.recipes.world.splits import Draw, held_out

_TASK = "question"
_HARD = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "j",
    "k",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "z",
    "",
)
_VOWELS = ("a", "e", "i", "o", "u", "a", "e", "i", "o", "ai", "ee", "ia")
_MIDDLE = (
    "b",
    "d",
    "l",
    "m",
    "n",
    "r",
    "s",
    "t",
    "v",
    "k",
    "z",
    "ll",
    "nn",
    "rr",
    "nd",
    "lm",
    "rt",
    "sh",
    "nt",
    "rl",
)
_GIRL = ("a", "ia", "ina", "ella", "y", "e", "issa", "ine", "ara", "i")
_BOY = ("o", "an", "in", "us", "or", "ek", "ard", "on", "is", "im", "ert", "as")
_TITLES = {True: ("Mrs", "Aunt", "Miss", "Queen"), False: ("Mr", "Uncle", "Doctor", "King")}
_SURNAMES = (
    "Brown",
    "Smith",
    "Green",
    "Bell",
    "Wood",
    "Lee",
    "Hill",
    "Stone",
    "Baker",
    "Young",
    "Fox",
    "Lane",
    "Park",
)


def first_name(draw: Draw, *, girl: bool) -> str:
    """A name, from the lists or invented. On the "word" split, one that no page of training has."""
    if draw.split == "word" or draw.chance(0.5):
        return draw.key_word(_TASK, words("girls" if girl else "boys"))
    return draw.until(lambda: _invented(draw, girl), lambda name: not held_out("word", _TASK, name))


def _invented(draw: Draw, girl: bool) -> str:
    """Two or three syllables: Talmine, Brovek."""
    start = draw.pick(_HARD) + draw.pick(_VOWELS) + draw.pick(_MIDDLE)
    if draw.chance(0.25):
        start += draw.pick(_VOWELS[:4]) + draw.pick(_MIDDLE[:11])
    return (start + draw.pick(_GIRL if girl else _BOY)).capitalize()


def titled(draw: Draw, *, girl: bool) -> str:
    """Mrs Bell, Uncle Ben."""
    title = draw.pick(_TITLES[girl])
    if title in ("Mrs", "Mr", "Miss", "Doctor"):
        return f"{title} {draw.pick(_SURNAMES)}"
    return f"{title} {first_name(draw, girl=girl)}"
