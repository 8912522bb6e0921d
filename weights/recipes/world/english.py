"""Just enough English morphology for simple sentences."""

import re
from collections.abc import Sequence
from pathlib import Path

_LIST = Path(__file__).with_name("plurals.txt").read_text(encoding="utf-8")
_PLURALS = dict(pair.split("/") for line in _LIST.splitlines() for pair in line.split(", "))
# Their last consonant doubles although they have more than one vowel, or does not although they
# have one.
_DOUBLED = {"forget", "begin", "permit"}
_VOWEL_SOUND = re.compile(r"(?!uni|use|one\b|once|euro)[aeiou]|hour|honest|heir", re.IGNORECASE)


def plural(noun: str) -> str:
    """cat -> cats, city -> cities, bar of soap -> bars of soap."""
    head, of, rest = noun.partition(" of ")
    front, _, last = head.rpartition(" ")
    if last in _PLURALS:
        last = _PLURALS[last]
    elif re.search(r"(s|x|z|ch|sh)$", last):
        last += "es"
    elif re.search(r"[^aeiou]y$", last):
        last = last[:-1] + "ies"
    else:
        last += "s"
    return f"{front} {last}".strip() + of + rest


def third(verb: str) -> str:
    """walk -> walks, watch -> watches, carry -> carries; a phrase inflects its first word."""
    first, space, rest = verb.partition(" ")
    irregular = {"have": "has", "be": "is", "do": "does", "go": "goes"}
    if first in irregular:
        first = irregular[first]
    elif re.search(r"(s|x|z|ch|sh|o)$", first):
        first += "es"
    elif re.search(r"[^aeiou]y$", first):
        first = first[:-1] + "ies"
    else:
        first += "s"
    return first + space + rest


def past(verb: str) -> str:
    """walk -> walked, stop -> stopped, carry -> carried: the regular ones."""
    first, space, rest = verb.partition(" ")
    if first.endswith("e"):
        first += "d"
    elif re.search(r"[^aeiou]y$", first):
        first = first[:-1] + "ied"
    elif re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", first):
        first += first[-1] + "ed"
    else:
        first += "ed"
    return first + space + rest


def present_participle(verb: str) -> str:
    """walk -> walking, make -> making, run -> running."""
    first, space, rest = verb.partition(" ")
    if first.endswith("ie"):
        first = first[:-2] + "ying"
    elif first.endswith("e") and not first.endswith(("ee", "ye", "oe")):
        first = first[:-1] + "ing"
    elif re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", first) or first in _DOUBLED:
        first += first[-1] + "ing"
    else:
        first += "ing"
    return first + space + rest


def a(phrase: str) -> str:
    """With its indefinite article: an apple, a red apple."""
    return f"{'an' if _VOWEL_SOUND.match(phrase) else 'a'} {phrase}"


def capitalised(sentence: str) -> str:
    """With a capital first letter, the rest as it is."""
    return sentence[:1].upper() + sentence[1:]


def listed(things: Sequence[str]) -> str:
    """a, b and c."""
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"
