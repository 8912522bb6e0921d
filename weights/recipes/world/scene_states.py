"""Scenes in which something is so: who has what, what is where, who likes what, what somebody is."""

from weights.recipes.world.english import a, plural, present_participle, third
from weights.recipes.world.facts import TOWNS
from weights.recipes.world.lexicon import jobs, sayings, verbs, words
from weights.recipes.world.names import first_name
from weights.recipes.world.scene_parts import AROUND, FURNITURE, HOLDERS, THINGS, Cast, Fact, adjective, some_time
from weights.recipes.world.splits import Draw
from weights.recipes.world.sums import in_words
from weights.recipes.world.telling import at, owned, place

_BEINGS = sayings("beings")


def owns(draw: Draw, cast: Cast) -> Fact:
    """Somebody has a thing of some colour, size or look."""
    noun = owned(draw, cast.first, THINGS)
    look, name, subject = adjective(draw), cast.first.name, cast.subject(draw)
    colour = look in words("colour")
    did = draw.pick(("has", "had", "has", "owns", "owned", "has got"))
    base = "have" if did.startswith("ha") else "own"
    do = "did" if did in ("had", "owned") else "does"
    said = f"{subject} {did} {a(f'{look} {noun}')}"
    asked = [
        (f"What {do} {name} {base}?", a(f"{look} {noun}")), (f"Who {did} {a(f'{look} {noun}')}?", name),
        (f"Who {did} {a(noun)}?", name), (f"Whose {noun} is {look}?", f"{name}'s"),
    ]  # fmt: skip
    asked += [(f"What colour is {name}'s {noun}?", look)] * 3 if colour else [(f"What is {name}'s {noun} like?", look)]
    closings = [(f"{cast.second.name} also wanted {a(f'{look}')}", noun), (f"{name} never goes out without the", noun)]
    if colour:
        closings += [(f"{name}'s favourite colour is", look), (f"The {noun} that {name} has is", look)] * 2
    return Fact(said, tuple(asked), f"{name} {did} {a(f'{look} {noun}')}", tuple(closings))


def is_where(draw: Draw, cast: Cast) -> Fact:
    """Where a thing is."""
    noun = owned(draw, cast.first, ("thing", "toy", "animal", "clothes", "fruit", "school"))
    holder, how = draw.pick((*HOLDERS, *FURNITURE)), draw.pick(AROUND)
    if holder in HOLDERS:
        how = draw.pick(("in", "in", "inside", *AROUND))
    spot, was = f"{how} the {holder}", draw.pick(("is", "was"))
    if draw.chance(0.4):
        spot = at(place(draw))
        how, holder = spot.split(" ")[0], spot.split(" ", 2)[2]
    look = f"{adjective(draw)} " if draw.chance(0.3) else ""
    said = draw.pick((
        f"the {look}{noun} {was} {spot}", f"the {look}{noun} {was} {spot}", f"there {was} {a(f'{look}{noun}')} {spot}",
        f"{cast.first.name}'s {noun} {was} {spot}",
    ))  # fmt: skip
    asked = (
        (f"Where {was} the {noun}?", spot), (f"Where {was} the {noun}?", spot),
        (f"What {was} {spot}?", f"the {look}{noun}"),
        (f"Where can {cast.second.name} find the {noun}?", spot),
    )  # fmt: skip
    closings = ((f"{cast.first.name} looked {how} the", holder), (f"So {cast.first.name} found the", noun))
    return Fact(said, asked, said, closings)


def likes(draw: Draw, cast: Cast) -> Fact:
    """What somebody likes or hates, and perhaps what another one does."""
    name, other = cast.first.name, cast.second.name
    section = draw.pick(("fruit", "dish", "drink", "sport", "subject", "animal", "colour", "season"))
    one, two = draw.some(words(section), 2)
    if section in ("fruit", "animal"):
        one, two = plural(one), plural(two)
    verb = draw.pick(("likes", "loves", "hates", "prefers", "likes"))
    base = verb[:-1]
    said, asked = f"{name} {verb} {one}", [(f"What does {name} {base}?", one), (f"Who {verb} {one}?", name)]
    if draw.chance(0.6):
        joint = draw.pick((" and ", ", but ", ". ", ", "))
        said += f"{joint}{other} {verb} {two}"
        asked += [(f"What does {other} {base}?", two), (f"Who {verb} {two}?", other)] * 2
    kind = "food" if section == "dish" else section
    return Fact(said, tuple(asked), said, ((f"The favourite {kind} of {name} is", one),))


def is_somebody(draw: Draw, cast: Cast) -> Fact:
    """Age, job, home or family of somebody."""
    name, other, job = cast.first.name, cast.second.name, draw.pick(jobs())[0]
    age, town, spot = draw.number(3, 90), draw.pick(TOWNS).name, draw.pick(words("natureplace"))
    kin = draw.pick(words("family"))
    said, asked, closing = draw.pick((
        (f"{name} is {age} years old",
         ((f"How old is {name}?", str(age)), (f"How old is {name}?", f"{age} years old"),
          (f"Who is {age} years old?", name)),
         (f"Next year {name} will be", str(age + 1))),
        (f"{name} is {a(job)}",
         ((f"What is {name}'s job?", a(job)), (f"What is {name}?", a(job)), (f"Who is {a(job)}?", name)),
         (f"{other} also wants to become {a(job).split()[0]}", job)),
        (f"{name} works as {a(job)} in {town}",
         ((f"What is {name}'s job?", a(job)), (f"Where does {name} work?", f"in {town}"),
          (f"What does {name} work as?", a(job))),
         (f"Everybody knows the {job} of", town)),
        (f"{name} lives in {town}",
         ((f"Where does {name} live?", f"in {town}"), (f"Who lives in {town}?", name)),
         (f"{other} has never been to", town)),
        (f"{name} lives near the {spot}",
         ((f"Where does {name} live?", f"near the {spot}"), (f"Who lives near the {spot}?", name)),
         (f"From the window {name} can see the", spot)),
        (f"{name} is the {kin} of {other}",
         ((f"Who is the {kin} of {other}?", name), (f"Who is {name}?", f"the {kin} of {other}"),
          (f"Whose {kin} is {name}?", f"{other}'s")),
         (f"{name} often visits", other)),
        (f"{name}'s {kin} is called {other}",
         ((f"What is {name}'s {kin} called?", other), (f"Who is {other}?", f"{name}'s {kin}"),
          (f"What is the name of {name}'s {kin}?", other)),
         (f"{name} loves", other)),
        (f"{name} wants to be {a(job)}",
         ((f"What does {name} want to be?", a(job)), (f"Who wants to be {a(job)}?", name)),
         (f"One day {name} met a famous", job)),
    ))  # fmt: skip
    return Fact(said, asked, said, (closing,))


def pet(draw: Draw, cast: Cast) -> Fact:
    """An animal of somebody's and its name."""
    kind, name = owned(draw, cast.first, ("animal",)), cast.first.name
    called, look = draw.pick((cast.second.name, first_name(draw, girl=draw.chance(0.5)))), draw.pick(words("creature"))
    said = draw.pick((
        f"{name} has {a(kind)} called {called}", f"{name}'s {kind} is called {called}",
        f"{name} has {a(f'{look} {kind}')} named {called}", f"the name of {name}'s {kind} is {called}",
    ))  # fmt: skip
    asked = (
        (f"What is the {kind} called?", called), (f"What is {name}'s {kind} called?", called),
        (f"What is the name of the {kind}?", called), (f"What animal does {name} have?", a(kind)),
        (f"Who has {a(kind)}?", name),
        (f"What kind of animal is {called}?", a(kind)), (f"Who is {called}?", f"{name}'s {kind}"),
    )  # fmt: skip
    return Fact(said, asked, said, ((f"Every day {name} feeds", called), (f"{called} is a very good", kind)))


def two_alike(draw: Draw, cast: Cast) -> Fact:
    """Two with the same kind of thing, told apart."""
    name, other = cast.first.name, cast.second.name
    noun, (one, two) = owned(draw, cast.first, ("clothes", "thing", "toy", "vehicle")), draw.some(words("colour"), 2)
    joint = draw.pick((" and ", ", but ", ". ", ", and "))
    said = draw.pick((
        f"{name} has {a(f'{one} {noun}')}{joint}{other} has {a(f'{two} {noun}')}",
        f"{name}'s {noun} is {one}{joint}{other}'s {noun} is {two}",
        f"the {noun} of {name} is {one}{joint}the {noun} of {other} is {two}",
    ))  # fmt: skip
    asked = (
        (f"What colour is {name}'s {noun}?", one), (f"What colour is {other}'s {noun}?", two),
        (f"Whose {noun} is {one}?", f"{name}'s"), (f"Whose {noun} is {two}?", f"{other}'s"),
        (f"Who has the {one} {noun}?", name), (f"Who has {a(f'{two} {noun}')}?", other),
    )  # fmt: skip
    return Fact(
        said, asked, said, ((f"The {noun} that is {two} belongs to", other), (f"The {one} {noun} belongs to", name))
    )


def how_many(draw: Draw, cast: Cast) -> Fact:
    """How many of a thing there are, or somebody has."""
    things, number = plural(owned(draw, cast.first, THINGS)), draw.number(2, 30)
    shown = in_words(number) if draw.chance(0.5) else str(number)
    spot = draw.pick((f"in the {draw.pick(HOLDERS)}", f"on the {draw.pick(FURNITURE[:6])}", at(place(draw))))
    name = cast.first.name
    if draw.chance(0.5):
        said = f"there are {shown} {things} {spot}"
        asked = (
            (f"How many {things} are {spot}?", shown), (f"How many {things} are there?", shown),
            (f"What is {spot}?", f"{shown} {things}"), (f"Where are the {things}?", spot),
        )  # fmt: skip
    else:
        said = f"{name} has {shown} {things}"
        asked = (
            (f"How many {things} does {name} have?", shown), (f"Who has {shown} {things}?", name),
            (f"What does {name} have?", f"{shown} {things}"),
        )  # fmt: skip
    return Fact(said, asked, said, ((f"{cast.second.name} wants to count the", things),))


def event(draw: Draw, cast: Cast) -> Fact:
    """What happens when and where: "The concert is on Friday in the park"."""
    what = draw.pick(words("event"))
    when, where = some_time(draw), at(place(draw))
    while when.startswith(("last", "yester")):
        when = some_time(draw)
    begins = draw.pick(("is", "starts", "begins", "was", "is"))
    said = f"the {what} {begins} {when} {where}" if draw.chance(0.6) else f"the {what} {begins} {when}"
    do = {"is": "is the {}", "was": "was the {}", "starts": "does the {} start", "begins": "does the {} begin"}[begins]
    asked = [(f"When {do.format(what)}?", when), (f"What {begins} {when}?", f"the {what}")]
    if where in said:
        asked += [(f"Where {'was' if begins == 'was' else 'is'} the {what}?", where)]
    return Fact(said, tuple(asked), said, ((f"{cast.first.name} looks forward to the", what),))


def doing(draw: Draw, cast: Cast) -> Fact:
    """The present: "Ella is sleeping on the sofa"."""
    name = cast.first.name if draw.chance(0.75) else draw.pick(_BEINGS)
    base, _ = draw.pick(verbs("rest"))
    where = draw.pick((at(place(draw)), f"{draw.pick(AROUND)} the {draw.pick(FURNITURE)}"))
    if draw.chance(0.5):
        said = f"{name} is {present_participle(base)} {where}"
        asked = (
            (f"Who is {present_participle(base)} {where}?", name),
            (f"What is {name} doing?", f"{present_participle(base)} {where}"),
            (f"What is {name} doing?", present_participle(base)), (f"Where is {name}?", where),
            (f"Where is {name} {present_participle(base)}?", where),
        )  # fmt: skip
    else:
        said = f"{name} {third(base)} {where}"
        asked = ((f"Who {third(base)} {where}?", name), (f"Where does {name} {base}?", where))
    closing = (f"{cast.second.name} asked {cast.first.name} to {base}, too, so now they both", base)
    return Fact(said, asked, said, (closing,) if len(base.split()) == 1 else ())
