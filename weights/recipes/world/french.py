"""Simple French beside its English: nouns with gender and number, adjectives that agree, verbs in
the present tense.
"""

import re
from dataclasses import dataclass
from functools import cache

from gptcore.errors import TrainingError
from weights.recipes.world.english import a, plural, third
from weights.recipes.world.lexicon import sections
from weights.recipes.world.splits import Draw, held_out

_TASK = "translate"
_PLACED = {"in": "dans", "behind": "derrière", "in front of": "devant"}
_ON_TOP = {"beach", "bridge", "island", "mountain", "river", "lake"}
_AROUND = {
    "on": "sur",
    "under": "sous",
    "behind": "derrière",
    "in front of": "devant",
    "with": "avec",
}
_PRONOUNS = (
    ("I", "je", 0),
    ("you", "tu", 1),
    ("he", "il", 2),
    ("she", "elle", 2),
    ("we", "nous", 3),
    ("they", "ils", 5),
)
_BE = ("suis", "es", "est", "sommes", "êtes", "sont")
_GO = ("vais", "vas", "va", "allons", "allez", "vont")
_AM = {"I": "am", "he": "is", "she": "is"}
_MANY = (
    ("two", "deux"),
    ("three", "trois"),
    ("four", "quatre"),
    ("five", "cinq"),
    ("six", "six"),
    ("seven", "sept"),
)


@dataclass(frozen=True)
class Noun:
    """A noun: `one` and `many` are its French singular and plural."""

    english: str
    one: str
    many: str
    feminine: bool
    aspirate: bool = False


@dataclass(frozen=True)
class Adjective:
    """An adjective: French masculine, feminine and, before a vowel, masculine forms; whether it
    precedes the noun.
    """

    english: str
    masculine: str
    feminine: str
    before_vowel: str
    precedes: bool

    def form(self, *, feminine: bool, many: bool, vowel: bool = False) -> str:
        """The form that agrees; `vowel` where a masculine noun that begins with one follows."""
        if feminine:
            return self.feminine + ("s" if many else "")
        if not many:
            return self.before_vowel if vowel else self.masculine
        if self.masculine.endswith(("s", "x")):
            return self.masculine
        return self.masculine + ("x" if self.masculine.endswith("eau") else "s")


@dataclass(frozen=True)
class Verb:
    """A verb: English base and third person, French forms je .. ils."""

    base: str
    third: str
    forms: tuple[str, ...]


@dataclass(frozen=True)
class Phrase:
    """English and French of a part of a sentence, the verb form that it takes, and its noun or
    pronoun in English.
    """

    english: str
    french: str
    person: int = 2
    head: str = ""

    @property
    def is_third(self) -> bool:
        """Whether it is he, she or it."""
        return self.person == 2


def _name(noun: Noun) -> str:
    return noun.english


def _noun(line: str) -> Noun:
    english, _, rest = line.partition(" | ")
    found = re.fullmatch(r"(.+?) ([mf])(?: (.+?))??( aspirate)?", rest)
    if found is None:
        raise TrainingError(
            f"The line {line!r} of the French words is none. Write: english | french m or f."
        )
    one, gender, many, aspirate = found.groups()
    return Noun(english, one, many or f"{one}s", gender == "f", bool(aspirate))


def _adjective(line: str) -> Adjective:
    english, _, rest = line.partition(" | ")
    forms = rest.removesuffix(" ^").split()
    masculine = forms[0]
    feminine = (
        forms[1] if len(forms) > 1 else masculine if masculine.endswith("e") else f"{masculine}e"
    )
    return Adjective(
        english, masculine, feminine, forms[2] if len(forms) > 2 else masculine, rest.endswith(" ^")
    )


def _verb(line: str) -> Verb:
    english, _, rest = line.partition(" | ")
    base, _, given = english.partition("/")
    forms = rest.split()
    if len(forms) < 6:  # regular; a second word is the stem of the stressed forms
        stem = forms[0][:-2]
        stressed = forms[1].removesuffix("e") if len(forms) > 1 else stem
        soft = "e" if stem.endswith("g") else ""
        forms = [
            f"{stressed}e",
            f"{stressed}es",
            f"{stressed}e",
            f"{stem}{soft}ons",
            f"{stem}ez",
            f"{stressed}ent",
        ]
    return Verb(base, given or third(base), tuple(forms))


@cache
def _nouns(section: str) -> list[Noun]:
    return [_noun(line) for line in sections("french.txt")[section]]


@cache
def _fitting(section: str) -> list[str]:
    """The adjectives that go with nouns of a section."""
    return sections("french.txt")[f"{section}s are"][0].split(", ")


@cache
def _adjectives() -> dict[str, Adjective]:
    return {made.english: made for made in map(_adjective, sections("french.txt")["adjective"])}


@cache
def _verbs(section: str) -> list[Verb]:
    return [_verb(line) for line in sections("french.txt")[section]]


@cache
def phrases() -> list[tuple[str, str]]:
    """What people learn by heart: (English, French)."""
    return [
        (english, french)
        for english, french in (line.split(" | ") for line in sections("french.txt")["phrase"])
    ]


@cache
def vocabulary() -> list[tuple[str, str]]:
    """Single words: (the cat, le chat), (cat, chat), (red, rouge)."""
    made = []
    for section in ("being", "food", "dish", "drink", "thing", "place"):
        for noun in _nouns(section):
            made.append((f"the {noun.english}", _determined("the", noun.one, noun)))
            made.append((noun.english, noun.one))
    return (
        made
        + [(adjective.english, adjective.masculine) for adjective in _adjectives().values()]
        + phrases()
    )


def starts_with_vowel(word: str, *, aspirate: bool = False) -> bool:
    """Whether le, la, je, ne and ma change before it."""
    return not aspirate and word[0] in "aeiouyhâàéèêëîïôœû"


def _determined(kind: str, words: str, noun: Noun, *, many: bool = False) -> str:
    """A French noun phrase with the determiner of an English one."""
    vowel = starts_with_vowel(words, aspirate=noun.aspirate and words.startswith(noun.one))
    if many:
        numbers = dict(_MANY)
        article = {
            "the": "les",
            "my": "mes",
            "your": "tes",
            "his": "ses",
            "her": "ses",
            "these": "ces",
        }
        return f"{numbers.get(kind) or article[kind]} {words}"
    feminine = noun.feminine
    if kind == "the":
        return f"l'{words}" if vowel else f"{'la' if feminine else 'le'} {words}"
    if kind == "a":
        return f"{'une' if feminine else 'un'} {words}"
    if kind == "this":
        return f"{'cette' if feminine else 'cet' if vowel else 'ce'} {words}"
    stem = {"my": "m", "your": "t", "his": "s", "her": "s"}[kind]
    return f"{stem}{'a' if feminine and not vowel else 'on'} {words}"


def _noun_phrase(
    draw: Draw, noun: Noun, fitting: list[str], *, many: bool = False, kind: str = ""
) -> Phrase:
    """the old cat = le vieux chat, and the like."""
    english, french = (plural(noun.english), noun.many) if many else (noun.english, noun.one)
    if fitting and draw.chance(0.45):
        names = [name for name in fitting if not held_out("combination", _TASK, name, noun.english)]
        chosen = _adjectives()[draw.pick(names)]
        vowel = chosen.precedes and starts_with_vowel(noun.one, aspirate=noun.aspirate)
        agreed = chosen.form(feminine=noun.feminine, many=many, vowel=vowel)
        english = f"{chosen.english} {english}"
        french = f"{agreed} {french}" if chosen.precedes else f"{french} {agreed}"
    numbers = tuple(number for number, _ in _MANY)
    some = ("these", *numbers[:4]) if many else ("a", "a", "a", "this")
    kind = kind or draw.pick(("the", "the", "the", "my", "her", "his", "your", *some))
    english = a(english) if kind == "a" else f"{kind} {english}"
    return Phrase(
        english, _determined(kind, french, noun, many=many), 5 if many else 2, noun.english
    )


def _some(draw: Draw, noun: Noun) -> Phrase:
    """the bread = le pain, some bread = du pain."""
    if draw.chance(0.5):
        return Phrase(f"the {noun.english}", _determined("the", noun.one, noun), head=noun.english)
    vowel = starts_with_vowel(noun.one, aspirate=noun.aspirate)
    article = "de l'" if vowel else "de la " if noun.feminine else "du "
    return Phrase(f"some {noun.english}", article + noun.one, head=noun.english)


def _subject(draw: Draw) -> Phrase:
    if draw.chance(0.3):
        english, french, person = draw.pick(_PRONOUNS)
        return Phrase(english, french, person, english)
    noun = draw.word(_TASK, _nouns("being"), _name)
    return _noun_phrase(draw, noun, _fitting("being"), many=draw.chance(0.25))


def _joined(subject: Phrase, verb: str) -> str:
    """je + aime -> j'aime."""
    if subject.french == "je" and starts_with_vowel(verb):
        return f"j'{verb}"
    return f"{subject.french} {verb}"


def _object(draw: Draw, noun: Noun, section: str) -> Phrase:
    if section in ("dish", "drink"):
        return _some(draw, noun)
    return _noun_phrase(draw, noun, _fitting(section), many=draw.chance(0.2))


def _place(draw: Draw) -> Phrase:
    noun = draw.word(_TASK, _nouns("place"), _name)
    english, french = draw.pick(tuple(_PLACED.items()))
    if english == "in" and noun.english in _ON_TOP:
        english = "on"
        french = "sur"
    where = _noun_phrase(draw, noun, _fitting("place"), kind="the")
    return Phrase(f"{english} {where.english}", f"{french} {where.french}")


def _acting(draw: Draw, section: str) -> tuple[str, str]:
    """Somebody does something to something: "the old cat eats the fish"."""
    verb = draw.pick(_verbs(f"verb on {section}"))
    while True:
        subject = _subject(draw)
        noun = draw.key_word(_TASK, _nouns(section), _name)
        if draw.fits(_TASK, subject.head, verb.base, noun.english):
            break
    thing = _object(draw, noun, section)
    form = verb.forms[subject.person]
    if draw.chance(0.15) and not thing.english.startswith("some"):
        ne = "n'" if starts_with_vowel(form) else "ne "
        does = "does" if subject.is_third else "do"
        english = f"{subject.english} {does} not {verb.base} {thing.english}"
        return english, f"{subject.french} {ne}{form} pas {thing.french}"
    english = f"{subject.english} {verb.third if subject.is_third else verb.base} {thing.english}"
    french = f"{_joined(subject, form)} {thing.french}"
    if draw.chance(0.25):
        where = _place(draw)
        return f"{english} {where.english}", f"{french} {where.french}"
    return english, french


def _moving(draw: Draw) -> tuple[str, str]:
    """Somebody does something somewhere."""
    verb = draw.pick(_verbs("verb"))
    while True:
        subject = _subject(draw)
        where = _place(draw)
        if draw.fits(_TASK, subject.head, verb.base, where.english.split()[-1]):
            break
    form = verb.forms[subject.person]
    english = f"{subject.english} {verb.third if subject.is_third else verb.base} {where.english}"
    return english, f"{_joined(subject, form)} {where.french}"


def _going(draw: Draw) -> tuple[str, str]:
    """I go to the market = je vais au marché."""
    subject = _subject(draw)
    noun = draw.word(_TASK, _nouns("place"), _name)
    where = _determined("the", noun.one, noun)
    french = "à "
    if where.startswith("le "):
        where = where.removeprefix("le ")
        french = "au "
    english = f"{subject.english} {'goes' if subject.is_third else 'go'} to the {noun.english}"
    return english, f"{_joined(subject, _GO[subject.person])} {french}{where}"


def _being(draw: Draw) -> tuple[str, str]:
    """Something is somehow: "my houses are white"."""
    section = draw.pick(("being", "thing", "food", "place"))
    while True:
        noun = draw.key_word(_TASK, _nouns(section), _name)
        adjective = _adjectives()[draw.pick(_fitting(section))]
        if draw.fits(_TASK, adjective.english, noun.english):
            break
    many = draw.chance(0.25)
    thing = _noun_phrase(
        draw, noun, [], many=many, kind=draw.pick(("the", "my", "your", "his", "her"))
    )
    agreed = adjective.form(feminine=noun.feminine, many=many)
    english = f"{thing.english} {'are' if many else 'is'} {adjective.english}"
    return english, f"{thing.french} {_BE[thing.person]} {agreed}"


def _feeling(draw: Draw) -> tuple[str, str]:
    """I am tired = je suis fatigué."""
    english, french, person = draw.pick(_PRONOUNS)
    adjective = _adjectives()[draw.pick(_fitting("being"))]
    agreed = adjective.form(feminine=english == "she", many=person >= 3)
    return (
        f"{english} {_AM.get(english, 'are')} {adjective.english}",
        f"{french} {_BE[person]} {agreed}",
    )


def _there(draw: Draw) -> tuple[str, str]:
    """there is a cat in the garden = il y a un chat dans le jardin."""
    noun = draw.word(_TASK, _nouns(draw.pick(("being", "thing"))), _name)
    thing = _noun_phrase(draw, noun, _fitting("place")[:5], kind="a")
    where = _place(draw)
    return f"there is {thing.english} {where.english}", f"il y a {thing.french} {where.french}"


def _where(draw: Draw) -> tuple[str, str]:
    """the key is under the table = la clé est sous la table; where is the key? = où est la clé ?"""
    noun = draw.word(_TASK, _nouns("thing"), _name)
    other = draw.word(_TASK, _nouns("thing"), _name)
    thing = _noun_phrase(draw, noun, _fitting("thing"))
    if draw.chance(0.3):
        return f"where is {thing.english}?", f"où est {thing.french} ?"
    english, french = draw.pick(tuple(_AROUND.items()))
    at = _noun_phrase(draw, other, _fitting("thing"), kind="the")
    return f"{thing.english} is {english} {at.english}", f"{thing.french} est {french} {at.french}"


def _alone(draw: Draw) -> tuple[str, str]:
    """a red apple = une pomme rouge."""
    section = draw.pick(("being", "food", "thing", "place"))
    noun = draw.word(_TASK, _nouns(section), _name)
    made = _noun_phrase(draw, noun, _fitting(section), many=draw.chance(0.25))
    return made.english, made.french


def sentence(draw: Draw) -> tuple[str, str]:
    """(English, French) of a simple sentence, without capitals and full stops.

    On the "combination" and "word" splits the sentence is one whose subject, verb and object, or
    whose noun and adjective, training never shows together, or whose noun it never shows in a
    sentence.
    """
    chance = draw.random.random()
    if draw.split == "train":
        for share, make in ((0.12, _alone), (0.2, _feeling), (0.3, _there), (0.38, _where)):
            if chance < share:
                return make(draw)
        if chance < 0.46:
            return draw.pick((_moving, _going))(draw)
    if chance < 0.62:
        return _being(draw)
    return _acting(draw, draw.pick(("being", "food", "dish", "drink", "thing", "thing")))
