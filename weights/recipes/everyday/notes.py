"""Short notes about anything, as people write them when they try a model, with what can be asked
about each.

`notes.txt` has a line for each kind: the text, its questions with their answers, and after ">" a
later sentence whose last word the text tells. Where scenes put the same few kinds of facts
together, these are many kinds of sentences.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from weights.recipes.everyday.slots import Slots
from weights.recipes.world.english import capitalised
from weights.recipes.world.splits import Draw
from weights.recipes.world.telling import Story

_PRONOUNS = frozenset(("she", "he", "her", "his", "him", "She", "He", "Her", "His"))
_FILE = Path(__file__).with_name("notes.txt")


@dataclass(frozen=True)
class Frame:
    """A line of notes.txt: the text, (question, answer) each, and (front, last word) of a later
    sentence, if any.
    """

    text: str
    asked: tuple[tuple[str, str], ...]
    last: tuple[str, str] | None


@cache
def frames() -> list[Frame]:
    """The kinds of notes."""
    return [_frame(line) for line in _FILE.read_text(encoding="utf-8").splitlines() if line.strip()]


def _frame(line: str) -> Frame:
    text, *rest = line.split(" | ")
    parts = [tuple(part.removeprefix("> ").split(" = ")) for part in rest]
    asked = tuple(
        (part[0], part[1])
        for part, given in zip(parts, rest, strict=True)
        if not given.startswith("> ")
    )
    closing = [
        (part[0], part[1])
        for part, given in zip(parts, rest, strict=True)
        if given.startswith("> ")
    ]
    return Frame(text, asked, closing[0] if closing else None)


@dataclass(frozen=True)
class Note:
    """A frame with its slots filled."""

    text: str
    asked: tuple[tuple[str, str], ...]
    last: str  # a whole sentence, or ""
    words: frozenset[str]  # in the slots

    def names(self, sentence: str) -> bool:
        """Whether the sentence names somebody or something of this note."""
        return any(
            re.search(rf"\b{re.escape(word)}\b", sentence) for word in self.words - _PRONOUNS
        )


def told(draw: Draw, frame: Frame, taken: frozenset[str] = frozenset()) -> Note:
    """A note of that kind, with none of the words taken before."""
    slots = draw.until(lambda: _filled(draw, frame, taken), Slots.fits)
    asked = tuple(
        (capitalised(slots.fill(question)), slots.fill(answer)) for question, answer in frame.asked
    )
    last = (
        f"{_sentences(slots.fill(frame.last[0]))} {slots.fill(frame.last[1])}."
        if frame.last
        else ""
    )
    return Note(_sentences(slots.fill(frame.text)), asked, last, frozenset(slots.values()))


def note(draw: Draw) -> Story:
    """One to three notes, each about people and things of its own; a last sentence, where one of
    them has any.

    Of several, only what names somebody or something of its note is asked or said at the end.
    """
    made = Story()
    closings = list[str]()
    taken: frozenset[str] = frozenset()
    chosen = draw.some(frames(), draw.pick((1, 1, 1, 2, 2, 3)))
    for frame in chosen:
        one = told(draw, frame, taken)
        alone = len(chosen) == 1
        made.say(one.text, *(pair for pair in one.asked if alone or one.names(pair[0])))
        closings += (
            [one.last] if one.last and (alone or one.names(one.last.rpartition(" ")[0])) else []
        )
        taken |= one.words
    if closings:
        made.last = draw.pick(closings)
    return made


def _filled(draw: Draw, frame: Frame, taken: frozenset[str]) -> Slots:
    """Slots in which all words of the frame are drawn."""
    slots = Slots(draw, taken)
    for line in (frame.text, *(part for pair in frame.asked for part in pair), *(frame.last or ())):
        slots.fill(line)
    return slots


def _sentences(text: str) -> str:
    return ". ".join(capitalised(part) for part in text.split(". "))
