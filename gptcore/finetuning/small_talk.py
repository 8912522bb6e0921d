"""Small talk: what people say to an assistant beside asking for stories, and short answers; the texts are a file."""

import random
import re
from functools import cache
from pathlib import Path

_TEXTS = Path(__file__).with_name("small_talk.txt")
_SLOT = re.compile(r"\{(\w+)\}")
_SYLLABLES = ("ba", "dri", "fen", "ga", "ho", "ju", "ka", "lo", "mir", "na", "pe", "ro", "sha", "ti", "vel", "wu", "zo")
_NAMED = 0.1  # of the exchanges are about a name in any case, since copying one is the hardest to learn
_INVENTED = 0.4  # of the names, so that a name is copied and not recognised
_TYPED = (("as it is", 0.66), ("lower", 0.13), ("upper", 0.11), ("bare", 0.10))  # how a message is typed


def small_talk(draw: random.Random) -> tuple[str, ...]:
    """An exchange of a random kind: the user's turns and the answers to them, in turn; an answer is the last."""
    blocks, slots = _texts()
    named = [block for block in blocks if any("{name}" in answer for answer in block[1])]
    messages, answers = draw.choice(named if draw.random() < _NAMED else blocks)
    filled: dict[str, str] = {}

    def fill(text: str) -> str:
        return _SLOT.sub(lambda slot: filled.setdefault(slot[1], _filling(draw, slot[1], slots)), text)

    *earlier, message = (fill(turn) for turn in draw.choice(messages).split(" >> "))
    return (*earlier, _as_typed(draw, message), fill(draw.choice(answers)))


def _filling(draw: random.Random, slot: str, slots: dict[str, tuple[str, ...]]) -> str:
    if slot == "name" and draw.random() < _INVENTED:
        return "".join(draw.sample(_SYLLABLES, draw.choice((2, 2, 3)))).capitalize()
    return draw.choice(slots[slot])


def _as_typed(draw: random.Random, text: str) -> str:
    """As people type: mostly as it is, else in small letters, in capitals, or without the last full stop."""
    (way,) = draw.choices([way for way, _ in _TYPED], [share for _, share in _TYPED])
    if way == "lower":
        return text.lower()
    if way == "upper":
        return text.upper()
    return (text[:-1] if way == "bare" and text[:-1] and text[-1] in ".!" else text).strip()


@cache
def _texts() -> tuple[list[tuple[list[str], list[str]]], dict[str, tuple[str, ...]]]:
    """The blocks of the file, each of messages and the answers that fit any of them; and what stands in the slots."""
    slots: dict[str, tuple[str, ...]] = {}
    blocks = list[tuple[list[str], list[str]]]()
    for part in _TEXTS.read_text(encoding="utf-8").split("\n\n"):
        messages, answers = list[str](), list[str]()
        for line in part.splitlines():
            if line.startswith("{") and " = " in line:
                name, _, values = line.partition(" = ")
                slots[name.strip("{}")] = (*slots.get(name.strip("{}"), ()), *values.split(" | "))
            elif line.startswith("=> "):
                answers += line.removeprefix("=> ").split(" | ")
            elif not line.startswith("# "):
                messages += line.split(" | ")
        if messages:
            blocks.append((messages, answers))
    return blocks, slots
