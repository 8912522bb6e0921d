"""Plots outside: trips, games, work, weather, school, and an ordinary day."""

from weights.recipes.world.english import a
from weights.recipes.world.facts import TOWNS
from weights.recipes.world.lexicon import jobs, verbs, words
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


def trip(draw: Draw, story: Story) -> None:
    """Two travel somewhere and see something."""
    who = person(draw)
    other, town, vehicle = person(draw, who), draw.pick(TOWNS).name, draw.pick(words("vehicle"))
    animal, food = owned(draw, who, ("animal",)), draw.pick(words("fruit"))
    creature, where, weather = described(draw, animal, "creature"), place(draw), draw.pick(words("weather"))
    began = opening(draw)
    introduced(draw, story, who)
    story.say(
        f"{began} {who.name} and {other.name} travelled to {town} by {vehicle}.",
        (f"Where did {who.name} and {other.name} travel?", f"to {town}"),
        (f"How did {who.name} and {other.name} travel?", f"by {vehicle}"),
        (f"Who travelled with {who.name}?", other.name),
    )
    story.say(f"it was {a(f'{weather} day')}.", ("What was the weather like?", weather))
    story.say(
        f"{draw.pick(('there', at(where)))} {who.name} saw {a(creature)}.", (f"What did {who.name} see?", a(creature)),
        (f"Who saw {a(creature)}?", who.name),
    )  # fmt: skip
    story.say(
        f"{other.name} ate {a(food)} and took a photograph of the {animal}.", (f"What did {other.name} eat?", a(food)),
        (f"Who took a photograph of the {animal}?", other.name),
    )  # fmt: skip
    felt(draw, story, draw.pick((who, other)), good=draw.chance(0.7))
    story.gist = f"{who.name} and {other.name} travelled to {town}, where {who.name} saw {a(animal)}."
    story.last = f"In the evening they told everybody about the {animal}."


def contest(draw: Draw, story: Story) -> None:
    """Somebody wins."""
    who = person(draw)
    other, sport, prize = person(draw, who), draw.pick(words("sport")), owned(draw, who)
    where = at(place(draw))
    introduced(draw, story, who)
    story.say(
        f"{opening(draw)} {who.name} and {other.name} played {sport} {where}.",
        (f"What did {who.name} and {other.name} play?", sport),
        (f"Where did {who.name} and {other.name} play {sport}?", where),
        (f"Who played {sport} with {who.name}?", other.name),
    )
    winner, loser = (who, other) if draw.chance(0.5) else (other, who)
    story.say(
        f"{winner.name} {draw.pick(words('manner'))} won the game.", ("Who won the game?", winner.name),
        ("Who won?", winner.name),
    )  # fmt: skip
    reward = a(described(draw, prize))
    story.say(f"the prize was {reward}.", ("What was the prize?", reward), ("Who lost the game?", loser.name))
    felt(draw, story, loser, good=False)
    story.gist = f"{who.name} and {other.name} played {sport}, and {winner.name} won."
    story.last = f'"Well done!" said {loser.name} to {winner.name}.'


def working(draw: Draw, story: Story) -> None:
    """A day at work."""
    who, (job, work), town = person(draw), draw.pick(jobs()), draw.pick(TOWNS).name
    other, thing = person(draw, who), owned(draw, who, ("thing",))
    what = a(described(draw, thing))
    story.say(
        f"{who.name} is {a(job)} in {town}.", (f"What is {who.name}'s job?", job),
        (f"Where does {who.name} work?", f"in {town}"), (f"Who is {a(job)}?", who.name),
    )  # fmt: skip
    story.say(f"{a(job)} {work}.", (f"What does {a(job)} do?", work))
    base, did = draw.pick(verbs("traded"))
    day = draw.pick(words("day"))
    story.say(
        f"on {day} {who.name} {did} {other.name} {what}.",
        (f"When did {who.name} {base} {other.name} {what}?", f"on {day}"),
        (f"Who {did} {other.name} {what}?", who.name),
    )
    coins = draw.number(2, 12)
    story.say(
        f"{other.name} paid {coins} coins for it.", (f"How many coins did {other.name} pay?", str(coins)),
        (f"Who paid {coins} coins?", other.name),
    )  # fmt: skip
    felt(draw, story, draw.pick((who, other)), good=True)
    story.gist = f"{who.name}, {a(job)}, {did} {other.name} {what} for {coins} coins."
    story.last = f"Everybody in {town} knows the {job} {who.name}."


def rained_off(draw: Draw, story: Story) -> None:
    """The weather changes a plan."""
    who = person(draw)
    other, where, room = person(draw, who), draw.pick(words("natureplace")), draw.pick(words("room"))
    weather, game = draw.pick(("rain", "snow", "hail", "storm")), owned(draw, who, ("toy", "instrument", "reading"))
    introduced(draw, story, who)
    began = {"rain": "to rain", "snow": "to snow", "hail": "to hail", "storm": "to storm"}[weather]
    story.say(
        f"{opening(draw)} {who.name} and {other.name} wanted to go to the {where}.",
        (f"Where did {who.name} and {other.name} want to go?", f"to the {where}"),
    )
    story.say(f"but it began {began}.", ("What did it begin to do?", began[3:]))
    story.say(f"so they stayed {at(room)}.", (f"Where did {who.name} and {other.name} stay?", at(room)))
    what = described(draw, game)
    drink = f"{draw.pick(('made', 'cooked', 'brought'))} some {draw.pick(words('drink'))}"
    story.say(
        f"{who.name} brought {a(what)} and {other.name} {drink}.", (f"What did {who.name} bring?", a(what)),
        (f"Who brought {a(what)}?", who.name),
    )  # fmt: skip
    felt(draw, story, draw.pick((who, other)), good=True)
    story.gist = f"{who.name} and {other.name} could not go to the {where} because it began {began}."
    story.last = f"They will go another day to the {where}."


def school(draw: Draw, story: Story) -> None:
    """A lesson."""
    who = person(draw)
    other, subject, thing = person(draw, who), draw.pick(words("subject")), owned(draw, who, ("school", "reading"))
    grade = draw.pick(("good", "bad"))
    introduced(draw, story, who)
    story.say(
        f"{opening(draw)} {who.name} had a test in {subject} at school.", (f"What test did {who.name} have?", subject),
        (f"Who had a test in {subject}?", who.name),
    )  # fmt: skip
    story.say(
        f"{who.she} had forgotten {who.her} {thing}, so {other.name} lent {who.him} one.",
        (f"What had {who.name} forgotten?", f"{who.her} {thing}"), (f"Who lent {who.name} {a(thing)}?", other.name),
    )  # fmt: skip
    story.say(
        f"the test went {'well' if grade == 'good' else 'badly'}.",
        ("How did the test go?", "well" if grade == "good" else "badly"),
    )
    felt(draw, story, who, good=grade == "good")
    story.gist = f"{other.name} lent {who.name} {a(thing)} for a test in {subject}."
    story.last = f"At home {who.name} told everybody about {other.name}."


def day(draw: Draw, story: Story) -> None:
    """A few things in a row."""
    who = person(draw)
    other = person(draw, who)
    introduced(draw, story, who)
    day, weather = draw.pick(words("day")), draw.pick(words("weather"))
    story.say(
        f"it was {day} and the weather was {weather}.", ("What day was it?", day),
        ("What was the weather like?", weather),
    )  # fmt: skip
    acting(draw, story, who)
    base, did = draw.pick(verbs("walk"))
    where = draw.pick(words("townplace") + words("natureplace"))
    story.say(
        f"{draw.pick(THEN).lower()} {who.she} {did} to the {where}.",
        (f"Where did {who.name} {base}?", f"to the {where}"), (f"Who {did} to the {where}?", who.name),
    )  # fmt: skip
    meet, met = draw.pick(verbs("onperson"))
    story.say(f"there {who.she} {met} {other.name}.", (f"Who did {who.name} {meet}?", other.name))
    acting(draw, story, other)
    rest, rested = draw.pick(verbs("rest"))
    room = draw.pick(words("room"))
    story.say(f"in the evening they {rested} {at(room)}.", (f"Where did {who.name} and {other.name} {rest}?", at(room)))
    story.gist = f"{who.name} {did} to the {where} and {met} {other.name}."
    story.last = f"It was a good day for {who.name} and {other.name}."
