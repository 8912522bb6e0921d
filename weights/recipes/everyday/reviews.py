"""Reviews in people's own words, with their sentiment."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from gptcore.zero_shot.templates import Item
from weights.recipes.everyday.slots import Slots
from weights.recipes.world.english import capitalised, plural
from weights.recipes.world.lexicon import sections, words
from weights.recipes.world.reviews import REVIEWED
from weights.recipes.world.splits import Draw, hidden_words, shows
from weights.recipes.world.wordings import wording

_HERE = Path(__file__).parent
_WORD = re.compile(r"[A-Za-z]+")
_ADVERBS = ("", "", "", "absolutely ", "simply ", "really ", "truly ", "so ", "utterly ", "just ")


@cache
def _film_words() -> dict[str, list[str]]:
    """Words and sentences of film reviews by what they are, without those that the sentiment task
    never shows.
    """
    hidden = hidden_words("sentiment")
    return {
        name: [line for line in lines if not shows(line, hidden)]
        for name, lines in sections("films.txt", _HERE).items()
    }


def _filled(draw: Draw, sentence: str, kind: str) -> str:
    return sentence.format(kind=kind, kinds=plural(kind), n=draw.pick((5, 10, 15, 20, 25, 40, 45)))


def film_review(draw: Draw) -> tuple[str, bool, str]:
    """(text, whether it likes the film, words of it that say so)."""
    return draw.until(lambda: _film_review(draw), lambda made: _may_be_shown(draw, made[0]))


def _film_review(draw: Draw) -> tuple[str, bool, str]:
    positive = draw.chance(0.5)
    words_of = _film_words()
    good, bad = (words_of["good"], words_of["bad"])[:: 1 if positive else -1]
    did, said = (
        (words_of["liked"], words_of["love"])
        if positive
        else (words_of["disliked"], words_of["hate"])
    )
    kind = draw.pick(words_of["kind"])
    part = draw.some(words_of["part"], 3)
    word, other = draw.some(good, 2)
    plain = draw.until(lambda: draw.pick(good), lambda word: not _is_noun(word))
    very = "" if _is_noun(word) else draw.pick(_ADVERBS)
    shapes: tuple[tuple[str, str], ...] = (
        (f"The {part[0]} was {very}{word} and the {part[1]} {(one := draw.pick(did))}", one),
        (f"The {part[0]} is {very}{word}, the {part[1]} {other}", word),
        (f"The {kind} {(two := draw.pick(did))}", two),
        (f"This {kind} was {very}{word}", word),
        (capitalised(f"{very}{word}"), word),
        (
            f"{draw.pick(('Great', 'Lovely') if positive else ('Bad', 'Poor'))} {part[0]} and "
            f"{plain} {part[1]}",
            plain,
        ),
        (f"The {part[0]} was {draw.pick(bad)}, but the {kind} as a whole was {word}", word),
        (f"It was not {draw.pick(bad)} at all, it was {word}", word),
        (f"I thought the {part[0]} was {word}", word),
    )
    chosen = [draw.pick(shapes)]
    spoken = _filled(draw, draw.pick(said), kind)
    if draw.chance(0.6):
        chosen.append((spoken, spoken))
    elif draw.chance(0.3):
        chosen = [(spoken, spoken)]
    draw.random.shuffle(chosen)
    text = " ".join(f"{sentence}{draw.pick(('.', '.', '.', '!'))}" for sentence, _ in chosen)
    return text, positive, chosen[0][1]


def _is_noun(word: str) -> bool:
    return word.startswith(("a ", "pure "))


def _may_be_shown(draw: Draw, text: str) -> bool:
    """Whether training may show every thing of the text with every opinion of it."""
    said = set(_WORD.findall(text.lower()))
    things = said & _things()
    told = said & {*words("good"), *words("bad")}
    return all(draw.fits("sentiment", thing, word) for thing in things for word in told)


@cache
def _things() -> frozenset[str]:
    return frozenset(thing for section in REVIEWED for thing in words(section))


@cache
def _opinions() -> dict[str, list[str]]:
    return sections("opinions.txt", _HERE)


def opinion(draw: Draw) -> tuple[str, bool]:
    """(text, whether it is praise) of one to three sentences about anything, in idioms and by what
    happened.
    """
    positive = draw.chance(0.5)
    side = _opinions()["liked" if positive else "disliked"]

    def make() -> str:
        slots = Slots(draw)
        said = [
            capitalised(slots.fill(line)) for line in draw.some(side, draw.pick((1, 1, 2, 2, 3)))
        ]
        return " ".join(f"{sentence}{draw.pick(('.', '.', '.', '!'))}" for sentence in said)

    text = draw.until(make, lambda text: _may_be_shown(draw, text))
    return (text.lower() if draw.chance(0.08) else text), positive


def _labels(draw: Draw) -> tuple[str, str]:
    return draw.pick((("positive", "negative"), ("Positive", "Negative"), ("Positive", "Negative")))


def reviews(draw: Draw, found: Sequence[tuple[str, bool]]) -> str:
    """One to four reviews with their sentiment, in a common form of asking for it."""
    made = [
        draw.pick(found)
        if found and draw.chance(0.35)
        else opinion(draw)
        if draw.chance(0.5)
        else film_review(draw)[:2]
        for _ in range(draw.number(1, 4))
    ]
    good, bad = _labels(draw)
    if draw.chance(0.4):
        template = wording("sentiment", draw)
        items = [
            Item({"text": text}, "positive" if positive else "negative") for text, positive in made
        ]
        return template.document(items)
    what = draw.pick(("review", "movie review", "film review", "text", "sentence", "comment"))
    head = draw.pick(
        (
            f"Classify the following {what} as {good} or {bad}.",
            f"Classify the {what} as {good} or {bad}.",
            "",
            "",
            "",
            f"Is the {what} {good} or {bad}?",
            f"Decide whether the {what} is {good} or {bad}.",
        )
    )
    name = draw.pick(("Review", "Review", "Review", "Text", "Comment"))
    cue = draw.pick(
        (
            "Sentiment:",
            "Sentiment:",
            f"Sentiment ({good.lower()}/{bad.lower()}):",
            "Label:",
            "Sentiment is",
        )
    )
    quote = draw.pick(('"', '"', ""))
    shown = [
        f"{name}: {quote}{text}{quote}\n{cue} {good if positive else bad}"
        for text, positive in made
    ]
    return "\n\n".join(([head] if head else []) + shown)


def reasoned(draw: Draw) -> str:
    """Reviews with the reason before the sentiment."""
    good, bad = _labels(draw)
    shown = []
    for _ in range(draw.number(1, 3)):
        text, positive, said = film_review(draw)
        reason = draw.pick((
            f'The reviewer says "{said}", which is {"positive" if positive else "negative"}.',
            f'The review says "{said}".', f'"{said}" is {"praise" if positive else "a complaint"}.',
        ))  # fmt: skip
        shown.append(
            f'Review: "{text}"\nReasoning: {reason}\nSentiment: {good if positive else bad}'
        )
    head = f"Classify the following movie review as {good} or {bad}.\n" if draw.chance(0.5) else ""
    head += "Think step by step before giving your final answer.\n" if draw.chance(0.5) else ""
    return (f"{head}\n" if head else "") + "\n\n".join(shown)


def labelled(path: Path) -> list[tuple[str, bool]]:
    """(review, whether it likes its film) of the training part of a file of split, label and
    text.
    """
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    hidden = hidden_words("sentiment")
    return [
        (_tidy(text), label == "1")
        for split, label, text in rows
        if split == "train" and len(text) < 180 and not shows(text, hidden)
    ]


def _tidy(text: str) -> str:
    """Tokenised text as people type it: no blanks before marks, a capital letter first."""
    text = re.sub(r" ([.,!?;:')])", r"\1", text).replace("( ", "(").replace(" n't", "n't")
    return capitalised(text.strip())
