"""Questions about a sentence of a simple story, found by patterns."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from weights.recipes.mining.lexicon import word_list

_NAME = r"(?P<who>[A-Z][a-z]+)"
_ANYBODY = r"(?P<who>[A-Z][a-z]+|[Tt]he (?:little |big |old |young )?[a-z]+|(?:[Hh]is|[Hh]er) [a-z]+)"
_THING = r"(?P<what>(?:a|an|the|his|her|some|two|three|many|their) [a-z]+(?: [a-z]+)?(?: (?:of|with) [a-z]+)?)"
_END = (
    r"(?=[.,!?;]| and | but | to | in | on | at | for | from | with | under | behind | near "
    r"| because | when | that | so |$)"
)
# Words that begin a sentence with a capital letter and are nobody's name.
NOBODY = word_list("nobody")
_MOTHERS = word_list("elders")
_DEEDS, _MOVES = (dict(pair.split(" ") for pair in sorted(word_list(name))) for name in ("deeds", "moved"))
_COLOURS, _FEELINGS, _BEINGS = ("|".join(sorted(word_list(name))) for name in ("colours", "feelings", "beings"))

_DID = re.compile(rf"\b{_ANYBODY} (?P<did>{'|'.join(_DEEDS)}) {_THING}{_END}")
_THEN_DID = re.compile(
    rf"\b{_ANYBODY} (?:{'|'.join((*_DEEDS, *_MOVES))}) [a-z ]{{3,40}} and (?P<did>{'|'.join(_DEEDS)}) {_THING}{_END}"
)
_ONE_DAY = re.compile(
    rf"^(?P<when>One [a-z]+(?: [a-z]+)?|On [A-Z][a-z]+|In the [a-z]+|At night|The next [a-z]+|Yesterday), "
    rf"{_ANYBODY} (?P<did>{'|'.join((*_DEEDS, *_MOVES))}) (?P<what>[a-z ]{{4,40}}?)[.,]"
)
_BECAUSE = re.compile(
    rf"\b{_ANYBODY} (?P<was>was|were|felt) (?:very |so )?(?P<how>[a-z]+) because (?P<why>[A-Za-z' ]{{6,60}})(?=[.!])"
)
_MOVED = re.compile(
    rf"\b{_NAME} (?P<did>{'|'.join(_MOVES)}) "
    rf"(?P<where>(?:to|into|in|on|under|behind|near|over|at|inside) (?:the|a|an|his|her) [a-z]+(?: [a-z]+)?){_END}"
)
_CALLED = re.compile(rf"\ba(?:n)? (?:[a-z]+ )?(?P<being>{_BEINGS}) (?:named|called) {_NAME}")
_FELT = re.compile(rf"\b{_ANYBODY} (?:was|felt|is) (?:very |so |really |a little )?(?P<how>{_FEELINGS})\b")
_COLOUR = re.compile(rf"\b(?:a|an|the|his|her) (?:[a-z]+ )?(?P<colour>{_COLOURS}) (?P<noun>[a-z]{{3,}})\b")
_BOTH = re.compile(r"\b(?P<one>[A-Z][a-z]+) and (?P<two>[A-Z][a-z]+) (?P<did>[a-z]+ed|went|ran|saw|found|were)\b")
_WISH = re.compile(rf"\b{_NAME} (?P<did>wanted|tried|liked|loved|decided) to (?P<what>[a-z]+(?: [a-z]+){{0,3}}?)[.,!]")
_SAID = re.compile(rf'"(?P<said>[A-Z][^"]{{4,40}}[.,!?])" {_NAME} (?:said|asked|shouted)')
_PLACED = re.compile(
    r"\b(?:[Tt]he|[Hh]is|[Hh]er) (?P<noun>[a-z]{3,}) (?:was|is) "
    r"(?P<where>(?:in|on|under|behind|near|inside) the [a-z]+)[.,]"
)


@dataclass(frozen=True)
class TaskForm:
    """A question about a sentence, its answer, and the words of the sentence that say it."""

    question: str
    answer: str
    said: str


def questions(sentence: str) -> list[TaskForm]:
    """What can be asked about a sentence, as far as patterns tell."""
    return [asked for pattern, ask in _PATTERNS for found in pattern.finditer(sentence) for asked in ask(found)]


def is_somebody(name: str) -> bool:
    """Whether a capitalised word can be a name."""
    return name not in NOBODY or name in _MOTHERS


def _subject(found: re.Match[str]) -> str:
    """Who it is about, as within a sentence, or "" where that is nobody in particular."""
    who = found["who"]
    if " " in who:
        return within(who)
    return who if is_somebody(who) else ""


def within(words: str) -> str:
    """As the words stand within a sentence that they began."""
    return words[:1].lower() + words[1:]


def _of_deed(found: re.Match[str]) -> list[TaskForm]:
    who, did, what = _subject(found), found["did"], found["what"]
    if not who:
        return []
    said = found[0]
    return [TaskForm(f"What did {who} {_DEEDS[did]}?", what, said), TaskForm(f"Who {did} {what}?", who, said)]


def _of_time(found: re.Match[str]) -> list[TaskForm]:
    who, base = _subject(found), {**_DEEDS, **_MOVES}[found["did"]]
    return [TaskForm(f"When did {who} {base} {found['what']}?", within(found["when"]), found[0])] if who else []


def _of_reason(found: re.Match[str]) -> list[TaskForm]:
    who, how, why = _subject(found), found["how"], found["why"]
    if not who:
        return []
    verb = f"did {who} feel" if found["was"] == "felt" else f"{found['was']} {who}"
    return [TaskForm(f"Why {verb} {how}?", answer, found[0]) for answer in (why, f"because {why}")]


def _of_move(found: re.Match[str]) -> list[TaskForm]:
    who, did, where = found["who"], found["did"], found["where"]
    if not is_somebody(who):
        return []
    return [
        TaskForm(f"Where did {who} {_MOVES[did]}?", where, found[0]),
        TaskForm(f"Who {did} {where}?", who, found[0]),
    ]


def _of_name(found: re.Match[str]) -> list[TaskForm]:
    being, who = found["being"], found["who"]
    asked = (f"What was the name of the {being}?", f"What was the {being}'s name?", f"What is the {being} called?")
    return [TaskForm(question, who, found[0]) for question in asked] + [
        TaskForm(f"What was {who}?", f"a {being}", found[0])
    ]


def _of_feeling(found: re.Match[str]) -> list[TaskForm]:
    who, how = _subject(found), found["how"]
    if not who:
        return []
    return [TaskForm(f"How did {who} feel?", how, found[0]), TaskForm(f"Who was {how}?", who, found[0])]


def _of_colour(found: re.Match[str]) -> list[TaskForm]:
    return [TaskForm(f"What colour was the {found['noun']}?", found["colour"], found[0])]


def _of_two(found: re.Match[str]) -> list[TaskForm]:
    one, two = found["one"], found["two"]
    if not (is_somebody(one) and is_somebody(two)) or found["did"] == "were":
        return []
    return [TaskForm(f"Who {found['did']} with {one}?", two, found[0]), TaskForm(f"Who was with {two}?", one, found[0])]


def _of_wish(found: re.Match[str]) -> list[TaskForm]:
    who, did, what = found["who"], found["did"], found["what"]
    if not is_somebody(who):
        return []
    base = {"wanted": "want", "tried": "try", "liked": "like", "loved": "love", "decided": "decide"}[did]
    return [TaskForm(f"What did {who} {base} to do?", what, found[0]), TaskForm(f"Who {did} to {what}?", who, found[0])]


def _of_speech(found: re.Match[str]) -> list[TaskForm]:
    said = found["said"].rstrip(",.")
    return [TaskForm(f'Who said "{said}"?', found["who"], found[0])] if is_somebody(found["who"]) else []


def _of_place(found: re.Match[str]) -> list[TaskForm]:
    return [TaskForm(f"Where was the {found['noun']}?", found["where"], found[0])]


_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], list[TaskForm]]], ...] = (
    (_DID, _of_deed), (_THEN_DID, _of_deed), (_ONE_DAY, _of_time), (_BECAUSE, _of_reason), (_MOVED, _of_move),
    (_CALLED, _of_name), (_FELT, _of_feeling), (_COLOUR, _of_colour), (_BOTH, _of_two), (_WISH, _of_wish),
    (_SAID, _of_speech), (_PLACED, _of_place),
)  # fmt: skip
