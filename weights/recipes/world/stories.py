"""Little stories, each with the questions that its text answers and the one sentence that it comes
down to.
"""

from collections.abc import Callable

from weights.recipes.world import plots
from weights.recipes.world.english import listed
from weights.recipes.world.lexicon import sayings, words
from weights.recipes.world.splits import Draw
from weights.recipes.world.telling import Story, person

_PLOTS: tuple[Callable[[Draw, Story], None], ...] = (
    plots.lost,
    plots.present,
    plots.trip,
    plots.cooking,
    plots.rescue,
    plots.broken,
    plots.contest,
    plots.working,
    plots.rained_off,
    plots.stolen,
    plots.school,
    plots.moved,
    plots.day,
    plots.day,
)


def story(draw: Draw) -> Story:
    """A story of four to eight sentences."""
    made = Story()
    draw.pick(_PLOTS)(draw, made)
    return made


def chapter(draw: Draw) -> str:
    """Something longer for reading: two plots, what people said, and an end."""
    first = story(draw)
    second = story(draw)
    said = draw.pick(words("said"))
    who = person(draw)
    speech = draw.pick(sayings("exclaimed"))
    between = f'"{speech}!" {said} {who.name}.'
    return (
        "\n".join((first.text, between, second.text))
        if draw.chance(0.5)
        else f"{first.text} {first.last}"
    )


def shopping(draw: Draw) -> str:
    """Lists, as they lie on kitchen tables."""
    who = person(draw).name
    section = draw.pick(sayings("bought"))
    things = draw.some(words(section), draw.number(4, 8))
    head = draw.pick(sayings("lists")).format(who=who)
    return f"{head} {listed(things)}."
