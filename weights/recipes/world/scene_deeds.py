"""Scenes in which something happens."""

from weights.recipes.world.facts import TOWNS
from weights.recipes.world.lexicon import paired, sayings, verbs, words
from weights.recipes.world.scene_parts import Cast, Fact, some_object, some_time
from weights.recipes.world.splits import Draw
from weights.recipes.world.telling import FRAMES, at, owned, place

_REASONS, _DEEDS = sayings("reasons"), paired("told of two")


def acted(draw: Draw, cast: Cast) -> Fact:
    """Somebody did something to something, somewhere, some time."""
    section, objects = draw.pick(FRAMES)
    base, did = draw.pick(verbs(f"on{section}"))
    noun, what = some_object(draw, cast.first, objects)
    if objects[0] in ("dish", "drink"):
        what = f"some {noun}" if draw.chance(0.5) else f"the {noun}"
    name, subject = cast.first.name, cast.subject(draw)
    where = at(place(draw)) if draw.chance(0.35) else ""
    when = some_time(draw) if draw.chance(0.3) else ""
    said = f"{subject} {did} {what}{f' {where}' if where else ''}"
    said = f"{when} {said}" if when and draw.chance(0.5) else f"{said} {when}".rstrip()
    asked = [(f"What did {name} {base}?", what), (f"Who {did} {what}?", name), (f"Who {did} the {noun}?", name)]
    if where:
        asked += [(f"Where did {name} {base} {what}?", where), (f"Where was {name}?", where)]
    if when:
        asked += [(f"When did {name} {base} {what}?", when)]
    closings = [
        (f"{name} was very proud of the", noun), (f'"Look," said {cast.second.name}, "what a nice', noun),
        (f"{cast.second.name} wanted to see the", noun), (f"{cast.second.name} asked for the", noun),
        ("Everybody liked the", noun), (f"The one who {did} {what} was", name),
    ]  # fmt: skip
    if where:
        spot = where.split(" ", 2)[2]
        closings += [(f"When the day was over, {name} left the", spot), (f"{cast.second.name} was also at the", spot)]
    gist = f"{name} {did} {what}{f' {where}' if where and draw.chance(0.5) else ''}"
    return Fact(said, tuple(asked), gist, tuple(closings), happens=True)


def gave(draw: Draw, cast: Cast) -> Fact:
    """Somebody gave, showed or sent something to somebody."""
    noun, what = some_object(draw, cast.first)
    name, other, subject = cast.first.name, cast.second.name, cast.subject(draw)
    base, did = draw.pick(verbs("given"))
    said = draw.pick((f"{subject} {did} {other} {what}", f"{subject} {did} {what} to {other}"))
    asked = (
        (f"What did {name} {base} {other}?", what), (f"What did {name} {base} to {other}?", what),
        (f"Who {did} {other} {what}?", name), (f"Who {did} {what} to {other}?", name),
        (f"Who got {what}?", other), (f"To whom did {name} {base} {what}?", other), (f"Who got the {noun}?", other),
        (f"Who did {name} {base} {what} to?", other), (f"What did {other} get?", what),
        (f"Who {did} the {noun}?", name),
    )  # fmt: skip
    closings = (
        (f'"Thank you, {name}," said', other), (f"{other} said thank you to", name),
        (f"{other} put it next to the other", noun),
        (f"Now {other} has", what), (f"The {noun} now belongs to", other),
    )  # fmt: skip
    closings = closings if what.startswith("a") else closings[:2]
    return Fact(said, asked, f"{name} {did} {other} {what}", closings, happens=True)


def went(draw: Draw, cast: Cast) -> Fact:
    """Somebody went somewhere, alone or together, somehow, some time."""
    name, other = cast.first.name, cast.second.name
    base, did = draw.pick((("go", "went"), ("go", "went"), *verbs("walk")))
    spot = draw.pick(words("townplace") + words("natureplace") + [town.name for town in TOWNS])
    to = f"to {spot}" if spot[0].isupper() else f"to the {spot}"
    together, by, when = draw.chance(0.4), "", ""
    who = f"{name} and {other}" if together else cast.subject(draw)
    if base == "go" and draw.chance(0.4):
        by = f"by {draw.pick(words('vehicle'))}"
    if draw.chance(0.4):
        when = some_time(draw)
    said = " ".join(part for part in (who, did, to, by) if part)
    said = f"{when} {said}" if when and draw.chance(0.5) else f"{said} {when}".rstrip()
    called = f"{name} and {other}" if together else name
    asked = [(f"Where did {called} {base}?", to), (f"Who {did} {to}?", called)]
    asked += [(f"How did {called} {base} {to}?", by)] * bool(by)
    asked += [(f"When did {called} {base} {to}?", when)] * bool(when)
    if together:
        asked += [(f"Who {did} {to} with {name}?", other), (f"With whom did {name} {base} {to}?", other)]
    closings = [(f"{called} liked the" if not spot[0].isupper() else f"{called} liked", spot)]
    closings += [(f"It was {name}'s first time by", by[3:])] * bool(by)
    closings += [(f"{name} always goes there with", other)] * together
    return Fact(said, tuple(asked), f"{called} {did} {to}", tuple(closings), happens=True)


def wanted(draw: Draw, cast: Cast) -> Fact:
    """Somebody wanted one thing and got another."""
    name, other = cast.first.name, cast.second.name
    noun, what = some_object(draw, cast.first)
    got, instead = some_object(draw, cast.first)
    base, did = draw.pick((("buy", "bought"), ("find", "found"), ("get", "got"), ("take", "took")))
    wanted = draw.pick((f"wanted {what}", f"wanted to {base} {what}", f"was looking for {what}"))
    said = f"{name} {wanted} but {did} {instead}"
    asked = (
        (f"What did {name} want?", what if wanted == f"wanted {what}" else f"to {base} {what}"),
        (f"What did {name} {base}?", instead), (f"What did {name} {base}?", instead), (f"Who {did} {instead}?", name),
    )  # fmt: skip
    if "looking" in wanted:
        asked = ((f"What was {name} looking for?", what), *asked[1:])
    closings = ((f"{other} also wanted the", noun), (f"In the end {name} liked the", got))
    return Fact(said, asked, said, closings, happens=True)


def met(draw: Draw, cast: Cast) -> Fact:
    """Somebody met somebody somewhere."""
    name, other, where = cast.first.name, cast.second.name, at(place(draw))
    base, did = draw.pick(verbs("onperson"))
    said = f"{cast.subject(draw)} {did} {other} {where}"
    asked = (
        (f"Who did {name} {base}?", other), (f"Who {did} {other}?", name), (f"Where did {name} {base} {other}?", where),
        (f"Whom did {name} {base}?", other),
    )  # fmt: skip
    closings = ((f"{name} was glad to see", other), (f"They talked a lot, {other} and", name))
    gist = f"{name} {did} {other}{f' {where}' if draw.chance(0.5) else ''}"
    return Fact(said, asked, gist, closings, happens=True)


def felt(draw: Draw, cast: Cast) -> Fact:
    """How somebody felt, and why."""
    name, good = cast.first.name, draw.chance(0.5)
    feeling = draw.pick(words("goodfeeling" if good else "badfeeling"))
    why = draw.pick(_REASONS).format(
        thing=owned(draw, cast.first, ("thing", "toy")), other=cast.second.name, food=draw.pick(words("dish")),
        animal=draw.pick(words("animal")),
    )  # fmt: skip
    said = f"{name} was {feeling} because {why}" if draw.chance(0.7) else f"because {why}, {name} was {feeling}"
    asked = (
        (f"Why was {name} {feeling}?", f"because {why}"), (f"Why was {name} {feeling}?", why),
        (f"How did {name} feel?", feeling), (f"How was {name}?", feeling), (f"Who was {feeling}?", name),
    )  # fmt: skip
    closings = ((f"{cast.second.name} had never seen {name} so", feeling), (f"Nobody else was as {feeling} as", name))
    return Fact(said, asked, f"{name} was {feeling} because {why}", closings, happens=True)


def both_did(draw: Draw, cast: Cast) -> Fact:
    """Two did something, and how it ended."""
    name, other = cast.first.name, cast.second.name
    did, end = draw.pick(_DEEDS)
    thing = owned(draw, cast.first, ("thing", "toy", "vehicle", "clothes"))
    did, end = did.format(thing=thing), end.format(name=name, other=other)
    joint = draw.pick((", but ", ", and ", ". ", ". In the end "))
    if draw.chance(0.6):  # any deed, and what came of it
        section, objects = draw.pick(FRAMES)
        _, did = draw.pick(verbs(f"on{section}"))
        did = f"{did} {some_object(draw, cast.first, objects)[1]}"
        end = draw.pick((
            "it broke", "nobody liked it", "everybody liked it", "it was gone", f"{other} dropped it",
            f"{name} kept it",
            f"{other} was {draw.pick(words('goodfeeling'))}", f"{name} was {draw.pick(words('badfeeling'))}",
            f"they took it {at(place(draw))}", f"they lost it {at(place(draw))}", "it was too heavy",
            "it was too small",
        ))  # fmt: skip
    said = f"{name} and {other} {did}{joint}{end}"
    asked = (
        (f"What did {name} and {other} do?", f"they {did}"), (f"Who {did}?", f"{name} and {other}"),
        ("What happened in the end?", end),
    )  # fmt: skip
    closings = ((f"{name} still talks about it with", other),)
    return Fact(said, asked, f"{name} and {other} {did}, and {end}", closings, happens=True)
