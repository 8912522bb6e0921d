"""What stories are told with: people, places, openings, feelings and deeds."""

from dataclasses import dataclass, field

from weights.recipes.world.english import a, capitalised
from weights.recipes.world.facts import TOWNS
from weights.recipes.world.lexicon import entries, jobs, sayings, verbs, words
from weights.recipes.world.names import first_name
from weights.recipes.world.splits import Draw

_TASK = "question"
_ON = frozenset(sayings("on"))
_AT = {
    "market",
    "station",
    "airport",
    "harbour",
    "port",
    "bus stop",
    "fairground",
    "crossroads",
    "fountain",
    "well",
}
THEN = ("Then", "After that", "Later", "Soon", "A little later", "In the end", "Next")
_OPENINGS = sayings("openings")


@dataclass(frozen=True)
class Person:
    """Somebody in a story."""

    name: str
    girl: bool

    @property
    def she(self) -> str:
        return "she" if self.girl else "he"

    @property
    def her(self) -> str:
        """The possessive."""
        return "her" if self.girl else "his"

    @property
    def him(self) -> str:
        """The object form."""
        return "her" if self.girl else "him"


@dataclass
class Story:
    """A story in the making.

    Attributes:
        sentences: of the text.
        questions: (question, answer, the sentence that says it); each answer stands in the text.
        gist: what it comes down to.
        last: a closing sentence whose last word only who has read the rest can know.
    """

    sentences: list[str] = field(default_factory=list)
    questions: list[tuple[str, str, str]] = field(default_factory=list)
    gist: str = ""
    last: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.sentences)

    def say(self, sentence: str, *asked: tuple[str, str]) -> None:
        """Adds a sentence, and what can be asked about it: (question, answer) each."""
        said = capitalised(sentence)
        self.sentences.append(said)
        self.questions += [(question, answer, said) for question, answer in asked]

    def tell(self, section: str, **words: object) -> None:
        """Adds the sentence of a section of plots.txt, with these words in it and in what can be
        asked about it.
        """
        said, *asked = (part.format(**words) for part in entries("plots.txt")[section])
        self.say(
            said,
            *(
                (question, answer)
                for question, _, answer in (item.partition(" = ") for item in asked)
            ),
        )


def person(draw: Draw, *others: Person) -> Person:
    """Somebody who is none of the others; on the "word" split, of a name that no question in
    training is about.
    """
    taken = {other.name for other in others}

    def make() -> Person:
        girl = draw.chance(0.5)
        return Person(first_name(draw, girl=girl), girl)

    return draw.until(make, lambda made: made.name not in taken)


def at(place: str) -> str:
    """in the kitchen, at the market, on the beach."""
    if place in _AT:
        return f"at the {place}"
    return f"{'on' if place in _ON else 'in'} the {place}"


def place(draw: Draw) -> str:
    """Any place indoors, in a town or outside."""
    return draw.pick(words(draw.pick(("room", "townplace", "natureplace"))))


def described(draw: Draw, noun: str, section: str = "look") -> str:
    """The noun, perhaps with a colour or another adjective."""
    if not draw.chance(0.5):
        return noun
    return f"{draw.pick(words(draw.pick(('colour', 'size', section, section))))} {noun}"


def owned(
    draw: Draw,
    who: Person,
    sections: tuple[str, ...] = ("thing", "toy", "clothes", "school", "instrument"),
) -> str:
    """A thing that may go with this person on this side of the split."""
    return draw.until(
        lambda: draw.pick(words(draw.pick(sections))),
        lambda thing: draw.fits(_TASK, who.name, thing),
    )


def opening(draw: Draw) -> str:
    """When it happened: "One rainy morning"."""
    return draw.pick(_OPENINGS).format(
        season=draw.pick(words("season")),
        day=draw.pick(words("day")),
        daytime=draw.pick(("morning", "afternoon", "evening", "night")),
        weather=draw.pick(words("weather")),
        month=draw.pick(words("month")),
        noon=draw.pick(("noon", "midnight", "dawn", "sunset")),
    )


def introduced(draw: Draw, story: Story, who: Person) -> None:
    """Who it is about, in one of several styles."""
    kind = draw.pick(words("person"))
    town = draw.pick(TOWNS).name
    job = draw.pick(jobs())[0]
    noun = "girl" if who.girl else "boy"
    style = ("once", "from", "lived", "worked", "whose name", "was")[draw.number(0, 5)]
    if style == "worked" and job in ("king", "queen", "waiter", "actor", "midwife"):
        style = "was"
    if draw.chance(0.8):
        somebody = a(f"{kind} {noun}")
        worker = a(f"{kind} {job}")
        story.tell(
            style, who=who, town=town, kind=kind, a_noun=a(noun), somebody=somebody, worker=worker
        )


def felt(draw: Draw, story: Story, who: Person, good: bool) -> str:
    """Says how somebody feels, well or badly, and returns the feeling."""
    feeling = draw.pick(words("goodfeeling" if good else "badfeeling"))
    said = draw.pick(sayings("felt")).format(name=who.name, she=who.she, feeling=feeling)
    story.say(said, (f"How did {who.name} feel?", feeling))
    return feeling


def acting(draw: Draw, story: Story, who: Person) -> None:
    """Anything that somebody does to something."""
    section, objects = draw.pick(FRAMES)
    (base, did), thing = draw.pick(verbs(f"on{section}")), owned(draw, who, objects)
    adjective = {"animal": "creature", "dish": "", "drink": ""}.get(section, "look")
    mass = objects[0] in ("dish", "drink")
    what = f"some {thing}" if mass else a(described(draw, thing, adjective or "look"))
    where = at(place(draw)) if draw.chance(0.5) else ""
    manner = f" {draw.pick(words('manner'))}" if draw.chance(0.15) else ""
    asked = [(f"What did {who.name} {base}?", what), (f"Who {did} {what}?", who.name)]
    if where:
        asked.append((f"Where did {who.name} {base} {what}?", where))
    lead = f"{draw.pick(THEN).lower()} " if draw.chance(0.3) else ""
    story.say(f"{lead}{who.name}{manner} {did} {what}{f' {where}' if where else ''}.", *asked)


FRAMES: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (on, (kind,)) for on, kind in (saying.split(" ") for saying in sayings("frames"))
)
