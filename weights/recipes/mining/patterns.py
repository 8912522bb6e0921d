"""Questions about a sentence of a simple story, found by patterns."""

import re
from dataclasses import dataclass

from weights.recipes.mining.lexicon import word_list

_NAME = r"(?P<who>[A-Z][a-z]+)"
_ANYBODY = (
    r"(?P<who>[A-Z][a-z]+|[Tt]he (?:little |big |old |young )?[a-z]+|(?:[Hh]is|[Hh]er) [a-z]+)"
)
_THING = r"(?P<what>(?:a|an|the|his|her|some|two|three|many|their) [a-z]+(?: [a-z]+)?(?: (?:of|with) [a-z]+)?)"
_END = (
    r"(?=[.,!?;]| and | but | to | in | on | at | for | from | with | under | behind | near "
    r"| because | when | that | so |$)"
)
# Words that begin a sentence with a capital letter and are nobody's name.
NOBODY = word_list("nobody")
_MOTHERS = word_list("elders")
_DEEDS, _MOVES = (
    dict(pair.split(" ") for pair in sorted(word_list(name))) for name in ("deeds", "moved")
)
_COLOURS, _FEELINGS, _BEINGS = (
    "|".join(sorted(word_list(name))) for name in ("colours", "feelings", "beings")
)

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
_CALLED = re.compile(
    rf"\ba(?:n)? (?:[a-z]+ )?(?P<being>{_BEINGS}) (?:named|called) (?P<name>[A-Z][a-z]+)"
)
_FELT = re.compile(
    rf"\b{_ANYBODY} (?:was|felt|is) (?:very |so |really |a little )?(?P<how>{_FEELINGS})\b"
)
_COLOUR = re.compile(
    rf"\b(?:a|an|the|his|her) (?:[a-z]+ )?(?P<colour>{_COLOURS}) (?P<noun>[a-z]{{3,}})\b"
)
_BOTH = re.compile(
    r"\b(?P<one>[A-Z][a-z]+) and (?P<two>[A-Z][a-z]+) (?P<did>[a-z]+ed|went|ran|saw|found)\b"
)
_WISH = re.compile(
    rf"\b{_NAME} (?P<did>wanted|tried|liked|loved|decided) to (?P<what>[a-z]+(?: [a-z]+){{0,3}}?)[.,!]"
)
_SAID = re.compile(rf'"(?P<said>[A-Z][^"]{{4,40}}[.,!?])" {_NAME} (?:said|asked|shouted)')
_PLACED = re.compile(
    r"\b(?:[Tt]he|[Hh]is|[Hh]er) (?P<noun>[a-z]{3,}) (?:was|is) "
    r"(?P<where>(?:in|on|under|behind|near|inside) the [a-z]+)[.,]"
)


# What is asked of what each finds, and the answers, with the words of the text in them.
_PATTERNS = (
    (_DID, (("What did {who} {base}?", "{what}"), ("Who {did} {what}?", "{who}"))),
    (_THEN_DID, (("What did {who} {base}?", "{what}"), ("Who {did} {what}?", "{who}"))),
    (_ONE_DAY, (("When did {who} {base} {what}?", "{when}"),)),
    (_BECAUSE, (("Why {verb} {how}?", "{why}"), ("Why {verb} {how}?", "because {why}"))),
    (_MOVED, (("Where did {who} {base}?", "{where}"), ("Who {did} {where}?", "{who}"))),
    (_CALLED, (
        ("What was the name of the {being}?", "{name}"), ("What was the {being}'s name?", "{name}"),
        ("What is the {being} called?", "{name}"), ("What was {name}?", "a {being}"),
    )),
    (_FELT, (("How did {who} feel?", "{how}"), ("Who was {how}?", "{who}"))),
    (_COLOUR, (("What colour was the {noun}?", "{colour}"),)),
    (_BOTH, (("Who {did} with {one}?", "{two}"), ("Who was with {two}?", "{one}"))),
    (_WISH, (("What did {who} {base} to do?", "{what}"), ("Who {did} to {what}?", "{who}"))),
    (_SAID, (('Who said "{said}"?', "{who}"),)),
    (_PLACED, (("Where was the {noun}?", "{where}"),)),
)  # fmt: skip
_BASES = {
    **_DEEDS,
    **_MOVES,
    "wanted": "want",
    "tried": "try",
    "liked": "like",
    "loved": "love",
    "decided": "decide",
}


@dataclass(frozen=True)
class TaskForm:
    """A question about a sentence, its answer, and the words of the sentence that say it."""

    question: str
    answer: str
    said: str


def questions(sentence: str) -> list[TaskForm]:
    """What can be asked about a sentence, as far as patterns tell."""
    return [
        TaskForm(question.format(**words), answer.format(**words), found[0])
        for pattern, asked in _PATTERNS
        for found in pattern.finditer(sentence)
        if (words := _words(found))
        for question, answer in asked
    ]


def _words(found: re.Match[str]) -> dict[str, str]:
    """The words of the text as questions take them; none where it is about nobody in particular."""
    words = found.groupdict()
    if not all(
        " " in words[name] or is_somebody(words[name])
        for name in ("who", "one", "two")
        if name in words
    ):
        return {}
    words |= {
        name: within(words[name])
        for name in ("who", "when")
        if name in words and (name == "when" or " " in words[name])
    }
    words["base"] = _BASES.get(words.get("did", ""), "")
    if was := words.get("was"):
        words["verb"] = f"did {words['who']} feel" if was == "felt" else f"{was} {words['who']}"
    words["said"] = words.get("said", "").rstrip(",.")
    return words


def is_somebody(name: str) -> bool:
    """Whether a capitalised word can be a name."""
    return name not in NOBODY or name in _MOTHERS


def within(words: str) -> str:
    """As the words stand within a sentence that they began."""
    return words[:1].lower() + words[1:]
