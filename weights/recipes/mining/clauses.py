"""Plain clauses found in prose: who did what to whom, where, when, how and why.

A small grammar reads a sentence from its first word. What it cannot read to the end of the clause
it leaves alone, so that little of what it says is wrong.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from weights.recipes.mining.lexicon import Lexicon, word_list
from weights.recipes.mining.patterns import NOBODY, within
from weights.recipes.world.english import capitalised, third

NUMBERS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty"
_OWN = "[Hh]is|[Hh]er|[Tt]heir|[Mm]y|[Oo]ur|[Ii]ts"
_DETERMINERS = f"the|an?|his|her|their|my|our|its|every|some|many|several|{NUMBERS}"
_NAME = r"(?:(?:Mrs?|Miss|Dr|Aunt|Uncle|King|Queen|Prince|Princess|Captain)\.? )?[A-Z][a-z]{2,}"
# Words that no noun phrase goes on with.
_STOP = "|".join(sorted(word_list("stop")))
_NOUN = rf"(?!(?:{_STOP})\b)[a-z]{{2,}}\b(?<!ly)"
_PHRASE = (
    rf"(?:(?:(?i:{_DETERMINERS})|{_NAME}'s) {_NOUN}(?: {_NOUN}){{0,2}}"
    rf"(?: of (?:(?:the|an?|{_OWN}) )?{_NOUN}(?: {_NOUN})?)?)"
)
_OPENING = re.compile(
    r"(?:(?P<when>One [a-z]+(?: [a-z]+)?|On [A-Z][a-z]+|That [a-z]+|The next [a-z]+|Every [a-z]+|In the [a-z]+"
    r"|At [a-z]+|Last [a-z]+|Yesterday),? |(?:Then|So|But|And|Finally|Soon|Suddenly|At last|Now),? )?"
)
_TIMES = word_list("times")
_TIME = "|".join(sorted(_TIMES))
# What is in something, or with it, in a manner of speaking only.
_ABSTRACT = word_list("abstract")
_PREPOSITION = (
    "in|on|under|behind|near|inside|outside|into|onto|through|across|beside|between|around|above|below|against|past|"
    "out of|over|up|down|along|at|to|from|towards?|upon|about|for|of|by|after"
)
_PARTS = {
    "span": re.compile(
        rf"(?P<part>for (?:{NUMBERS}|an?|a long|a whole|the whole) (?:{_TIME})\b|all (?:day|night|morning)\b)"
    ),
    "when": re.compile(
        rf"(?P<part>(?:in|during|at|on|by|before|after|until|since) (?:(?:the|that|an?) (?:[a-z]+ )?)?(?:{_TIME})\b|"
        r"on (?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)|"
        rf"(?:every|that|this|last|next|the next|one) (?:{_TIME})\b|yesterday|today|tomorrow|at once|at last)"
    ),
    "with": re.compile(rf"with (?P<part>{_NAME}|(?:the|an?|{_OWN}) {_NOUN}(?: {_NOUN})?)"),
    "place": re.compile(
        rf"(?P<part>(?P<how>{_PREPOSITION}) (?P<noun>(?:the|an?|{_OWN}|{_NAME}'s) {_NOUN}(?: {_NOUN})?(?: of {_NOUN})?|"
        rf"{_NAME}))"
    ),
    "manner": re.compile(
        r"(?P<part>(?:very )?[a-z]{3,}ly)\b(?<!only)(?<!really)(?<!early)(?<!family)(?<!nearly)"
    ),
    "purpose": re.compile(r"to (?P<part>(?P<verb>[a-z]+)(?: [a-z']+){0,6}?)(?=[.,!;]|$)"),
}
_THING = re.compile(
    rf"(?P<part>{_PHRASE}|{_NAME}(?= and\b|[.,!;]|$| (?:in|on|at|to|with|for|from)\b))"
)
_WHY = re.compile(r",? ?because (?P<part>[A-Za-z', ]{6,70}?)(?=[.!;]|$)")
_PARTICLE = re.compile(r"(?:up|down|out|off|away|back) ?\b")
_ENDS = re.compile(
    r"[.!;]|$|,? ?(?:and|but|when|while|so|until|as|who|which|where|then)\b|, [a-z]+ing\b"
)
MOVES = word_list("moves")
_NOT_ASKED = word_list("not asked")
_PRONOUNS = ("He", "She", "They")
_SEVERAL = re.compile(rf"(?:{NUMBERS}|many|several) ")


def head_of(phrase: str) -> str:
    """The noun of a phrase: "king" of "the old king of the sea"."""
    return phrase.split(" of ")[0].split()[-1]


@dataclass(frozen=True)
class Clause:
    """Who did something, and the rest in the order of the text.

    Attributes:
        who: the subject, as it stands within a sentence.
        did: its verb in the past tense, with a particle ("picked up"); `base` is its base form
            ("pick up").
        parts: "what", to which it was done; "place", a preposition and a noun; "when", "span",
            "with", "manner", "purpose" and "why", the last four without the word that brings them
            in.
        said: the words of the text.
    """

    who: str
    did: str
    base: str
    parts: Mapping[str, str]
    said: str = ""

    @property
    def plural(self) -> bool:
        """Whether several did it, as far as the first words tell."""
        if self.who == "they" or " and " in self.who or _SEVERAL.match(self.who.lower()):
            return True
        return re.search(r"[^s]s$", head_of(self.who)) is not None and self.who.islower()

    def told(self, tense: str = "past") -> str:
        """The clause as a sentence, in the past, the present ("present") or the future
        ("future").
        """
        before = {"with": "with ", "purpose": "to ", "why": "because "}
        rest = [before.get(name, "") + part for name, part in self.parts.items()]
        return capitalised(" ".join((self.who, self.verb(tense), *rest))) + "."

    def verb(self, tense: str) -> str:
        """The verb in a tense, for this subject."""
        first, space, particle = self.base.partition(" ")
        now = first if self.plural else third(first)
        return {"past": self.did, "future": f"will {self.base}"}.get(
            tense
        ) or now + space + particle


class ClauseGrammar:
    """Reads the first clause of a sentence, with the verbs of a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        verbs = "|".join(sorted(lexicon.verbs, key=len, reverse=True))
        self._begins = re.compile(
            rf"(?P<who>{_NAME}(?: and {_NAME})?|{_PHRASE}|{'|'.join(_PRONOUNS)}) (?P<did>{verbs})\b ?"
        )
        self._bases = frozenset(lexicon.verbs.values())

    def read(self, sentence: str) -> Clause | None:
        """The clause that a sentence begins with, or None where the grammar does not read it."""
        opening = _OPENING.match(sentence)
        if opening is None:
            return None
        found = self._begins.match(sentence, opening.end())
        if not found:
            return None
        who = found["who"]
        did = found["did"]
        base = self._lexicon.verbs[did]
        if any(word in self._lexicon.verbs for word in who.split()[1:]) or base in _NOT_ASKED:
            return None
        if not (who in _PRONOUNS or self._is_somebody(who)):
            return None
        end = found.end()
        particle = _PARTICLE.match(sentence, end)
        if particle and base not in MOVES:
            did = f"{did} {particle[0].strip()}"
            base = f"{base} {particle[0].strip()}"
            end = particle.end()
        who = who if who not in _PRONOUNS and self._is_named(who.split("'s ")[0]) else within(who)
        read = self._rest(Clause(who, did, base, {}), sentence, end)
        if read is None:
            return None
        clause, end = read
        if opening["when"] and "when" not in clause.parts:
            clause = replace(clause, parts={**clause.parts, "when": within(opening["when"])})
        return replace(clause, said=sentence[opening.end() : end].strip(" .,!;"))

    def _rest(self, clause: Clause, sentence: str, at: int) -> tuple[Clause, int] | None:
        """The parts that follow the verb and where they end, or None where something else
        follows.
        """
        parts: dict[str, str] = {}
        found = _THING.match(sentence, at)
        if found and self._is_thing(found["part"]):
            parts["what"], at = found["part"], _after(sentence, found)
        while True:
            for name, pattern in _PARTS.items():
                found = pattern.match(sentence, at)
                if found and name not in parts and self._fits(clause, name, found):
                    parts[name], at = found["part"], _after(sentence, found)
                    break
            else:
                break
        reason = _WHY.match(sentence, at)
        if reason:
            parts["why"], at = reason["part"], reason.end()
        if (
            not parts
            or (clause.base == "put" and "what" not in parts)
            or not _ENDS.match(sentence, at)
        ):
            return None
        return replace(clause, parts=parts), at

    def _fits(self, clause: Clause, name: str, found: re.Match[str]) -> bool:
        base = clause.base.split()[0]
        last = found["part"].split()[-1]
        if name == "purpose":
            return found["verb"] in self._bases and base in MOVES | {
                "stop",
                "take",
                "use",
                "buy",
                "wait",
                "need",
            }
        if name in ("place", "with"):
            return last not in _ABSTRACT and last not in _TIMES and last not in NOBODY
        return True

    def _is_thing(self, words: str) -> bool:
        first = words.split()[0]
        last = words.split()[-1]
        return last not in _TIMES and last not in _ABSTRACT and (first not in NOBODY)

    def _is_named(self, who: str) -> bool:
        return all(self._lexicon.is_name(name.split()[-1]) for name in who.split(" and "))

    def _is_somebody(self, who: str) -> bool:
        if re.fullmatch(_DETERMINERS, who.split()[0].lower()):
            return who.split()[-1] not in _TIMES and who.split()[-1] not in _ABSTRACT
        return who.split()[0] not in NOBODY and (self._is_named(who) or "'s " in who)


def _after(sentence: str, found: re.Match[str]) -> int:
    """Where the next word begins."""
    return found.end() + sentence.startswith(" ", found.end())
