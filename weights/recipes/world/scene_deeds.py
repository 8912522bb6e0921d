"""Scenes in which something happens, to one or to two, alone or one thing because of another."""

from weights.recipes.world.english import a, plural
from weights.recipes.world.facts import TOWNS
from weights.recipes.world.lexicon import paired, sayings, verbs, words
from weights.recipes.world.names import first_name
from weights.recipes.world.scene_parts import (
    Cast,
    Fact,
    happened,
    some_object,
    some_spot,
    some_time,
    told,
)
from weights.recipes.world.splits import Draw
from weights.recipes.world.sums import in_words
from weights.recipes.world.telling import FRAMES, at, owned, place

_TOYS = ("thing", "toy", "clothes", "school", "animal", "fruit", "reading")
_REASONS = sayings("reasons")
_STRANGERS = sayings("strangers")
_CAUSES = sayings("causes")
# What two did, and how it ended; what comes of a cause: how it is said, and the verb and the rest
# as a question puts them; who is more, and who is most.
_DEEDS = paired("told of two")
_EFFECTS = paired("effects")
_DEGREES = paired("degrees")


def acted(draw: Draw, cast: Cast) -> Fact:
    """Somebody did something to something, somewhere, some time."""
    section, objects = draw.pick(FRAMES)
    base, did = draw.pick(verbs(f"on{section}"))
    noun, what = some_object(draw, cast.first, objects)
    if objects[0] in ("dish", "drink"):
        what = f"some {noun}" if draw.chance(0.5) else f"the {noun}"
    name = cast.first.name
    subject = cast.subject(draw)
    where = at(place(draw)) if draw.chance(0.35) else ""
    when = some_time(draw) if draw.chance(0.3) else ""
    said = f"{subject} {did} {what}{f' {where}' if where else ''}"
    said = f"{when} {said}" if when and draw.chance(0.5) else f"{said} {when}".rstrip()
    gist = f"{name} {did} {what}{f' {where}' if where and draw.chance(0.5) else ''}"
    return happened(
        said,
        gist,
        cast,
        "acted",
        "acted where" * bool(where),
        "acted when" * bool(when),
        base=base,
        did=did,
        what=what,
        noun=noun,
        where=where,
        when=when,
        spot=where.split(" ", 2)[-1],
    )


def gave(draw: Draw, cast: Cast) -> Fact:
    """Somebody gave, showed or sent something to somebody."""
    noun, what = some_object(draw, cast.first)
    name = cast.first.name
    other = cast.second.name
    subject = cast.subject(draw)
    base, did = draw.pick(verbs("given"))
    said = draw.pick((f"{subject} {did} {other} {what}", f"{subject} {did} {what} to {other}"))
    given = "gave one" * what.startswith("a")
    return happened(
        said,
        f"{name} {did} {other} {what}",
        cast,
        "gave",
        given,
        base=base,
        did=did,
        noun=noun,
        what=what,
    )


def went(draw: Draw, cast: Cast) -> Fact:
    """Somebody went somewhere, alone or together, somehow, some time."""
    name = cast.first.name
    other = cast.second.name
    base, did = draw.pick((("go", "went"), ("go", "went"), *verbs("walk")))
    spot = draw.pick(words("townplace") + words("natureplace") + [town.name for town in TOWNS])
    to = f"to {spot}" if spot[0].isupper() else f"to the {spot}"
    together = draw.chance(0.4)
    by = ""
    when = ""
    who = f"{name} and {other}" if together else cast.subject(draw)
    if base == "go" and draw.chance(0.4):
        by = f"by {draw.pick(words('vehicle'))}"
    if draw.chance(0.4):
        when = some_time(draw)
    said = " ".join(part for part in (who, did, to, by) if part)
    said = f"{when} {said}" if when and draw.chance(0.5) else f"{said} {when}".rstrip()
    called = f"{name} and {other}" if together else name
    more = ("went by" * bool(by), "went when" * bool(when), "went together" * together)
    return happened(
        said,
        f"{called} {did} {to}",
        cast,
        "went",
        *more,
        called=called,
        base=base,
        did=did,
        to=to,
        by=by,
        when=when,
        spot=spot,
        vehicle=by[3:],
        the="" if spot[0].isupper() else " the",
    )


def wanted(draw: Draw, cast: Cast) -> Fact:
    """Somebody wanted one thing and got another."""
    name = cast.first.name
    noun, what = some_object(draw, cast.first)
    got, instead = some_object(draw, cast.first)
    base, did = draw.pick((("buy", "bought"), ("find", "found"), ("get", "got"), ("take", "took")))
    wanted = draw.pick((f"wanted {what}", f"wanted to {base} {what}", f"was looking for {what}"))
    said = f"{name} {wanted} but {did} {instead}"
    wish = what if wanted == f"wanted {what}" else f"to {base} {what}"
    looked = "looking" in wanted
    return happened(
        said,
        said,
        cast,
        "looked for" if looked else "wanted",
        "got",
        base=base,
        did=did,
        wish=wish,
        what=what,
        noun=noun,
        got=got,
        instead=instead,
    )


def met(draw: Draw, cast: Cast) -> Fact:
    """Somebody met somebody somewhere."""
    name = cast.first.name
    other = cast.second.name
    where = at(place(draw))
    base, did = draw.pick(verbs("onperson"))
    said = f"{cast.subject(draw)} {did} {other} {where}"
    gist = f"{name} {did} {other}{f' {where}' if draw.chance(0.5) else ''}"
    return happened(said, gist, cast, "met", base=base, did=did, where=where)


def felt(draw: Draw, cast: Cast) -> Fact:
    """How somebody felt, and why."""
    name = cast.first.name
    good = draw.chance(0.5)
    feeling = draw.pick(words("goodfeeling" if good else "badfeeling"))
    why = draw.pick(_REASONS).format(
        thing=owned(draw, cast.first, ("thing", "toy")),
        other=cast.second.name,
        food=draw.pick(words("dish")),
        animal=draw.pick(words("animal")),
    )
    said = (
        f"{name} was {feeling} because {why}"
        if draw.chance(0.7)
        else f"because {why}, {name} was {feeling}"
    )
    return happened(
        said, f"{name} was {feeling} because {why}", cast, "felt", feeling=feeling, why=why
    )


def both_did(draw: Draw, cast: Cast) -> Fact:
    """Two did something, and how it ended."""
    name = cast.first.name
    other = cast.second.name
    did, end = draw.pick(_DEEDS)
    thing = owned(draw, cast.first, ("thing", "toy", "vehicle", "clothes"))
    did = did.format(thing=thing)
    end = end.format(name=name, other=other)
    joint = draw.pick((", but ", ", and ", ". ", ". In the end "))
    if draw.chance(0.6):  # any deed, and what came of it
        section, objects = draw.pick(FRAMES)
        _, did = draw.pick(verbs(f"on{section}"))
        did = f"{did} {some_object(draw, cast.first, objects)[1]}"
        end = draw.pick(
            (
                "it broke",
                "nobody liked it",
                "everybody liked it",
                "it was gone",
                f"{other} dropped it",
                f"{name} kept it",
                f"{other} was {draw.pick(words('goodfeeling'))}",
                f"{name} was {draw.pick(words('badfeeling'))}",
                f"they took it {at(place(draw))}",
                f"they lost it {at(place(draw))}",
                "it was too heavy",
                "it was too small",
            )
        )
    said = f"{name} and {other} {did}{joint}{end}"
    return happened(
        said, f"{name} and {other} {did}, and {end}", cast, "both did", did=did, end=end
    )


def did_two(draw: Draw, cast: Cast) -> Fact:
    """Somebody did one thing and then another in the same sentence."""
    name = cast.first.name
    (base, did), _, what = _deed(draw, cast)
    (base_2, did_2), noun_2, what_2 = draw.until(
        lambda: _deed(draw, cast), lambda deed: deed[0][0] != base
    )
    where = f" {at(place(draw))}" if draw.chance(0.3) else ""
    when = some_time(draw) if draw.chance(0.3) else ""
    joint = draw.pick((" and ", " and ", " and then ", ", then ", " but "))
    said = f"{cast.subject(draw)} {did} {what}{where}{joint}{did_2} {what_2}"
    said = f"{when} {said}" if when else said
    return happened(
        said,
        f"{name} {did} {what} and {did_2} {what_2}",
        cast,
        "did two",
        "did two where" * bool(where),
        "did two when" * bool(when),
        base=base,
        did=did,
        what=what,
        base_2=base_2,
        did_2=did_2,
        what_2=what_2,
        noun_2=noun_2,
        where=where.strip(),
        when=when,
    )


def each_did(draw: Draw, cast: Cast) -> Fact:
    """Two people did the same with different things."""
    name = cast.first.name
    other = cast.second.name
    frame = draw.pick(FRAMES)
    (base, did), noun, what = _deed(draw, cast, frame)
    _, noun_2, what_2 = draw.until(lambda: _deed(draw, cast, frame), lambda deed: deed[1] != noun)
    joint = draw.pick((" and ", " and ", ", but ", ". ", ", and ", " while "))
    both = draw.pick(("", "", f"{name} and {other} were {at(place(draw))}. "))
    said = f"{both}{name} {did} {what}{joint}{other} {did} {what_2}"
    deed = {
        "base": base,
        "did": did,
        "noun": noun,
        "what": what,
        "noun_2": noun_2,
        "what_2": what_2,
    }
    return happened(said, said.removeprefix(both), cast, "each did", **deed)


def lost_and_found(draw: Draw, cast: Cast) -> Fact:
    """Somebody lost something, and a relative, who may have a name, found it."""
    who = cast.first
    other = cast.second.name
    name = who.name
    kin = draw.pick(words("family"))
    noun = owned(draw, who, ("thing", "toy", "clothes", "school", "animal", "reading"))
    spot = some_spot(draw) if draw.chance(0.5) else at(place(draw))
    lost = draw.pick(
        ("lost {}", "could not find {}", "was looking for {}", "was sad because {she} had lost {}")
    )
    lost = lost.format(f"{who.her} {noun}", she=who.she)
    unnamed = (f"{who.her} {kin}", f"{name}'s {kin}", other)
    helper = draw.pick((*unnamed, f"{who.her} {kin} {other}") if other[0].isupper() else unnamed)
    answer = other if other in helper else helper
    finds = draw.pick(
        (
            f"{helper} found it {spot}",
            f"{helper} found the {noun} {spot}",
            f"it was {helper} who found it {spot}",
            f"the {noun} was {spot}, and {helper} found it",
        )
    )
    said = f"{name} {lost}{draw.pick(('. ', '. ', ', but ', '. Then ', '. At last '))}{finds}"
    sections = ("lost" if "lost" in lost else "was looking", "found")
    named = "found by" * (answer == other and helper != other)
    return happened(
        said,
        f"{answer} found {name}'s {noun}",
        cast,
        *sections,
        named,
        who=who,
        noun=noun,
        kin=kin,
        answer=answer,
        spot=spot,
        last=answer.split()[-1],
    )


def caused(draw: Draw, cast: Cast) -> Fact:
    """One thing came of another."""
    who = cast.first
    other = cast.second.name
    filled = {
        "she": who.she,
        "her": who.her,
        "him": who.him,
        "other": other,
        "thing": owned(draw, who, ("thing", "toy")),
        "animal": draw.pick(words("animal")),
        "body": draw.pick(words("body")),
    }
    cause = draw.pick(_CAUSES).format(**filled)
    effect, base = (part.format(**filled) for part in draw.pick(_EFFECTS))
    name = who.name
    first = (
        f"{name} {cause.removeprefix(who.she + ' ')}" if cause.startswith(who.she + " ") else cause
    )
    said, reason = draw.pick(
        (  # a pronoun comes after its name
            (f"{name} {effect} because {cause}", cause),
            (f"{first}, so {name} {effect}", first),
            (f"because {first}, {name} {effect}", first),
            (f"{first}. That is why {name} {effect}", first),
            (f"{first}. So {name} {effect}", first),
        )
    )
    verb, _, rest = effect.partition(" ")
    why = f"Why did {name} {base}?" if base else f"Why {verb} {name} {rest}?"
    asked = [(why, reason), (why, reason), (why, f"because {reason}"), (f"Who {effect}?", name)]
    asked = [
        pair for pair in asked if not pair[1].startswith("because") or "because" in said.lower()
    ]
    if base:
        asked += [(f"What did {name} do?", effect)]
    return Fact(said, tuple(asked), f"{name} {effect} because {cause}", (), happens=True)


def compared(draw: Draw, cast: Cast) -> Fact:
    """Who of two or three is more of something."""
    name = cast.first.name
    other = cast.second.name
    third = first_name(draw, girl=draw.chance(0.5))
    more, most = draw.pick(_DEGREES)
    said = f"{name} is {more} than {other}"
    section = "more"
    if third not in (name, other) and draw.chance(0.6):
        said = f"{said}{draw.pick(('. ', ', and ', ' and '))}{other} is {more} than {third}"
        section = "most"
    return told(said, said, cast, section, more=more, most=most, third=third)


def got_instead(draw: Draw, cast: Cast) -> Fact:
    """Somebody hoped for one thing and was given another."""
    who = cast.first
    other = cast.second.name
    name = who.name
    noun, what = some_object(draw, who, _TOYS)
    got, instead = draw.until(lambda: some_object(draw, who, _TOYS), lambda made: made[0] != noun)
    giver = draw.pick((other, f"{who.her} {draw.pick(words('family'))}", f"{who.her} parents"))
    when = draw.pick(("", "", " for Christmas", f" for {who.her} birthday", f" {some_time(draw)}"))
    hoped = draw.pick((f"wanted {what}", f"wished for {what}", f"hoped for {what}"))
    said = f"{name} {hoped}, but {giver} gave {who.him} {instead}{when}"
    base = {"wanted": "want", "wished": "wish for", "hoped": "hope for"}[hoped.split()[0]]
    return happened(
        said,
        f"{giver} gave {name} {instead}",
        cast,
        "got instead",
        base=base,
        what=what,
        noun=noun,
        giver=giver,
        got=got,
        instead=instead,
        when=when,
    )


def taken_away(draw: Draw, cast: Cast) -> Fact:
    """Somebody put a thing somewhere, and somebody else took it away."""
    who = cast.first
    name = cast.first.name
    noun = owned(draw, who, _TOYS)
    spot = some_spot(draw)
    base, did = draw.pick(
        (("put", "put"), ("hide", "hid"), ("leave", "left"), ("lay", "laid"), ("keep", "kept"))
    )
    taker = draw.pick((cast.second.name, a(draw.pick(_STRANGERS))))
    deed = draw.pick(
        (
            "took it away",
            "stole it",
            "found it",
            "carried it off",
            "ate it",
            "broke it",
            f"took the {noun}",
        )
    )
    joint = draw.pick((". ", ". Later ", ". Then ", ", but ", ". At night "))
    said = f"{name} {did} {draw.pick(('the', who.her))} {noun} {spot}{joint}{taker} {deed}"
    verb = f"{deed.split()[0]} the {noun}"
    what = f"the {noun}" if f"the {noun}" in said else f"{who.her} {noun}"
    return happened(
        said,
        f"{taker} {verb} of {name}",
        cast,
        "taken",
        base=base,
        did=did,
        noun=noun,
        spot=spot,
        verb=verb,
        taker=taker,
        what=what,
        the=" the" if taker.startswith("a") else "",
        last=taker.split()[-1],
    )


def told_about(draw: Draw, cast: Cast) -> Fact:
    """A story, a book or a song, and what it is about."""
    name = cast.first.name
    other = cast.second.name
    subject = a(draw.pick(words(draw.pick(("animal", "thing", "vehicle", "plant")))))
    thing, did, base, to = draw.pick(
        (
            ("story", "told", "tell", f" {other}"),
            ("book", "read", "read", ""),
            ("song", "sang", "sing", ""),
            ("film", "saw", "see", ""),
            ("poem", "wrote", "write", ""),
            ("book", "bought", "buy", f" {other}"),
            ("letter", "wrote", "write", f" {other}"),
            ("dream", "had", "have", ""),
        )
    )
    said = f"{cast.subject(draw)} {did}{to} a {thing} about {subject}"
    return happened(
        said,
        f"{name} {did}{to} a {thing} about {subject}",
        cast,
        "told about",
        "told about to" * bool(to),
        thing=thing,
        subject=subject,
        base=base,
        did=did,
        to=to,
        noun=subject.split(" ", 1)[1],
    )


def together(draw: Draw, cast: Cast) -> Fact:
    """When and with whom somebody went somewhere, and what they did there."""
    name = cast.first.name
    kin = f"{cast.first.her} {draw.pick(words('family'))}"
    other = draw.pick((kin, kin, cast.second.name))
    when = some_time(draw)
    where = at(place(draw))
    n = draw.number(2, 12)
    things = plural(draw.pick(words(draw.pick(("animal", "fruit", "toy", "plant")))))
    base, did = draw.pick(verbs("counted"))
    shown = in_words(n)
    said = f"{when} {name} and {other} were {where}. They {did} {shown} {things}"
    gist = f"{name} and {other} {did} {shown} {things}"
    return happened(
        said,
        gist,
        cast,
        "together",
        other=other,
        base=base,
        where=where,
        when=when,
        shown=shown,
        things=things,
    )


def _deed(
    draw: Draw, cast: Cast, frame: tuple[str, tuple[str, ...]] | None = None
) -> tuple[tuple[str, str], str, str]:
    """((base, past) of a verb, noun, noun with an article and perhaps an adjective)."""
    section, objects = frame or draw.pick(FRAMES)
    noun, what = some_object(draw, cast.first, objects)
    if objects[0] in ("dish", "drink"):
        what = f"some {noun}"
    return draw.pick(verbs(f"on{section}")), noun, what
