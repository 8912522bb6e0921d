"""Reviews whose sentiment is known because it was chosen first: opinions, verdicts, negations, and
what happened.
"""

from dataclasses import dataclass

from weights.recipes.world.english import a, capitalised
from weights.recipes.world.lexicon import paired, sayings, words
from weights.recipes.world.splits import Draw

_TASK = "sentiment"
_PRAISE, _BLAME, _PARTS, _NEUTRAL, REVIEWED, _LIKED, _DISLIKED, _NOT, _PLAIN = map(
    sayings,
    ("praise", "blame", "parts", "neutral", "reviewed", "liked", "disliked", "not", "plain"),
)
_NEGATED = paired("negated")
_VERY = (
    "",
    "",
    "",
    "very ",
    "really ",
    "so ",
    "quite ",
    "truly ",
    "just ",
    "absolutely ",
    "simply ",
    "extremely ",
)
_ENDS = (".", ".", ".", ".", ".", "!", "!", "!!", "!!!", "...", "")


@dataclass(frozen=True)
class Review:
    """A text of one to five sentences, whether it likes its thing, and the words that say so."""

    text: str
    positive: bool
    said: tuple[str, ...]

    @property
    def sentiment(self) -> str:
        return "positive" if self.positive else "negative"

    @property
    def reason(self) -> str:
        """Why it sounds as it does, for a chain of thought."""
        quoted = " and ".join(f'"{words_}"' for words_ in self.said)
        return f"The review says {quoted}."


def _filled(draw: Draw, sentence: str) -> str:
    return sentence.format(
        day=draw.pick(words("day")),
        month=draw.pick(words("month")),
        season=draw.pick(words("season")),
        kin=draw.pick(words("family")),
        colour=draw.pick(words("colour")),
        number=draw.number(2, 9),
    )


def _opinion(draw: Draw, positive: bool) -> str:
    """The word that a review is about, on its side of the splits."""
    return draw.key_word(_TASK, words("good" if positive else "bad"))


def _thing(draw: Draw) -> str:
    return draw.pick(words("reviewthing" if draw.chance(0.6) else draw.pick(REVIEWED[1:])))


def _plain(draw: Draw, positive: bool, thing: str, opinion: str) -> tuple[str, str]:
    """An opinion said straight out: (sentence, the words that tell)."""
    very = draw.pick(_VERY)
    part = draw.pick(_PARTS)
    second = _opinion(draw, positive)
    subject = draw.pick(
        (f"the {thing}", f"this {thing}", f"the {thing}", "it", "this", f"my {thing}", "everything")
    )
    return draw.pick(_PLAIN).format(
        subject=subject, very=very, opinion=opinion, second=second, thing=thing, part=part,
        best="best" if positive else "worst", a_thing=a(f"{opinion} {thing}"),
    ), opinion  # fmt: skip


def _negated(draw: Draw, positive: bool, thing: str) -> tuple[str, str]:
    """The opposite opinion, denied: "it was not good" does not like it."""
    choices = words("bad" if positive else "good")
    opinion = draw.until(
        lambda: draw.word(_TASK, choices), lambda word: draw.fits(_TASK, thing, word)
    )
    subject = draw.pick((f"the {thing}", f"this {thing}", "it", "this"))
    part = draw.pick(_PARTS)
    no = draw.pick(_NOT)
    how = draw.pick(("", "", " at all", "", " in any way"))
    good, hoped = ("better", "feared") if positive else ("worse", "hoped")
    said, tells = (
        item.format(
            subject=subject,
            no=no,
            opinion=opinion,
            how=how,
            thing=thing,
            part=part,
            good=good,
            hoped=hoped,
        )
        for item in draw.pick(_NEGATED)
    )
    return said, tells


def _felt(draw: Draw, positive: bool, thing: str) -> tuple[str, str]:
    """What somebody did with it: "we loved the soup", "I did not like it"."""
    it = draw.pick(
        (
            f"the {thing}",
            f"this {thing}",
            "it",
            "it",
            f"the {draw.pick(_PARTS)}",
            "every minute of it",
        )
    )
    who = draw.pick(
        ("I", "I", "I", "we", f"my {draw.pick(words('family'))}", "everybody", "the children")
    )
    many = who in ("we", "the children")
    if draw.chance(0.6):
        verb = draw.pick(_LIKED if positive else _DISLIKED)
        if many:
            verb = verb.replace("was ", "were ")
        adverb = (
            draw.pick(("", "", "really ", "absolutely "))
            if verb in ("liked", "loved", "enjoyed", "hated")
            else ""
        )
        return f"{who} {adverb}{verb} {it}", verb
    base = draw.pick(
        ("like", "like", "enjoy", "love", "recommend")
        if not positive
        else ("regret", "dislike", "hate")
    )
    did = draw.pick(("did not", "didn't", "did not really" if not positive else "did not"))
    return f"{who} {did} {base} {it}", f"{did} {base}"


def review(draw: Draw) -> Review:
    """On the "combination" split the thing and its opinion are never seen together in training; on
    the "word" split the opinion is a word that training never shows in a review.
    """
    positive = draw.chance(0.5)
    thing, opinion = draw.until(
        lambda: (_thing(draw), _opinion(draw, positive)), lambda made: draw.fits(_TASK, *made)
    )
    plain = draw.until(
        lambda: _plain(draw, positive, thing, opinion),
        lambda made: draw.split == "train" or thing in made[0],
    )
    made = [plain]
    verdicts = [
        (said := _filled(draw, draw.pick(_PRAISE if positive else _BLAME)), said) for _ in range(2)
    ]
    if draw.split == "train":
        # Words must tell more often than they are denied, or nothing is learned of either.
        others = [*verdicts, _felt(draw, positive, thing), _negated(draw, positive, thing)]
        draw.random.shuffle(others)
        made = [*others, *made] if draw.chance(0.4) else [*made, *others]
        made = made[: draw.pick((1, 1, 1, 2, 2, 3))]
    elif draw.split == "combination":
        made += verdicts[: draw.number(0, 1)]
    said = [one for one, _ in made]
    if draw.split == "train" and draw.chance(0.08):  # what comes last decides
        other, _ = draw.pick((_felt, _negated))(draw, not positive, draw.pick(_PARTS))
        said[0] = f"{other}, but {said[0]}"
    said += [_filled(draw, draw.pick(_NEUTRAL)) for _ in range(draw.pick((0, 0, 0, 1, 1, 2)))]
    draw.random.shuffle(said)
    return Review(
        _written(draw, list(dict.fromkeys(said))),
        positive,
        tuple(dict.fromkeys(word for _, word in made)),
    )


def _written(draw: Draw, said: list[str]) -> str:
    """Sentences as people type them: with stops or exclamation marks, now and then all small or in
    capitals.
    """
    style = draw.random.random() if draw.split == "train" else 1.0
    ends = [draw.pick(_ENDS[:-1]) for _ in said[1:]] + [draw.pick(_ENDS)]
    text = " ".join(capitalised(item) + end for item, end in zip(said, ends, strict=True))
    if draw.split != "train":
        text = " ".join(f"{capitalised(item)}." for item in said)
    if style < 0.06:
        return text.lower()
    return text.upper() if style < 0.08 else text


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
        return " ".join(
            f"If something is {word}, people {'like' if good else 'do not like'} it."
            for word in chosen
        )
    return " ".join(f"{capitalised(word)} means {meaning}." for word in chosen)
