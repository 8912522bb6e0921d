"""Pages of a small web: stories, reviews, phrasebooks, homework, guidebooks, and in them
demonstrations of tasks.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item, Template
from weights.recipes.world import analogies, facts, french, reviews, scenes, stories, sums, telling
from weights.recipes.world.english import capitalised
from weights.recipes.world.items import NO_STEPS, item
from weights.recipes.world.lexicon import entries, jobs, words
from weights.recipes.world.splits import Draw
from weights.recipes.world.wordings import wording

_HEADS = entries("heads.txt")
_STEPS_HEAD = (
    "In steps\n\n"  # of every page with steps: who asks a plain question shall not get them
)
_N_ITEMS = {
    "summarise": (1, 2),
    "translate": (5, 12),
    "question": (1, 3),
    "fact": (4, 8),
    "sentiment": (2, 5),
    "arithmetic": (8, 16),
}


def demonstration(task: str, make: Callable[[Draw], Item] | None = None) -> Callable[[Draw], str]:
    """Pages that show a task, in one of the ways that are not held out, with items of the world or
    made so.
    """
    make = make or partial(item, task)
    shown = [template for template in TASKS[task].templates if not template.held_out]

    def page(draw: Draw) -> str:
        template = (
            wording(task, draw)
            if draw.chance(0.55)
            else shown[0]
            if draw.chance(0.4)
            else draw.pick(shown)
        )
        least, most = _N_ITEMS.get(task, (4, 10))
        if template.chain_of_thought:
            least = min(2, least)
            most = min(3, most)
        # A prompt is the beginning of a page, so what counts most is the first item.
        n = 1 if draw.chance(0.4) else draw.number(least, most)
        page = template.document([_shown(task, make, template, draw) for _ in range(n)])
        if template.chain_of_thought:
            return _STEPS_HEAD + page
        return (
            draw.pick(_HEADS[task]).format(n=draw.number(1, 90)) + "\n\n" + page
            if draw.chance(0.1)
            else page
        )

    return page


def _shown(task: str, make: Callable[[Draw], Item], template: Template, draw: Draw) -> Item:
    """An item as people write it down: sentences with a capital letter here and there."""
    made = make(draw)
    while template.chain_of_thought and made.steps == NO_STEPS:
        made = make(draw)
    if task == "translate" and draw.chance(0.4):
        english = capitalised(made.fields["english"])
        end = "" if english.endswith("?") else "."
        return replace(
            made, fields={"english": english + end}, answer=capitalised(made.answer) + end
        )
    return made


def _reading(draw: Draw) -> str:
    """A text with several questions about it."""
    made = stories.story(draw) if draw.chance(0.4) else scenes.scene(draw)
    asked = draw.some(made.questions, min(len(made.questions), draw.number(2, 4)))
    q, a, gap = draw.pick(
        (("Q", "A", "\n\n"), ("Question", "Answer", "\n"), ("Reader", "Writer", "\n"))
    )
    lead = "Context: " if q == "Q" and draw.chance(0.2) else ""
    said = "\n".join(f"{q}: {question}\n{a}: {answer}" for question, answer, _ in asked)
    page = f"{lead}{made.text}{gap}{said}"
    return f"{page}\n\nTL;DR: {made.gist}" if draw.chance(0.2) else page


def _vocabulary(draw: Draw) -> str:
    """Words and phrases by heart, the only place for words that no French sentence shows."""
    template = draw.pick(TASKS["translate"].templates[:3])
    chosen = draw.some(french.vocabulary(), draw.number(6, 14))
    return template.document([Item({"english": english}, answer) for english, answer in chosen])


def _phrase_in_story(draw: Draw) -> str:
    """A letter or a story in which somebody speaks French."""
    english, said = french.sentence(draw)
    who = telling.person(draw)
    made = stories.story(draw)
    return draw.pick(
        (
            f'{made.text} {who.name} said: "{capitalised(said)}." That is French and means "{english}".',
            f'"{capitalised(said)}," said {who.name} in French. In English this is "{english}". {made.text}',
            f'{who.name} asked: how do you say "{english}" in French? The answer is "{said}".',
        )
    )


def _story(draw: Draw) -> str:
    made = draw.until(
        lambda: scenes.scene(draw) if draw.chance(0.3) else stories.story(draw),
        lambda it: bool(it.last),
    )
    return f"{made.text} {made.last}" if draw.chance(0.6) else stories.chapter(draw)


def _letter(draw: Draw) -> str:
    """Somebody tells somebody a story."""
    who = telling.person(draw)
    other = telling.person(draw, who)
    made = stories.story(draw)
    weather = draw.pick(words("weather"))
    head = draw.pick((f"Dear {other.name},", f"Hello {other.name}!", f"My dear {other.name},"))
    end = draw.pick(("Yours", "With love", "Many greetings", "See you soon"))
    return (
        f"{head}\nit is {weather} here in {draw.pick(facts.TOWNS).name}. {made.text}\n{end}, "
        f"{who.name}"
    )


def _dialogue(draw: Draw) -> str:
    """Two people talk about what was lost, and where it is."""
    who = telling.person(draw)
    other = telling.person(draw, who)
    lines = []
    for _ in range(draw.number(2, 4)):
        thing = draw.pick(words(draw.pick(("thing", "clothes", "toy", "animal"))))
        room = draw.pick(words("room"))
        lines.append(f"{who.name}: Where is the {thing}?\n{other.name}: It is {telling.at(room)}.")
    return "\n".join(lines)


def _weather(draw: Draw) -> str:
    said = [
        f"{draw.pick(words('day'))}: {draw.pick(words('weather'))} with "
        f"{draw.pick(words('weathernoun'))}"
        for _ in range(draw.number(3, 6))
    ]
    return f"The weather in {draw.pick(facts.TOWNS).name}\n" + "\n".join(said)


def _lists(draw: Draw) -> str:
    chance = draw.random.random()
    if chance < 0.35:
        return stories.shopping(draw)
    if chance < 0.6:
        return " ".join(f"A {job} {work}." for job, work in draw.some(jobs(), draw.number(3, 5)))
    things = draw.some(words("thing"), 4)
    return " ".join(f"This {thing} is made of {draw.pick(words('material'))}." for thing in things)


def _statements(draw: Draw) -> str:
    return " ".join(analogies.statement(draw) for _ in range(draw.number(4, 8)))


def _numbers(draw: Draw) -> str:
    return "\n".join(sums.worksheet(draw) for _ in range(draw.number(3, 6)))


# How often each kind of page is met.
_PAGES: tuple[tuple[float, Callable[[Draw], str]], ...] = (
    (4, _story),
    (2, _letter),
    (1, _dialogue),
    (1, _weather),
    (1, _lists),
    (9, _reading),
    (25, demonstration("question")),
    (13, demonstration("summarise")),
    (13, demonstration("cloze")),
    (16, demonstration("translate")),
    (3, _vocabulary),
    (1, _phrase_in_story),
    (30, demonstration("sentiment")),
    (3, reviews.glossary),
    (28, demonstration("arithmetic")),
    (2, _numbers),
    (13, demonstration("analogy")),
    (3, _statements),
    (4, facts.about),
    (4, demonstration("fact")),
)
_KINDS = [page for _, page in _PAGES]
_WEIGHTS = [weight for weight, _ in _PAGES]


def document(seed: int, number: int, task: str | None = None) -> str:
    """Page number so-and-so of the small web of a seed, or of its pages that show a task."""
    draw = Draw((seed, number))
    page = draw.random.choices(_KINDS, _WEIGHTS)[0] if task is None else demonstration(task)
    return page(draw)


def documents(n: int, *, seed: int = 0, task: str | None = None) -> Iterator[str]:
    """The first n pages of the small web of a seed, or of its pages that show a task; there is no
    last one.
    """
    return (document(seed, number, task) for number in range(n))
