"""Plots of little stories: what happens in which order; `plots.txt` has their sentences and what is
asked of each.
"""

from weights.recipes.world import telling
from weights.recipes.world.english import a, capitalised, plural
from weights.recipes.world.facts import TOWNS
from weights.recipes.world.lexicon import jobs, sayings, verbs, words
from weights.recipes.world.splits import Draw
from weights.recipes.world.telling import (
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


def _then(draw: Draw) -> str:
    return draw.pick(telling.THEN).lower()


def lost(draw: Draw, story: Story) -> None:
    """Somebody loses something, and somebody finds it."""
    who = person(draw)
    room = place(draw)
    other = person(draw, who)
    thing = owned(draw, who)
    what = described(draw, thing)
    spot = draw.pick(_SPOTS)
    introduced(draw, story, who)
    story.tell("loses", began=opening(draw), who=who, what=what, where=at(room))
    felt(draw, story, who, good=False)
    finder = who if draw.chance(0.3) else other
    if finder is other:
        helped = draw.pick(
            ("helped to look for it", "wanted to help", "came to help", "looked everywhere")
        )
        story.say(f"{who.her} {draw.pick(words('family'))} {other.name} {helped}.")
    found = what if draw.chance(0.3) else thing
    story.tell("finds", then=_then(draw), who=finder, what=found, thing=thing, spot=spot)
    if finder is other and draw.chance(0.7):
        story.tell("thanks", who=who, other=other)
    else:
        felt(draw, story, who, good=True)
    end = f" and found it {spot}." if finder is who else f", and {finder.name} found it {spot}."
    story.gist = f"{who.name} lost {who.her} {thing}{end}"
    mine = (
        f"took good care of the {thing}.",
        f"{capitalised(who.she)} never again lost the {thing}.",
    )
    theirs = (
        f"was a good friend of {other.name}.",
        f"What a good friend {other.name} is, thought {who.name}.",
    )
    first, second = mine if finder is who else theirs
    story.last = draw.pick((f"From that day on {who.name} {first}", second))


def present(draw: Draw, story: Story) -> None:
    """Somebody gets a present."""
    who = person(draw)
    giver = person(draw, who)
    thing = owned(draw, who)
    what = a(described(draw, thing))
    introduced(draw, story, who)
    occasion = draw.pick(("birthday", "party", "wedding", "name day", "holiday"))
    story.tell("occasion", began=opening(draw), who=who, occasion=occasion)
    story.tell("present", kin=draw.pick(words("family")), who=who, giver=giver, what=what)
    feeling = felt(draw, story, who, good=draw.chance(0.8))
    acting(draw, story, draw.pick((who, giver)))
    story.gist = f"{giver.name} gave {who.name} {what} for {who.her} {occasion}."
    if draw.chance(0.5):
        story.gist = f"{who.name} got {what} from {giver.name} and was {feeling}."
    story.last = f"{who.name} said thank you to {giver.name}."


def cooking(draw: Draw, story: Story) -> None:
    """A meal lacks something."""
    who = person(draw)
    other = person(draw, who)
    food = owned(draw, who, ("fruit",))
    lacking = draw.pick(words("dish"))
    shop = draw.pick(("market", "shop", "supermarket", "bakery", "farm"))
    meal = plural(food)
    introduced(draw, story, who)
    verb, did = draw.pick(
        (("cook", "cooked"), ("make", "made"), ("prepare", "prepared"), ("fry", "fried"))
    )
    story.tell("cooking", began=opening(draw), who=who, verb=verb, meal=meal, other=other)
    story.tell("lacking", lacking=lacking)
    hurried = draw.pick(("went", "ran", "walked", "hurried"))
    story.tell("shop", who=who, hurried=hurried, shop=shop, where=at(shop), lacking=lacking)
    story.tell("meal", then=_then(draw), who=who, did=did, meal=meal, other=other)
    felt(draw, story, other, good=True)
    story.gist = f"{who.name} bought {lacking} {at(shop)} and {did} {meal} for {other.name}."
    story.last = f"There was nothing better in the world than {meal}."


def rescue(draw: Draw, story: Story) -> None:
    """Somebody finds an animal in need and keeps it."""
    who = person(draw)
    where = at(place(draw))
    animal = owned(draw, who, ("animal",))
    kind = draw.pick(words("creature"))
    food = draw.pick([*words("dish"), *words("drink")])
    name = draw.until(
        lambda: draw.pick(words("girls") + words("boys")), lambda made: made != who.name
    )
    introduced(draw, story, who)
    what = a(f"{kind} {animal}")
    story.tell("animal", began=opening(draw), who=who, what=what, where=where, animal=animal)
    story.say(f"the {animal} was {draw.pick(words('badfeeling'))}.")
    story.tell("food", who=who, food=food, animal=animal)
    story.tell("called", who=who, animal=animal, name=name)
    story.gist = f"{who.name} found {what} {where} and called it {name}."
    story.last = f"Since then {who.name} has a friend called {name}."


def broken(draw: Draw, story: Story) -> None:
    """Somebody breaks what belongs to somebody else."""
    who = person(draw)
    owner = person(draw, who)
    thing = owned(draw, who, ("thing", "toy", "instrument"))
    what = described(draw, thing)
    feeling = draw.pick(words("badfeeling"))
    introduced(draw, story, who)
    where = at(place(draw))
    base, did = draw.pick(verbs("broken"))
    story.tell(
        "breaks",
        began=opening(draw),
        who=who,
        base=base,
        did=did,
        owner=owner,
        what=what,
        thing=thing,
        where=where,
    )
    story.tell("feels", who=owner, feeling=feeling)
    mend, mended = draw.pick(verbs("mended"))
    day = draw.pick(words("day"))
    story.tell("mends", day=day, who=who, mend=mend, mended=mended, thing=thing)
    story.tell("forgives", owner=owner, who=who)
    story.gist = f"{who.name} {did} {owner.name}'s {thing} but {mended} it on {day}."
    story.last = f'"I will never do it again," said {who.name}.'


def stolen(draw: Draw, story: Story) -> None:
    """Something is gone, and the thief is found."""
    who = person(draw)
    thief = person(draw, who)
    thing = owned(draw, who, ("thing", "fruit", "clothes"))
    what = described(draw, thing)
    spot = place(draw)
    by_animal = draw.chance(0.5)
    animal = draw.pick(words("animal"))
    culprit = a(described(draw, animal, "creature")) if by_animal else thief.name
    introduced(draw, story, who)
    story.tell("gone", began=opening(draw), who=who, what=what, thing=thing)
    story.tell("footprints", who=who, spot=spot)
    story.tell("thief", culprit=culprit, thing=thing)
    felt(draw, story, who, good=draw.chance(0.5))
    did = draw.pick(("laughed and took it back", f"took the {thing} home", "shouted loudly"))
    story.say(f"{who.name} {did}.")
    story.gist = f"{capitalised(culprit)} had stolen {who.name}'s {thing}."
    story.last = f"Since then nobody has {draw.pick(('stolen', 'touched', 'taken'))} the {thing}."


def moved(draw: Draw, story: Story) -> None:
    """Somebody is new and finds a friend."""
    who = person(draw)
    town = draw.pick(TOWNS).name
    sport = draw.pick(words("sport"))
    other = person(draw, who)
    where = at(place(draw))
    feeling = draw.pick(words("badfeeling"))
    story.tell("moves", began=opening(draw), who=who, town=town)
    story.tell("lonely", who=who, feeling=feeling)
    story.tell("friend", where=where, who=who, other=other, sport=sport)
    acting(draw, story, other)
    story.gist = f"{who.name} moved to {town} and became friends with {other.name}."
    story.last = f"Now {who.name} has a best friend called {other.name}."


def trip(draw: Draw, story: Story) -> None:
    """Two travel somewhere and see something."""
    who = person(draw)
    other = person(draw, who)
    town = draw.pick(TOWNS).name
    vehicle = draw.pick(words("vehicle"))
    animal = owned(draw, who, ("animal",))
    food = draw.pick(words("fruit"))
    creature = described(draw, animal, "creature")
    where = place(draw)
    weather = draw.pick(words("weather"))
    began = opening(draw)
    introduced(draw, story, who)
    story.tell("travels", began=began, who=who, other=other, town=town, vehicle=vehicle)
    story.tell("weather", a_day=a(f"{weather} day"), weather=weather)
    story.tell("sees", where=draw.pick(("there", at(where))), who=who, what=a(creature))
    story.tell("photograph", other=other, food=a(food), animal=animal)
    felt(draw, story, draw.pick((who, other)), good=draw.chance(0.7))
    story.gist = (
        f"{who.name} and {other.name} travelled to {town}, where {who.name} saw {a(animal)}."
    )
    story.last = f"In the evening they told everybody about the {animal}."


def contest(draw: Draw, story: Story) -> None:
    """Somebody wins."""
    who = person(draw)
    other = person(draw, who)
    sport = draw.pick(words("sport"))
    prize = owned(draw, who)
    where = at(place(draw))
    introduced(draw, story, who)
    story.tell("contest", began=opening(draw), who=who, other=other, sport=sport, where=where)
    winner, loser = (who, other) if draw.chance(0.5) else (other, who)
    story.tell("wins", who=winner, manner=draw.pick(words("manner")))
    story.tell("prize", reward=a(described(draw, prize)), loser=loser)
    felt(draw, story, loser, good=False)
    story.gist = f"{who.name} and {other.name} played {sport}, and {winner.name} won."
    story.last = f'"Well done!" said {loser.name} to {winner.name}.'


def working(draw: Draw, story: Story) -> None:
    """A day at work."""
    who, (job, work), town = person(draw), draw.pick(jobs()), draw.pick(TOWNS).name
    other = person(draw, who)
    thing = owned(draw, who, ("thing",))
    what = a(described(draw, thing))
    story.tell("job", who=who, job=job, a_job=a(job), town=town)
    story.tell("work", a_job=a(job), work=work)
    base, did = draw.pick(verbs("traded"))
    day = draw.pick(words("day"))
    story.tell("trades", day=day, who=who, base=base, did=did, other=other, what=what)
    coins = draw.number(2, 12)
    story.tell("pays", other=other, coins=coins)
    felt(draw, story, draw.pick((who, other)), good=True)
    story.gist = f"{who.name}, {a(job)}, {did} {other.name} {what} for {coins} coins."
    story.last = f"Everybody in {town} knows the {job} {who.name}."


def rained_off(draw: Draw, story: Story) -> None:
    """The weather changes a plan."""
    who = person(draw)
    other = person(draw, who)
    where = draw.pick(words("natureplace"))
    room = draw.pick(words("room"))
    weather = draw.pick(("rain", "snow", "hail", "storm"))
    game = owned(draw, who, ("toy", "instrument", "reading"))
    introduced(draw, story, who)
    story.tell("plan", began=opening(draw), who=who, other=other, where=where)
    story.tell("begins", weather=weather)
    story.tell("stays", who=who, other=other, where=at(room))
    what = a(described(draw, game))
    drink = f"{draw.pick(('made', 'cooked', 'brought'))} some {draw.pick(words('drink'))}"
    story.tell("brings", who=who, what=what, other=other, drink=drink)
    felt(draw, story, draw.pick((who, other)), good=True)
    story.gist = (
        f"{who.name} and {other.name} could not go to the {where} because it began to {weather}."
    )
    story.last = f"They will go another day to the {where}."


def school(draw: Draw, story: Story) -> None:
    """A lesson."""
    who = person(draw)
    other = person(draw, who)
    subject = draw.pick(words("subject"))
    thing = owned(draw, who, ("school", "reading"))
    good = draw.pick((True, False))
    introduced(draw, story, who)
    story.tell("test", began=opening(draw), who=who, subject=subject)
    story.tell("lends", who=who, thing=thing, a_thing=a(thing), other=other)
    story.tell("went", how="well" if good else "badly")
    felt(draw, story, who, good=good)
    story.gist = f"{other.name} lent {who.name} {a(thing)} for a test in {subject}."
    story.last = f"At home {who.name} told everybody about {other.name}."


def day(draw: Draw, story: Story) -> None:
    """A few things in a row."""
    who = person(draw)
    other = person(draw, who)
    introduced(draw, story, who)
    story.tell("day", day=draw.pick(words("day")), weather=draw.pick(words("weather")))
    acting(draw, story, who)
    base, did = draw.pick(verbs("walk"))
    where = draw.pick(words("townplace") + words("natureplace"))
    story.tell("walks", then=_then(draw), who=who, base=base, did=did, where=where)
    meet, met = draw.pick(verbs("onperson"))
    story.tell("meets", who=who, meet=meet, met=met, other=other)
    acting(draw, story, other)
    rest, rested = draw.pick(verbs("rest"))
    where_then = at(draw.pick(words("room")))
    story.tell("evening", who=who, other=other, rest=rest, rested=rested, where=where_then)
    story.gist = f"{who.name} {did} to the {where} and {met} {other.name}."
    story.last = f"It was a good day for {who.name} and {other.name}."
