"""Scenes of two things that hang together, so that who did what, and why, has to be told apart."""

from weights.recipes.world.english import a, plural
from weights.recipes.world.lexicon import paired, sayings, verbs, words
from weights.recipes.world.names import first_name
from weights.recipes.world.scene_parts import AROUND, FURNITURE, HOLDERS, Cast, Fact, some_object, some_time
from weights.recipes.world.splits import Draw
from weights.recipes.world.sums import in_words
from weights.recipes.world.telling import FRAMES, at, owned, place

_TOYS = ("thing", "toy", "clothes", "school", "animal", "fruit", "reading")
_STRANGERS, _CAUSES = sayings("strangers"), sayings("causes")
# What comes of it: how it is said, and the verb and the rest as a question puts them; who is more, and who is most.
_EFFECTS, _DEGREES = paired("effects"), paired("degrees")


def did_two(draw: Draw, cast: Cast) -> Fact:
    """Somebody did one thing and then another in the same sentence."""
    name = cast.first.name
    (base, did), _, what = _deed(draw, cast)
    (base_2, did_2), noun_2, what_2 = draw.until(lambda: _deed(draw, cast), lambda deed: deed[0][0] != base)
    where = f" {at(place(draw))}" if draw.chance(0.3) else ""
    when = some_time(draw) if draw.chance(0.3) else ""
    joint = draw.pick((" and ", " and ", " and then ", ", then ", " but "))
    said = f"{cast.subject(draw)} {did} {what}{where}{joint}{did_2} {what_2}"
    said = f"{when} {said}" if when else said
    asked = [
        (f"What did {name} {base}?", what), (f"What did {name} {base_2}?", what_2),
        (f"Who {did_2} {what_2}?", name), (f"Who {did_2} the {noun_2}?", name), (f"Who {did} {what}?", name),
    ]  # fmt: skip
    asked += [(f"Where did {name} {base} {what}?", where.strip())] * bool(where)
    asked += [(f"When did {name} {base} {what}?", when), ("When was that?", when)] * bool(when)
    closings = (("Everybody wanted to see the", noun_2), (f"In the evening {name} still had the", noun_2))
    return Fact(said, tuple(asked), f"{name} {did} {what} and {did_2} {what_2}", closings, happens=True)


def each_did(draw: Draw, cast: Cast) -> Fact:
    """Two people did the same with different things."""
    name, other = cast.first.name, cast.second.name
    frame = draw.pick(FRAMES)
    (base, did), noun, what = _deed(draw, cast, frame)
    _, noun_2, what_2 = draw.until(lambda: _deed(draw, cast, frame), lambda deed: deed[1] != noun)
    joint = draw.pick((" and ", " and ", ", but ", ". ", ", and ", " while "))
    both = draw.pick(("", "", f"{name} and {other} were {at(place(draw))}. "))
    said = f"{both}{name} {did} {what}{joint}{other} {did} {what_2}"
    asked = (
        (f"What did {name} {base}?", what), (f"What did {other} {base}?", what_2), (f"Who {did} {what}?", name),
        (f"Who {did} {what_2}?", other), (f"Who {did} the {noun_2}?", other), (f"Who {did} the {noun}?", name),
    )  # fmt: skip
    closings = (
        (f"{name} asked {other} for the", noun_2), (f"{other} liked the {noun_2} better than the", noun),
        (f'"I like your {noun}," said', other),
    )  # fmt: skip
    return Fact(said, asked, said.removeprefix(both), closings, happens=True)


def lost_and_found(draw: Draw, cast: Cast) -> Fact:
    """Somebody lost something, and a relative, who may have a name, found it."""
    who, other = cast.first, cast.second.name
    name, kin = who.name, draw.pick(words("family"))
    noun = owned(draw, who, ("thing", "toy", "clothes", "school", "animal", "reading"))
    spot = _spot(draw) if draw.chance(0.5) else at(place(draw))
    lost = draw.pick(("lost {}", "could not find {}", "was looking for {}", "was sad because {she} had lost {}"))
    lost = lost.format(f"{who.her} {noun}", she=who.she)
    unnamed = (f"{who.her} {kin}", f"{name}'s {kin}", other)
    helper = draw.pick((*unnamed, f"{who.her} {kin} {other}") if other[0].isupper() else unnamed)
    answer = other if other in helper else helper
    finds = draw.pick((
        f"{helper} found it {spot}", f"{helper} found the {noun} {spot}", f"it was {helper} who found it {spot}",
        f"the {noun} was {spot}, and {helper} found it",
    ))  # fmt: skip
    said = f"{name} {lost}{draw.pick(('. ', '. ', ', but ', '. Then ', '. At last '))}{finds}"
    asked = (
        (f"What did {name} lose?" if "lost" in lost else f"What was {name} looking for?", f"{who.her} {noun}"),
        ("Who found it?", answer), (f"Who found the {noun}?", answer), (f"Where was the {noun}?", spot),
        (f"Where did {answer} find it?", spot), (f"Who found {name}'s {noun}?", answer),
    ) + (((f"What is {name}'s {kin} called?", other),) if answer == other and helper != other else ())  # fmt: skip
    closings = (
        ('"Thank you so much," said', name), (f"{name} was happy to have {who.her}", noun),
        (f"{name} will never again lose {who.her}", noun), ('"Here it is," said', answer.split()[-1]),
    )  # fmt: skip
    return Fact(said, asked, f"{answer} found {name}'s {noun}", closings, happens=True)


def caused(draw: Draw, cast: Cast) -> Fact:
    """One thing came of another."""
    who, other = cast.first, cast.second.name
    filled = {
        "she": who.she, "her": who.her, "him": who.him, "other": other, "thing": owned(draw, who, ("thing", "toy")),
        "animal": draw.pick(words("animal")), "body": draw.pick(words("body")),
    }  # fmt: skip
    cause = draw.pick(_CAUSES).format(**filled)
    effect, base = (part.format(**filled) for part in draw.pick(_EFFECTS))
    name = who.name
    first = f"{name} {cause.removeprefix(who.she + ' ')}" if cause.startswith(who.she + " ") else cause
    said, told = draw.pick((  # a pronoun comes after its name
        (f"{name} {effect} because {cause}", cause), (f"{first}, so {name} {effect}", first),
        (f"because {first}, {name} {effect}", first), (f"{first}. That is why {name} {effect}", first),
        (f"{first}. So {name} {effect}", first),
    ))  # fmt: skip
    verb, _, rest = effect.partition(" ")
    why = f"Why did {name} {base}?" if base else f"Why {verb} {name} {rest}?"
    asked = [(why, told), (why, told), (why, f"because {told}"), (f"Who {effect}?", name)]
    asked = [pair for pair in asked if not pair[1].startswith("because") or "because" in said.lower()]
    if base:
        asked += [(f"What did {name} do?", effect)]
    return Fact(said, tuple(asked), f"{name} {effect} because {cause}", (), happens=True)


def compared(draw: Draw, cast: Cast) -> Fact:
    """Who of two or three is more of something."""
    name, other, third = cast.first.name, cast.second.name, first_name(draw, girl=draw.chance(0.5))
    more, most = draw.pick(_DEGREES)
    said, asked = f"{name} is {more} than {other}", [(f"Who is {more}?", name)]
    if third not in (name, other) and draw.chance(0.6):
        said = f"{said}{draw.pick(('. ', ', and ', ' and '))}{other} is {more} than {third}"
        asked = [
            (f"Who is the {most}?", name),
            (f"Who is {more} than {other}?", name),
            (f"Who is {more} than {third}?", other),
        ]
    return Fact(said, tuple(asked), said)


def got_instead(draw: Draw, cast: Cast) -> Fact:
    """Somebody hoped for one thing and was given another."""
    who, other = cast.first, cast.second.name
    name = who.name
    noun, what = some_object(draw, who, _TOYS)
    got, instead = draw.until(lambda: some_object(draw, who, _TOYS), lambda made: made[0] != noun)
    giver = draw.pick((other, f"{who.her} {draw.pick(words('family'))}", f"{who.her} parents"))
    when = draw.pick(("", "", " for Christmas", f" for {who.her} birthday", f" {some_time(draw)}"))
    hoped = draw.pick((f"wanted {what}", f"wished for {what}", f"hoped for {what}"))
    said = f"{name} {hoped}, but {giver} gave {who.him} {instead}{when}"
    base = {"wanted": "want", "wished": "wish for", "hoped": "hope for"}[hoped.split()[0]]
    asked = (
        (f"What did {name} {base}?", what), (f"What did {name} get{when}?", instead),
        (f"What did {name} get?", instead),
        (f"Who gave {name} {instead}?", giver), (f"What did {giver} give {name}?", instead),
        (f"Who got {instead}?", name),
    )  # fmt: skip
    closings = (
        (f"{name} was not pleased with the", got), (f"But soon {name} loved the", got),
        (f"Next year {name} will get the", noun), ("Now nobody is happier with a present than", name),
    )  # fmt: skip
    return Fact(said, asked, f"{giver} gave {name} {instead}", closings, happens=True)


def taken_away(draw: Draw, cast: Cast) -> Fact:
    """Somebody put a thing somewhere, and somebody else took it away."""
    who, name = cast.first, cast.first.name
    noun = owned(draw, who, _TOYS)
    spot = _spot(draw)
    base, did = draw.pick((("put", "put"), ("hide", "hid"), ("leave", "left"), ("lay", "laid"), ("keep", "kept")))
    taker = draw.pick((cast.second.name, a(draw.pick(_STRANGERS))))
    deed = draw.pick(
        ("took it away", "stole it", "found it", "carried it off", "ate it", "broke it", f"took the {noun}")
    )
    joint = draw.pick((". ", ". Later ", ". Then ", ", but ", ". At night "))
    said = f"{name} {did} {draw.pick(('the', who.her))} {noun} {spot}{joint}{taker} {deed}"
    verb = f"{deed.split()[0]} the {noun}"
    asked = (
        (f"Where did {name} {base} the {noun}?", spot), (f"Who {verb}?", taker),
        (f"Who {did} the {noun} {spot}?", name),
        (f"What did {name} {base} {spot}?", f"the {noun}" if f"the {noun}" in said else f"{who.her} {noun}"),
    )  # fmt: skip
    closings = (
        (f"{name} looked {spot}, but could not see the", noun),
        (f"{name} was very angry with{' the' if taker.startswith('a') else ''}", taker.split()[-1]),
        ('"Who has been here?" asked', name), (f"Now {name} has no", noun), ("Never again did anybody see the", noun),
    )  # fmt: skip
    return Fact(said, asked, f"{taker} {verb} of {name}", closings, happens=True)


def told_about(draw: Draw, cast: Cast) -> Fact:
    """A story, a book or a song, and what it is about."""
    name, other = cast.first.name, cast.second.name
    subject = a(draw.pick(words(draw.pick(("animal", "thing", "vehicle", "plant")))))
    thing, did, base, to = draw.pick((
        ("story", "told", "tell", f" {other}"), ("book", "read", "read", ""), ("song", "sang", "sing", ""),
        ("film", "saw", "see", ""), ("poem", "wrote", "write", ""), ("book", "bought", "buy", f" {other}"),
        ("letter", "wrote", "write", f" {other}"), ("dream", "had", "have", ""),
    ))  # fmt: skip
    said = f"{cast.subject(draw)} {did}{to} a {thing} about {subject}"
    asked = (
        (f"What was the {thing} about?", subject), (f"What was the {thing} about?", f"about {subject}"),
        (f"Who {did}{to} a {thing}?", name), (f"What did {name} {base}{to}?", f"a {thing} about {subject}"),
    ) + (((f"Who did {name} {base} a {thing}?", other),) if to else ())  # fmt: skip
    noun = subject.split(" ", 1)[1]
    closings = ((f"At night {other} dreamed of the", noun), ("The best part of it was the", noun),
                (f"{other} had never heard of such a", noun))  # fmt: skip
    return Fact(said, asked, f"{name} {did}{to} a {thing} about {subject}", closings, happens=True)


def together(draw: Draw, cast: Cast) -> Fact:
    """When and with whom somebody went somewhere, and what they did there."""
    name, kin = cast.first.name, f"{cast.first.her} {draw.pick(words('family'))}"
    other = draw.pick((kin, kin, cast.second.name))
    when, where = some_time(draw), at(place(draw))
    n, things = draw.number(2, 12), plural(draw.pick(words(draw.pick(("animal", "fruit", "toy", "plant")))))
    base, did = draw.pick(verbs("counted"))
    shown = in_words(n)
    said = f"{when} {name} and {other} were {where}. They {did} {shown} {things}"
    asked = (
        (f"When were they {where}?", when), (f"How many {things} did they {base}?", shown), ("Where were they?", where),
        (f"What did they {base}?", f"{shown} {things}"), (f"Who was {where} with {name}?", other),
        (f"Where were {name} and {other}?", where), (f"How many {things} did {name} and {other} {base}?", shown),
    )  # fmt: skip
    closings = ((f"When they came home, {name} talked only about the", things),)
    return Fact(said, asked, f"{name} and {other} {did} {shown} {things}", closings, happens=True)


def _deed(draw: Draw, cast: Cast, frame: tuple[str, tuple[str, ...]] | None = None) -> tuple[tuple[str, str], str, str]:
    """((base, past) of a verb, noun, noun with an article and perhaps an adjective)."""
    section, objects = frame or draw.pick(FRAMES)
    noun, what = some_object(draw, cast.first, objects)
    if objects[0] in ("dish", "drink"):
        what = f"some {noun}"
    return draw.pick(verbs(f"on{section}")), noun, what


def _spot(draw: Draw) -> str:
    return f"{draw.pick(AROUND)} the {draw.pick((*HOLDERS, *FURNITURE))}"
