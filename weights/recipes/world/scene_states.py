"""Scenes in which something is so: who has what, what is where, who likes what, what somebody
is.
"""

from weights.recipes.world.english import a, plural, present_participle, third
from weights.recipes.world.facts import TOWNS
from weights.recipes.world.lexicon import entries, jobs, sayings, verbs, words
from weights.recipes.world.names import first_name
from weights.recipes.world.scene_parts import (
    AROUND,
    FURNITURE,
    HOLDERS,
    THINGS,
    Cast,
    Fact,
    adjective,
    some_time,
    told,
)
from weights.recipes.world.splits import Draw
from weights.recipes.world.sums import in_words
from weights.recipes.world.telling import at, owned, place

_BEINGS = sayings("beings")


def owns(draw: Draw, cast: Cast) -> Fact:
    """Somebody has a thing of some colour, size or look."""
    noun = owned(draw, cast.first, THINGS)
    look = adjective(draw)
    name = cast.first.name
    subject = cast.subject(draw)
    colour = look in words("colour")
    did = draw.pick(("has", "had", "has", "owns", "owned", "has got"))
    base = "have" if did.startswith("ha") else "own"
    do = "did" if did in ("had", "owned") else "does"
    what = a(f"{look} {noun}")
    return told(
        f"{subject} {did} {what}",
        f"{name} {did} {what}",
        cast,
        "owns",
        "owns colour" if colour else "owns look",
        do=do,
        base=base,
        did=did,
        look=look,
        noun=noun,
        what=what,
        plain=a(noun),
        a_look=a(look),
    )


def is_where(draw: Draw, cast: Cast) -> Fact:
    """Where a thing is."""
    noun = owned(draw, cast.first, ("thing", "toy", "animal", "clothes", "fruit", "school"))
    holder = draw.pick((*HOLDERS, *FURNITURE))
    how = draw.pick(AROUND)
    if holder in HOLDERS:
        how = draw.pick(("in", "in", "inside", *AROUND))
    spot = f"{how} the {holder}"
    was = draw.pick(("is", "was"))
    if draw.chance(0.4):
        spot = at(place(draw))
        how = spot.split(" ")[0]
        holder = spot.split(" ", 2)[2]
    look = f"{adjective(draw)} " if draw.chance(0.3) else ""
    said = draw.pick(
        (
            f"the {look}{noun} {was} {spot}",
            f"the {look}{noun} {was} {spot}",
            f"there {was} {a(f'{look}{noun}')} {spot}",
            f"{cast.first.name}'s {noun} {was} {spot}",
        )
    )
    return told(
        said,
        said,
        cast,
        "is where",
        was=was,
        noun=noun,
        look=look,
        spot=spot,
        how=how,
        holder=holder,
    )


def likes(draw: Draw, cast: Cast) -> Fact:
    """What somebody likes or hates, and perhaps what another one does."""
    name = cast.first.name
    other = cast.second.name
    section = draw.pick(
        ("fruit", "dish", "drink", "sport", "subject", "animal", "colour", "season")
    )
    one, two = draw.some(words(section), 2)
    if section in ("fruit", "animal"):
        one = plural(one)
        two = plural(two)
    verb = draw.pick(("likes", "loves", "hates", "prefers", "likes"))
    base = verb[:-1]
    said = f"{name} {verb} {one}"
    both = draw.chance(0.6)
    if both:
        said += f"{draw.pick((' and ', ', but ', '. ', ', '))}{other} {verb} {two}"
    kind = "food" if section == "dish" else section
    return told(
        said,
        said,
        cast,
        "likes",
        "likes two" * both,
        base=base,
        verb=verb,
        one=one,
        two=two,
        kind=kind,
    )


def is_somebody(draw: Draw, cast: Cast) -> Fact:
    """Age, job, home or family of somebody."""
    name = cast.first.name
    other = cast.second.name
    job = draw.pick(jobs())[0]
    age = draw.number(3, 90)
    town = draw.pick(TOWNS).name
    spot = draw.pick(words("natureplace"))
    kin = draw.pick(words("family"))
    style = draw.pick(("age", "job", "work", "town", "near", "kin", "kin called", "dream"))
    filled = {
        "name": name,
        "other": other,
        "age": age,
        "job": job,
        "a_job": a(job),
        "town": town,
        "spot": spot,
        "kin": kin,
    }
    said = entries("scenes.txt")[f"{style}, said"][0].format(**filled)
    return told(said, said, cast, style, **filled, older=age + 1, article=a(job).split()[0])


def pet(draw: Draw, cast: Cast) -> Fact:
    """An animal of somebody's and its name."""
    kind = owned(draw, cast.first, ("animal",))
    name = cast.first.name
    called = draw.pick((cast.second.name, first_name(draw, girl=draw.chance(0.5))))
    look = draw.pick(words("creature"))
    said = draw.pick(
        (
            f"{name} has {a(kind)} called {called}",
            f"{name}'s {kind} is called {called}",
            f"{name} has {a(f'{look} {kind}')} named {called}",
            f"the name of {name}'s {kind} is {called}",
        )
    )
    return told(said, said, cast, "pet", kind=kind, what=a(kind), called=called)


def two_alike(draw: Draw, cast: Cast) -> Fact:
    """Two with the same kind of thing, told apart."""
    name = cast.first.name
    other = cast.second.name
    noun, (one, two) = (
        owned(draw, cast.first, ("clothes", "thing", "toy", "vehicle")),
        draw.some(words("colour"), 2),
    )
    joint = draw.pick((" and ", ", but ", ". ", ", and "))
    said = draw.pick((
        f"{name} has {a(f'{one} {noun}')}{joint}{other} has {a(f'{two} {noun}')}",
        f"{name}'s {noun} is {one}{joint}{other}'s {noun} is {two}",
        f"the {noun} of {name} is {one}{joint}the {noun} of {other} is {two}",
    ))  # fmt: skip
    return told(said, said, cast, "alike", noun=noun, one=one, two=two, second=a(f"{two} {noun}"))


def how_many(draw: Draw, cast: Cast) -> Fact:
    """How many of a thing there are, or somebody has."""
    things = plural(owned(draw, cast.first, THINGS))
    number = draw.number(2, 30)
    shown = in_words(number) if draw.chance(0.5) else str(number)
    spot = draw.pick(
        (f"in the {draw.pick(HOLDERS)}", f"on the {draw.pick(FURNITURE[:6])}", at(place(draw)))
    )
    there = draw.chance(0.5)
    said = (
        f"there are {shown} {things} {spot}" if there else f"{cast.first.name} has {shown} {things}"
    )
    return told(
        said,
        said,
        cast,
        "there are" if there else "has many",
        "many",
        things=things,
        shown=shown,
        spot=spot,
    )


def event(draw: Draw, cast: Cast) -> Fact:
    """What happens when and where: "The concert is on Friday in the park"."""
    what = draw.pick(words("event"))
    when = some_time(draw)
    where = at(place(draw))
    while when.startswith(("last", "yester")):
        when = some_time(draw)
    begins = draw.pick(("is", "starts", "begins", "was", "is"))
    said = (
        f"the {what} {begins} {when} {where}" if draw.chance(0.6) else f"the {what} {begins} {when}"
    )
    do = {
        "is": "is the {}",
        "was": "was the {}",
        "starts": "does the {} start",
        "begins": "does the {} begin",
    }[begins]
    more = "event where" * (where in said)
    was = "was" if begins == "was" else "is"
    return told(
        said,
        said,
        cast,
        "event",
        more,
        do=do.format(what),
        begins=begins,
        what=what,
        was=was,
        when=when,
        where=where,
    )


def doing(draw: Draw, cast: Cast) -> Fact:
    """The present: "Ella is sleeping on the sofa"."""
    name = cast.first.name if draw.chance(0.75) else draw.pick(_BEINGS)
    base, _ = draw.pick(verbs("rest"))
    where = draw.pick((at(place(draw)), f"{draw.pick(AROUND)} the {draw.pick(FURNITURE)}"))
    now = draw.chance(0.5)
    is_doing = present_participle(base)
    does = third(base)
    said = f"{name} is {is_doing} {where}" if now else f"{name} {does} {where}"
    return told(
        said,
        said,
        cast,
        "doing" if now else "does",
        "one word" * (" " not in base),
        who=name,
        doing=is_doing,
        does=does,
        base=base,
        where=where,
    )
