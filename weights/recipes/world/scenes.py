"""Short texts of one to four sentences about anybody and anything, with what can be asked about
each sentence.

Where stories follow plots, scenes only put facts together, so that what is learned from them is to
look things up.
"""

from collections.abc import Callable

from weights.recipes.world import scene_deeds as deeds
from weights.recipes.world import scene_states as states
from weights.recipes.world.english import capitalised
from weights.recipes.world.scene_parts import Cast, Fact, somebody
from weights.recipes.world.splits import Draw
from weights.recipes.world.telling import Story

_FACTS: tuple[Callable[[Draw, Cast], Fact], ...] = (
    deeds.acted,
    deeds.acted,
    deeds.acted,
    deeds.acted,
    deeds.gave,
    deeds.gave,
    states.owns,
    states.owns,
    states.is_where,
    states.is_where,
    deeds.went,
    deeds.went,
    states.likes,
    states.is_somebody,
    states.is_somebody,
    deeds.felt,
    deeds.felt,
    deeds.wanted,
    deeds.met,
    deeds.met,
    states.pet,
    states.two_alike,
    states.how_many,
    states.event,
    states.doing,
    deeds.both_did,
    deeds.both_did,
    deeds.did_two,
    deeds.did_two,
    deeds.did_two,
    deeds.each_did,
    deeds.each_did,
    deeds.each_did,
    deeds.lost_and_found,
    deeds.lost_and_found,
    deeds.caused,
    deeds.caused,
    deeds.caused,
    deeds.compared,
    deeds.got_instead,
    deeds.taken_away,
    deeds.taken_away,
    deeds.told_about,
    deeds.together,
    deeds.together,
)
# Also of somebody without a name.
_FACTS_OF_ANYBODY = tuple(make for make in _FACTS if make not in (states.is_somebody, states.pet))


def scene(draw: Draw) -> Story:
    """One to four facts about one to three people; its questions may be about any of them, its gist
    tells the first ones, and its last word repeats one that was said.
    """
    made = Story()
    first = somebody(draw)
    second = somebody(draw, first)
    third_ = somebody(draw, first, second)
    facts: list[Fact] = []
    n = draw.pick((1, 1, 2, 2, 2, 3, 3, 4))
    for number in range(n):
        cast = Cast(first, second, named=first.name in made.text)
        if number and draw.chance(0.35):
            cast = draw.pick(
                (
                    Cast(second, first, False),
                    Cast(second, third_, False),
                    Cast(first, third_, cast.named),
                )
            )
        named = cast.first.name[0].isupper() and cast.second.name[0].isupper()
        fact = draw.pick(_FACTS if named else _FACTS_OF_ANYBODY)(draw, cast)
        made.say(
            f"{'. '.join(capitalised(part) for part in fact.sentence.split('. '))}.", *fact.asked
        )
        facts.append(fact)
    made.gist = _gist(facts, [first.name, second.name, third_.name])
    closings = [closing for fact in facts for closing in fact.closings]
    if closings:
        front, last = draw.pick(closings)
        made.last = f"{capitalised(front)} {last}."
    return made


def _gist(facts: list[Fact], names: list[str]) -> str:
    """One sentence on what happened, or else on what is: as many facts as it takes to name
    everybody in them.
    """
    kept: list[str] = []
    named: set[str] = set()
    for fact in [fact for fact in facts if fact.happens] or facts:
        new = {name for name in names if name in fact.gist} - named
        if not kept or (new and len(kept) < 3):
            kept.append(fact.gist.rstrip(".").replace(". ", ", and "))
            named |= new
    return f"{capitalised(', and '.join(kept))}."
