"""Plots at home: what is lost, given, cooked, found, broken, stolen, and who is new."""

from weights.recipes.world.english import a, capitalised, plural
from weights.recipes.world.facts import TOWNS
from weights.recipes.world.lexicon import sayings, verbs, words
from weights.recipes.world.splits import Draw
from weights.recipes.world.telling import (
    THEN,
    Story,
    acting,
    at,
    described,
    felt,
    introduced,
    opening,
    owned,
    person,
    place,
)

_SPOTS = sayings("spots")


def lost(draw: Draw, story: Story) -> None:
    """Somebody loses something, and somebody finds it."""
    who, room = person(draw), place(draw)
    other, thing = person(draw, who), owned(draw, who)
    what, spot = described(draw, thing), draw.pick(_SPOTS)
    introduced(draw, story, who)
    where = at(room)
    story.say(
        f"{opening(draw)} {who.name} lost {who.her} {what} {where}.",
        (f"What did {who.name} lose?", f"{who.her} {what}"), (f"Who lost {who.her} {what}?", who.name),
        (f"Where did {who.name} lose {who.her} {what}?", where),
    )  # fmt: skip
    felt(draw, story, who, good=False)
    finder = who if draw.chance(0.3) else other
    if finder is other:
        helped = draw.pick(("helped to look for it", "wanted to help", "came to help", "looked everywhere"))
        story.say(f"{who.her} {draw.pick(words('family'))} {other.name} {helped}.")
    found = f"{finder.name} found the {what if draw.chance(0.3) else thing} {spot}"
    story.say(
        f"{draw.pick(THEN).lower()} {found}.", (f"Who found the {thing}?", finder.name),
        (f"Where was the {thing}?", spot), (f"Where did {finder.name} find the {thing}?", spot),
    )  # fmt: skip
    if finder is other and draw.chance(0.7):
        story.say(f"{who.name} thanked {other.name}.", (f"Who thanked {other.name}?", who.name))
    else:
        felt(draw, story, who, good=True)
    found = f" and found it {spot}." if finder is who else f", and {finder.name} found it {spot}."
    story.gist = f"{who.name} lost {who.her} {thing}{found}"
    mine = f"took good care of the {thing}.", f"{capitalised(who.she)} never again lost the {thing}."
    theirs = f"was a good friend of {other.name}.", f"What a good friend {other.name} is, thought {who.name}."
    first, second = mine if finder is who else theirs
    story.last = draw.pick((f"From that day on {who.name} {first}", second))


def present(draw: Draw, story: Story) -> None:
    """Somebody gets a present."""
    who = person(draw)
    giver, thing = person(draw, who), owned(draw, who)
    what = a(described(draw, thing))
    introduced(draw, story, who)
    occasion = draw.pick(("birthday", "party", "wedding", "name day", "holiday"))
    story.say(f"{opening(draw)} it was {who.name}'s {occasion}.", ("What day was it?", f"{who.name}'s {occasion}"))
    kin = draw.pick(words("family"))
    story.say(
        f"{who.her} {kin} {giver.name} gave {who.him} {what}.", (f"What did {giver.name} give to {who.name}?", what),
        (f"What did {who.name} get?", what), (f"Who gave {who.name} {what}?", giver.name),
        (f"Who got {what}?", who.name),
    )  # fmt: skip
    feeling = felt(draw, story, who, good=draw.chance(0.8))
    acting(draw, story, draw.pick((who, giver)))
    story.gist = f"{giver.name} gave {who.name} {what} for {who.her} {occasion}."
    if draw.chance(0.5):
        story.gist = f"{who.name} got {what} from {giver.name} and was {feeling}."
    story.last = f"{who.name} said thank you to {giver.name}."


def cooking(draw: Draw, story: Story) -> None:
    """A meal lacks something."""
    who = person(draw)
    other, food, lacking = person(draw, who), owned(draw, who, ("fruit",)), draw.pick(words("dish"))
    shop, meal = draw.pick(("market", "shop", "supermarket", "bakery", "farm")), plural(food)
    introduced(draw, story, who)
    verb, did = draw.pick((("cook", "cooked"), ("make", "made"), ("prepare", "prepared"), ("fry", "fried")))
    story.say(
        f"{opening(draw)} {who.name} wanted to {verb} {meal} for {other.name}.",
        (f"What did {who.name} want to {verb}?", meal),
    )
    story.say(
        f"but there was no {lacking} in the kitchen.", ("What was missing in the kitchen?", lacking),
        ("What was not in the kitchen?", lacking),
    )  # fmt: skip
    story.say(
        f"so {who.she} {draw.pick(('went', 'ran', 'walked', 'hurried'))} to the {shop} and bought some.",
        (f"Where did {who.name} buy the {lacking}?", at(shop)), (f"Who bought {lacking}?", who.name),
        (f"What did {who.name} buy?", lacking),
    )  # fmt: skip
    story.say(
        f"{draw.pick(THEN).lower()} {who.she} {did} the {meal} and {other.name} ate them all.",
        (f"Who ate the {meal}?", other.name),
    )
    felt(draw, story, other, good=True)
    story.gist = f"{who.name} bought {lacking} {at(shop)} and {did} {meal} for {other.name}."
    story.last = f"There was nothing better in the world than {meal}."


def rescue(draw: Draw, story: Story) -> None:
    """Somebody finds an animal in need and keeps it."""
    who, where = person(draw), place(draw)
    animal = owned(draw, who, ("animal",))
    kind, food = draw.pick(words("creature")), draw.pick([*words("dish"), *words("drink")])
    name = draw.until(lambda: draw.pick(words("girls") + words("boys")), lambda made: made != who.name)
    introduced(draw, story, who)
    story.say(
        f"{opening(draw)} {who.name} found {a(f'{kind} {animal}')} {at(where)}.",
        (f"What did {who.name} find?", a(f"{kind} {animal}")), (f"Where did {who.name} find the {animal}?", at(where)),
        (f"Who found {a(f'{kind} {animal}')}?", who.name),
    )  # fmt: skip
    story.say(f"the {animal} was {draw.pick(words('badfeeling'))}.")
    story.say(
        f"{who.name} took it home and gave it some {food}.",
        (f"What did {who.name} give to the {animal}?", f"some {food}"),
    )
    story.say(
        f"{who.she} called the {animal} {name}.", (f"What was the {animal} called?", name),
        (f"What did {who.name} call the {animal}?", name),
    )  # fmt: skip
    story.gist = f"{who.name} found {a(f'{kind} {animal}')} {at(where)} and called it {name}."
    story.last = f"Since then {who.name} has a friend called {name}."


def broken(draw: Draw, story: Story) -> None:
    """Somebody breaks what belongs to somebody else."""
    who = person(draw)
    owner, thing = person(draw, who), owned(draw, who, ("thing", "toy", "instrument"))
    what, feeling = described(draw, thing), draw.pick(words("badfeeling"))
    introduced(draw, story, who)
    where = at(place(draw))
    base, did = draw.pick(verbs("broken"))
    story.say(
        f"{opening(draw)} {who.name} {did} {owner.name}'s {what} {where}.",
        (f"What did {who.name} {base}?", f"{owner.name}'s {what}"), (f"Who {did} {owner.name}'s {what}?", who.name),
        (f"Whose {thing} was it?", f"{owner.name}'s"), (f"Where did {who.name} {base} the {thing}?", where),
    )  # fmt: skip
    story.say(
        f"{owner.name} was {feeling}.", (f"How did {owner.name} feel?", feeling), (f"Who was {feeling}?", owner.name)
    )
    mend, mended = draw.pick(verbs("mended"))
    day = draw.pick(words("day"))
    story.say(f"on {day} {who.name} {mended} the {thing}.", (f"When did {who.name} {mend} the {thing}?", f"on {day}"))
    story.say(f"{owner.name} forgave {who.name}.", (f"Who forgave {who.name}?", owner.name))
    story.gist = f"{who.name} {did} {owner.name}'s {thing} but {mended} it on {day}."
    story.last = f'"I will never do it again," said {who.name}.'


def stolen(draw: Draw, story: Story) -> None:
    """Something is gone, and the thief is found."""
    who = person(draw)
    thief, thing = person(draw, who), owned(draw, who, ("thing", "fruit", "clothes"))
    what, spot = described(draw, thing), place(draw)
    by_animal = draw.chance(0.5)
    animal = draw.pick(words("animal"))
    culprit = f"{a(described(draw, animal, 'creature'))}" if by_animal else thief.name
    introduced(draw, story, who)
    story.say(
        f"{opening(draw)} {who.name} saw that {who.her} {what} was gone.", ("What was gone?", f"{who.her} {what}"),
        (f"Whose {thing} was gone?", f"{who.name}'s"),
    )  # fmt: skip
    story.say(f"{who.she} followed the footprints to the {spot}.", ("Where did the footprints lead?", f"to the {spot}"))
    story.say(
        f"there sat {culprit} with the {thing}.", (f"Who had the {thing}?", culprit),
        (f"Who had stolen the {thing}?", culprit),
    )  # fmt: skip
    felt(draw, story, who, good=draw.chance(0.5))
    did = draw.pick(("laughed and took it back", f"took the {thing} home", "shouted loudly"))
    story.say(f"{who.name} {did}.")
    story.gist = f"{capitalised(culprit)} had stolen {who.name}'s {thing}."
    story.last = f"Since then nobody has {draw.pick(('stolen', 'touched', 'taken'))} the {thing}."


def moved(draw: Draw, story: Story) -> None:
    """Somebody is new and finds a friend."""
    who, town, sport = person(draw), draw.pick(TOWNS).name, draw.pick(words("sport"))
    other, where = person(draw, who), at(place(draw))
    feeling = draw.pick(words("badfeeling"))
    story.say(
        f"{opening(draw)} {who.name} moved to {town}.", (f"Where did {who.name} move?", f"to {town}"),
        (f"Who moved to {town}?", who.name),
    )  # fmt: skip
    story.say(f"{who.she} knew nobody and was {feeling}.", (f"How did {who.name} feel?", feeling))
    story.say(
        f"{where} {who.she} met {other.name}, who liked {sport} too.", (f"Who did {who.name} meet?", other.name),
        (f"Where did {who.name} meet {other.name}?", where), (f"What did {other.name} like?", sport),
    )  # fmt: skip
    acting(draw, story, other)
    story.gist = f"{who.name} moved to {town} and became friends with {other.name}."
    story.last = f"Now {who.name} has a best friend called {other.name}."
