"""Reviews whose sentiment is known because it was chosen first: opinions, verdicts, negations, and what happened."""

from dataclasses import dataclass

from weights.recipes.world.english import a, capitalised
from weights.recipes.world.lexicon import words
from weights.recipes.world.splits import Draw

_TASK = "sentiment"
_PRAISE = (
    "I loved it", "I would buy it again", "it made me smile", "I can only recommend it", "worth every penny",
    "everybody was happy with it", "it was a pleasure", "I will come back", "it made my day", "five stars from me",
    "we all enjoyed it", "I could not stop laughing", "my family loved it", "a real treasure", "I want more of it",
    "it kept me interested to the end", "the best I have seen in years", "it works very well", "I was amazed",
    "nothing could be better", "do not miss it", "it was even better than I had hoped", "we had a great time",
    "loved it", "love it", "I love this so much", "absolutely loved it", "highly recommended", "my new favourite",
    "10 out of 10", "ten out of ten", "five stars", "thumbs up", "it was so much fun", "what a joy", "well done",
    "we will be back", "I cannot wait to go back", "better than expected", "it still works after {number} years",
    "it is just what I needed", "money well spent", "it exceeded my expectations", "I laughed a lot",
    "I read it twice", "I could watch it every day", "I smiled all the way home", "everything was fresh",
    "they were so kind to us", "they helped us with everything", "it arrived a day early", "it fits perfectly",
    "I have told all my friends about it", "I bought a second one", "the children want to go again",
    "we did not want to leave", "I never want to give it away", "it could not have been better",
    "there is nothing to complain about", "no complaints at all", "I do not regret it", "you will not regret it",
    "I have never been so happy with anything", "it never let me down", "everyone should have one", "a must",
    "so good that I ate it all", "thank you for this", "a great buy", "yes, yes, yes", "wow", "two thumbs up",
    "it saved my day", "I felt at home", "you get a lot for little money", "I am a fan", "simply the best",
)  # fmt: skip
_BLAME = (
    "I hated it", "I want my money back", "it made me angry", "I cannot recommend it", "a waste of money",
    "nobody was happy with it", "it was a mistake", "I will never come back", "it ruined my day", "one star from me",
    "we were all disappointed", "I nearly fell asleep", "my family hated it", "a complete failure", "never again",
    "I left before the end", "the worst I have seen in years", "it did not work at all", "I was shocked",
    "nothing could be worse", "stay away from it", "it was even worse than I had feared", "a waste of time",
    "hated it", "hate it", "I hate this so much", "absolutely hated it", "not recommended", "save your money",
    "0 out of 10", "one out of ten", "one star", "thumbs down", "it was no fun", "what a waste", "what a mess",
    "we will not be back", "I am not going back", "worse than expected", "it broke after {number} days",
    "it is not what I ordered", "money thrown away", "I expected more", "I had hoped for more", "I fell asleep",
    "I stopped reading after {number} pages", "I could not wait for the end", "I cried with anger",
    "it was old and dry",
    "they were so rude to us", "they forgot our order", "it arrived {number} weeks late", "it does not fit",
    "I have warned all my friends about it", "I sent it back", "the children were bored",
    "we wanted to leave at once", "I gave it away the next day", "it could not have been worse",
    "there is nothing good about it", "nothing worked", "I regret it", "you will regret it",
    "I have never been so angry about anything", "it let me down", "nobody should buy this", "avoid it",
    "so bad that I threw it away", "no, thank you", "do not buy it", "do not go there", "no, no, no", "two thumbs down",
    "it cost me my evening", "I felt cheated", "you pay a lot and get nothing", "I want to forget it",
    "simply the worst",
    "it makes no sense", "the end was a let-down", "we waited for {number} hours", "it stopped working",
    "I got sick from it", "nobody helped us", "far too expensive", "much too long", "too loud and too slow",
    "hardly worth the money", "not worth it", "not worth a penny", "I would not go again", "could have been better",
)  # fmt: skip
_PARTS = (
    "story", "acting", "music", "service", "staff", "food", "room", "price", "quality", "design", "colour", "sound",
    "picture", "ending", "beginning", "location", "view", "waiter", "driver", "guide", "teacher", "owner", "taste",
    "smell", "plot", "cast", "voice", "atmosphere", "breakfast", "delivery", "packaging", "battery", "screen", "bed",
)  # fmt: skip
_NEUTRAL = (
    "I bought it on {day}", "we went there in {month}", "my {kin} gave it to me", "it has {number} parts",
    "I saw it last {season}", "it is {colour}", "I read about it in a newspaper", "it took {number} hours",
    "there were {number} of us", "we were there with my {kin}", "it came in a {colour} box", "this was my second time",
)  # fmt: skip
_VERY = ("", "", "", "very ", "really ", "so ", "quite ", "truly ", "just ", "absolutely ", "simply ", "extremely ")
REVIEWED = (
    "reviewthing",
    "thing",
    "dish",
    "drink",
    "clothes",
    "vehicle",
    "instrument",
    "toy",
    "reading",
    "townplace",
    "fruit",
)
_LIKED = ("liked", "loved", "enjoyed", "adored", "liked", "recommend", "was happy with", "was pleased with")
_DISLIKED = ("hated", "disliked", "regretted", "could not stand", "was disappointed by", "was unhappy with")
_NOT = (
    "was not",
    "wasn't",
    "is not",
    "isn't",
    "was never",
    "is not at all",
    "was hardly",
    "was not very",
    "was anything but",
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
    very, part, second = draw.pick(_VERY), draw.pick(_PARTS), _opinion(draw, positive)
    subject = draw.pick((f"the {thing}", f"this {thing}", f"the {thing}", "it", "this", f"my {thing}", "everything"))
    best = "best" if positive else "worst"
    said = draw.pick(
        (
            f"{subject} was {very}{opinion}",
            f"{subject} is {very}{opinion}",
            f"{subject} was {very}{opinion}",
            f"{a(f'{opinion} {thing}')}",
            f"what {a(f'{opinion} {thing}')}",
            f"I think this {thing} is {opinion}",
            f"I found the {thing} {very}{opinion}",
            f"{opinion} {thing}",
            f"{very}{opinion}",
            f"{subject} was {opinion} and {second}",
            f"the {part} of the {thing} was {very}{opinion}",
            f"{subject} was {opinion}, and the {part} was {very}{second}",
            f"the {best} {thing} ever, so {opinion}",
            f"{opinion}, {opinion}, {opinion}",
        )
    )
    return said, opinion


def _negated(draw: Draw, positive: bool, thing: str) -> tuple[str, str]:
    """The opposite opinion, denied: "it was not good" does not like it."""
    choices = words("bad" if positive else "good")
    opinion = draw.until(lambda: draw.word(_TASK, choices), lambda word: draw.fits(_TASK, thing, word))
    subject, part = draw.pick((f"the {thing}", f"this {thing}", "it", "this")), draw.pick(_PARTS)
    no, how = draw.pick(_NOT), draw.pick(("", "", " at all", "", " in any way"))
    good = "better" if positive else "worse"
    return draw.pick(
        (
            (f"{subject} {no} {opinion}{how}", f"{no} {opinion}"),
            (f"{subject} {no} {opinion}{how}", f"{no} {opinion}"),
            (f"not {opinion}{how}", f"not {opinion}"),
            (f"I did not find {subject} {opinion}", f"did not find {opinion}"),
            (f"I would not call the {thing} {opinion}", f"would not call {opinion}"),
            (f"nothing about the {thing} was {opinion}", f"nothing was {opinion}"),
            (f"the {part} {no} {opinion}, and the {thing} could not be {good}", f"could not be {good}"),
            (f"they said it was {opinion}, but it {no} {opinion}", f"{no} {opinion}"),
            (f"not as {opinion} as I had {'feared' if positive else 'hoped'}", f"not as {opinion}"),
        )
    )


def _felt(draw: Draw, positive: bool, thing: str) -> tuple[str, str]:
    """What somebody did with it: "we loved the soup", "I did not like it"."""
    it = draw.pick((f"the {thing}", f"this {thing}", "it", "it", f"the {draw.pick(_PARTS)}", "every minute of it"))
    who = draw.pick(("I", "I", "I", "we", f"my {draw.pick(words('family'))}", "everybody", "the children"))
    many = who in ("we", "the children")
    if draw.chance(0.6):
        verb = draw.pick(_LIKED if positive else _DISLIKED)
        if many:
            verb = verb.replace("was ", "were ")
        adverb = draw.pick(("", "", "really ", "absolutely ")) if verb in ("liked", "loved", "enjoyed", "hated") else ""
        return f"{who} {adverb}{verb} {it}", verb
    base = draw.pick(("like", "like", "enjoy", "love", "recommend") if not positive else ("regret", "dislike", "hate"))
    did = draw.pick(("did not", "didn't", "did not really" if not positive else "did not"))
    return f"{who} {did} {base} {it}", f"{did} {base}"


def review(draw: Draw) -> Review:
    """On the "combination" split the thing and its opinion are never seen together in training; on the "word" split
    the opinion is a word that training never shows in a review."""
    positive = draw.chance(0.5)
    thing, opinion = draw.until(lambda: (_thing(draw), _opinion(draw, positive)), lambda made: draw.fits(_TASK, *made))
    plain = draw.until(
        lambda: _plain(draw, positive, thing, opinion), lambda made: draw.split == "train" or thing in made[0]
    )
    made = [plain]
    verdicts = [(said := _filled(draw, draw.pick(_PRAISE if positive else _BLAME)), said) for _ in range(2)]
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
    return Review(_written(draw, list(dict.fromkeys(said))), positive, tuple(dict.fromkeys(word for _, word in made)))


def _written(draw: Draw, said: list[str]) -> str:
    """Sentences as people type them: with stops or exclamation marks, now and then all small or in capitals."""
    style = draw.random.random() if draw.split == "train" else 1.0
    ends = [draw.pick(_ENDS[:-1]) for _ in said[1:]] + [draw.pick(_ENDS)]
    text = " ".join(capitalised(one) + end for one, end in zip(said, ends, strict=True))
    if draw.split != "train":
        text = " ".join(f"{capitalised(one)}." for one in said)
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
        return " ".join(f"If something is {word}, people {'like' if good else 'do not like'} it." for word in chosen)
    return " ".join(f"{capitalised(word)} means {meaning}." for word in chosen)
