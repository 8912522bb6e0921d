"""Short texts of one to three statements that stood far apart in prose, about people with new
names.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gptcore.zero_shot.templates import Item
from weights.recipes.mining.asking import asked_about, is_alive
from weights.recipes.mining.clauses import Clause, ClauseGrammar
from weights.recipes.mining.passages import sentences_of
from weights.recipes.mining.patterns import TaskForm
from weights.recipes.world.english import a, capitalised
from weights.recipes.world.lexicon import entries, jobs, words
from weights.recipes.world.splits import Draw, hidden_words, shows
from weights.recipes.world.telling import Person, person

_LINKS = (", and ", ", but ", ", while ", ". ", ". ", ". ")
_NEXT = ("Then", "Later", "After that", "The next day", "In the end", "Soon afterwards", "", "")
_TENSES = (
    "past",
    "past",
    "past",
    "past",
    "past",
    "past",
    "present",
    "present",
    "present",
    "future",
)
_EVERY_TENSE = re.compile(r"every |on |in the |at (?!once|last)|before |after ")
_MOST_CHARACTERS = 320
# Later sentences that end with a thing of the text, and those that end with a person of it; {other}
# is somebody new.
_ABOUT_THINGS, _ABOUT_PEOPLE = entries("closings.txt", Path(__file__).parent).values()


@dataclass(frozen=True)
class Statement:
    """A clause in a tense, and the person whom its subject is, where it is one."""

    clause: Clause
    tense: str
    who: Person | None

    @property
    def text(self) -> str:
        """As a sentence without its full stop."""
        return self.clause.told(self.tense).rstrip(".")

    @property
    def noun(self) -> str:
        """The thing that was done something to, in one word; "" where there is none."""
        head = self.clause.parts.get("what", "").split(" of ")[0].split(" ")[-1]
        return head if head.islower() else ""


class Statements:
    """Draws statements from stories.

    Args:
        stories: texts in prose.
        grammar: reads their sentences.
    """

    def __init__(self, stories: Sequence[str], grammar: ClauseGrammar) -> None:
        self._sentences = [sentence for story in stories for sentence in sentences_of(story)] or [
            ""
        ]
        self._grammar = grammar

    def question(self, draw: Draw) -> Item:
        """A text and a question about one of its statements."""
        made, text = draw.until(
            lambda: self._text(draw), lambda made: len(made[1]) < _MOST_CHARACTERS
        )
        asked = [form for item in made for form in _asked(item)]
        form = draw.pick(asked)
        return Item(
            {"text": text, "question": form.question},
            form.answer,
            steps=f'The text says: "{form.said}."',
        )

    def last_word(self, draw: Draw) -> Item:
        """A text and a later sentence about somebody or something of it, without its last word."""
        made, text = draw.until(
            lambda: self._text(draw),
            lambda made: (
                len(made[1]) < _MOST_CHARACTERS and any(item.noun or item.who for item in made[0])
            ),
        )
        one = draw.pick([item for item in made if item.noun or item.who])
        fronts = _ABOUT_PEOPLE if one.who and (not one.noun or draw.chance(0.25)) else _ABOUT_THINGS
        word = one.who.name if one.who and fronts is _ABOUT_PEOPLE else one.noun
        other = draw.until(lambda: person(draw), lambda other: other.name not in text).name
        front = draw.pick(fronts).format(other=other, who=one.clause.who)
        return Item({"text": f"{text} {capitalised(front)}"}, word)

    def _text(self, draw: Draw) -> tuple[list[Statement], str]:
        """Statements, and all of them as a text."""
        first = self._statement(draw, draw.pick(_TENSES))
        n = draw.pick((1, 1, 1, 1, 2, 2, 2, 3, 3))
        if n == 2 and first.who and first.tense == "past" and draw.chance(0.4):
            second = self._statement(draw, "past", who=first.who, taken=[first])
            said = replace(second.clause, who=first.who.she).told()
            link = draw.pick(_NEXT)
            rest = f"{link} {said[0].lower()}{said[1:]}" if link else said
            heard = replace(second, clause=replace(second.clause, said=said.rstrip(".")))
            return [first, heard], f"{first.text}. {rest}"
        made = [first]
        while len(made) < n:
            made.append(
                self._statement(
                    draw, first.tense if draw.chance(0.7) else draw.pick(_TENSES), taken=made
                )
            )
        text = made[0].text
        for item in made[1:]:
            link = draw.pick(_LINKS)
            clause = (
                item.text
                if link == ". "
                else f"{item.clause.who}{item.text[len(item.clause.who) :]}"
            )
            text += link + clause
        return made, text + "."

    def _statement(
        self, draw: Draw, tense: str, *, who: Person | None = None, taken: Sequence[Statement] = ()
    ) -> Statement:
        """One, of another deed than those taken, and by somebody else, unless it is given by
        whom.
        """

        def cast() -> Statement | None:
            clause = self._grammar.read(draw.pick(self._sentences))
            return None if clause is None else _cast(draw, clause, tense, who)

        def good(made: Statement | None) -> bool:
            if (
                made is None
                or not asked_about(made.clause)
                or shows(made.text, hidden_words("question"))
            ):
                return False
            return all(
                made.clause.base != other.clause.base
                and (who or made.clause.who != other.clause.who)
                for other in taken
            )

        found = draw.until(cast, good)
        if found is None:
            raise ValueError("there are too few statements to choose from")
        return found


def _asked(statement: Statement) -> list[TaskForm]:
    return [
        replace(form, question=capitalised(form.question))
        for form in asked_about(statement.clause, statement.tense)
    ]


def _cast(draw: Draw, clause: Clause, tense: str, who: Person | None) -> Statement | None:
    """The clause with a person of ours as its subject, where it has a person or a pronoun for
    one.
    """
    parts = _timeless(clause.parts) if tense != "past" else clause.parts
    said = " ".join(parts.values())
    owned = {word == "her" for word in re.findall(r"\b(?:his|her)\b", said)}
    pronoun = clause.who in ("he", "she", "they")
    if not parts or re.search(r"\b(?:my|our|their|its|I|he|she|they|it)\b", said) or len(owned) > 1:
        return None
    actor = None
    if who or pronoun or (is_alive(clause.who) and not clause.plural):
        girl = (
            next(iter(owned))
            if owned
            else clause.who == "she" or (clause.who != "he" and draw.chance(0.5))
        )
        if who and owned and who.girl != girl:
            return None
        if who or draw.chance(0.8):
            actor = who or draw.until(lambda: person(draw), lambda new: new.girl == girl)
            subject = actor.name
        else:
            animal = draw.pick(words("animal"))
            subject = draw.pick((f"the {draw.pick(jobs())[0]}", a(animal), f"the {animal}"))
        clause = replace(clause, who=subject)
    clause = replace(clause, parts=parts)
    return Statement(replace(clause, said=clause.told(tense).rstrip(".")), tense, actor)


def _timeless(parts: Mapping[str, str]) -> dict[str, str]:
    """The parts less a time that only the past has."""
    return {
        name: part for name, part in parts.items() if name != "when" or _EVERY_TENSE.match(part)
    }
