"""Reviews whose sentiment is known because it was chosen first."""

from __future__ import annotations

from gptcore.corpora.world.english import a, capitalised
from gptcore.corpora.world.lexicon import words
from gptcore.corpora.world.splits import Draw

_TASK = "sentiment"
_PRAISE = (
    "I loved it", "I would buy it again", "it made me smile", "I can only recommend it", "worth every penny",
    "everybody was happy with it", "it was a pleasure", "I will come back", "it made my day", "five stars from me",
    "we all enjoyed it", "I could not stop laughing", "my family loved it", "a real treasure", "I want more of it",
    "it kept me interested to the end", "the best I have seen in years", "it works very well", "I was amazed",
    "nothing could be better", "do not miss it", "it was even better than I had hoped", "we had a great time",
)  # fmt: skip
_BLAME = (
    "I hated it", "I want my money back", "it made me angry", "I cannot recommend it", "a waste of money",
    "nobody was happy with it", "it was a mistake", "I will never come back", "it ruined my day", "one star from me",
    "we were all disappointed", "I nearly fell asleep", "my family hated it", "a complete failure", "never again",
    "I left before the end", "the worst I have seen in years", "it did not work at all", "I was shocked",
    "nothing could be worse", "stay away from it", "it was even worse than I had feared", "a waste of time",
)  # fmt: skip
_PARTS = (
    "story", "acting", "music", "service", "staff", "food", "room", "price", "quality", "design", "colour", "sound",
    "picture", "ending", "beginning", "location", "view", "waiter", "driver", "guide", "teacher", "owner", "taste",
    "smell", "plot", "cast", "voice", "atmosphere", "breakfast", "delivery", "packaging", "battery", "screen", "plot",
)  # fmt: skip
_NEUTRAL = (
    "I bought it on {day}", "we went there in {month}", "my {kin} gave it to me", "it has {number} parts",
    "I saw it last {season}", "it is {colour}", "I read about it in a newspaper", "it took {number} hours",
    "there were {number} of us", "we were there with my {kin}", "it came in a {colour} box", "this was my second time",
)  # fmt: skip
_VERY = ("", "", "", "very ", "really ", "so ", "quite ", "truly ")


def _neutral(draw: Draw) -> str:
    return draw.pick(_NEUTRAL).format(
        day=draw.pick(words("day")),
        month=draw.pick(words("month")),
        season=draw.pick(words("season")),
        kin=draw.pick(words("family")),
        colour=draw.pick(words("colour")),
        number=draw.number(2, 9),
    )


def review(draw: Draw) -> tuple[str, str]:
    """(text of one to five sentences, "positive" or "negative").

    On the "combination" split the thing and its first opinion are never seen together in training; on the "word"
    split the opinions are words that training never shows in a review.
    """
    positive = draw.chance(0.5)
    section = "good" if positive else "bad"

    def make() -> tuple[str, str]:
        return draw.pick(words("reviewthing")), draw.key_word(_TASK, words(section))

    thing, opinion = draw.until(make, lambda made: draw.fits(_TASK, *made))
    second = draw.until(lambda: draw.key_word(_TASK, words(section)), lambda word: word != opinion)
    part, very = draw.pick(_PARTS), draw.pick(_VERY)
    verdict = draw.pick(_PRAISE if positive else _BLAME)
    if draw.split == "word":  # nothing but the words tells
        verdict = _neutral(draw)
    lead = draw.pick(
        (
            f"the {thing} was {very}{opinion}",
            f"this {thing} is {very}{opinion}",
            f"{a(f'{opinion} {thing}')}",
            f"what {a(f'{opinion} {thing}')}",
            f"I think this {thing} is {opinion}",
            f"{opinion} {thing}",
            f"the {thing} was {opinion} and {second}",
            f"we found the {thing} {very}{opinion}",
            f"the {part} of the {thing} was {very}{opinion}",
            f"the {thing} was {opinion}, and the {part} was {very}{second}",
        )
    )
    if draw.chance(0.12):
        other = draw.word(_TASK, words("bad" if positive else "good"))
        lead = f"the {part} was {other}, but the {thing} was {very}{opinion}"
    more = [f"the {draw.pick(_PARTS)} was {second}", verdict, verdict, _neutral(draw), _neutral(draw)]
    draw.random.shuffle(more)
    said = [lead, *dict.fromkeys(more[: draw.number(0, 3)])]
    if draw.chance(0.25) and len(said) > 1:
        said.insert(0, said.pop())
    return " ".join(f"{capitalised(one)}{'!' if draw.chance(0.12) else '.'}" for one in said), (
        "positive" if positive else "negative"
    )


def reason(text: str) -> str:
    """Why a review sounds as it does: the words in it that say so, for a chain of thought."""
    found = [
        word
        for word in text.lower().replace(".", " ").replace("!", " ").replace(",", " ").split()
        if word in _opinions()
    ]
    if not found:
        return "The review says what happened."
    quoted = " and ".join(f'"{word}"' for word in dict.fromkeys(found))
    return f"The review says {quoted}."


def _opinions() -> frozenset[str]:
    return (
        frozenset(words("good")) | frozenset(words("bad")) | {"loved", "hated", "best", "worst", "waste", "recommend"}
    )


def glossary(draw: Draw) -> str:
    """What opinion words mean: here a review's word can be met without a review."""
    good = draw.chance(0.5)
    chosen = draw.some(words("good" if good else "bad"), draw.number(3, 6))
    meaning = "good" if good else "bad"
    style = draw.number(0, 3)
    if style == 0:
        return "\n".join(f"{word}: very {meaning}" for word in chosen)
    if style == 1:
        return f"Other words for {meaning} are {', '.join(chosen[:-1])} and {chosen[-1]}."
    if style == 2:
        return " ".join(f"If something is {word}, people {'like' if good else 'do not like'} it." for word in chosen)
    return " ".join(f"{capitalised(word)} means {meaning}." for word in chosen)
