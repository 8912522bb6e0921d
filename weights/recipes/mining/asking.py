"""What can be asked about a clause, and the answers."""

import re
from dataclasses import replace

from weights.recipes.mining.clauses import MOVES, NUMBERS, Clause, head_of
from weights.recipes.mining.lexicon import word_list
from weights.recipes.mining.patterns import TaskForm
from weights.recipes.world.lexicon import jobs

_LOOKS = word_list("looks")
_GIVES = word_list("gives")
_PLACES = word_list("places")
_ON_THE_WAY = word_list("on the way")
_PEOPLE = word_list("people") | {job for job, _ in jobs()}
_ASKED_OF = {
    "when": ("When", "When"),
    "span": ("How long", "For how long"),
    "manner": ("How",),
    "purpose": ("Why", "Why"),
    "why": ("Why",),
}


def asked_about(clause: Clause, tense: str = "past") -> list[TaskForm]:
    """Questions about a clause and their answers, in the tense in which it is told."""
    parts = clause.parts
    who = clause.who
    do = {"past": "did", "future": "will"}.get(tense) or ("do" if clause.plural else "does")
    first, _, particle = clause.base.partition(" ")
    what = parts.get("what", "")
    place = parts.get("place", "")
    done = f"{do} {who} {clause.base}{' ' + what if what else ''}"
    asked: list[tuple[str, str]] = []
    if what or place:
        who_or_what = "Who" if is_alive(who) else "What"
        verb = replace(clause, who="one").verb(tense)  # "Who sees it?", however many do
        asked.append((f"{who_or_what} {verb} {what or place}?", who))
        asked += (
            [(f"Which {who.split()[-1]} {verb} {what or place}?", who)]
            if re.match(r"the \w+ \w+$", who)
            else []
        )
    if what:
        asked += _about_thing(
            f"{do} {who} {first}", f" {particle}" if particle else "", what, place
        )
    if place:
        asked += _about_place(done, clause.base.split()[0], place)
    if "with" in parts:
        asked.append(
            (f"{'Who' if is_alive(parts['with']) else 'What'} {done} with?", parts["with"])
        )
    for name, questions in _ASKED_OF.items():
        if name in parts:
            answer = f"to {parts[name]}" if name == "purpose" else parts[name]
            asked += [(f"{question} {done}?", answer) for question in questions]
    if "why" in parts:
        asked.append((f"Why {done}?", f"because {parts['why']}"))
    return [TaskForm(question, answer, clause.said) for question, answer in asked]


def _about_thing(did: str, particle: str, what: str, place: str) -> list[tuple[str, str]]:
    which = "Who" if is_alive(what) else "What"
    asked = [(f"{which} {did}{particle}?", what)] * 2
    if place and not particle:
        asked.append((f"{which} {did} {place}?", what))
    number = re.match(rf"({NUMBERS}) (?!of )(.+)", what)
    if number:
        asked += [(f"How many {number[2]} {did}{particle}?", number[1])] * 3
    owner = re.match(r"(\S+)'s (.+)", what)
    if owner:
        asked += [(f"Whose {owner[2]} {did}{particle}?", owner[1])] * 3
    return asked


def _about_place(done: str, base: str, place: str) -> list[tuple[str, str]]:
    """Where, or of whom and what with the preposition left at the end: What did he look at?"""
    how, _, noun = place.partition(" ")
    if place.startswith("out of "):
        how = "out of"
        noun = place.removeprefix("out of ")
    which = "Who" if is_alive(noun) else "What"
    left = (f"{which} {done} {how}?", noun)
    if how == "to" and base in _GIVES:
        return [left, (f"To whom {done}?", noun)]
    somewhere = (
        how in _PLACES
        or (how in _ON_THE_WAY and base in MOVES)
        or (how == "at" and base not in _LOOKS)
    )
    return [(f"Where {done}?", place)] * 2 + [left] if somewhere and which == "What" else [left]


def is_alive(who: str) -> bool:
    """Whether one asks "who": a name, or a person's word."""
    last = head_of(who)
    return last[0].isupper() or last in _PEOPLE or who in ("he", "she", "they")
