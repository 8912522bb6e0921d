"""Pages of a small web: stories, reviews, phrasebooks, homework, guidebooks, and in them demonstrations of tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from gptcore.corpora.world import analogies, facts, french, reviews, stories, sums, telling
from gptcore.corpora.world.english import capitalised
from gptcore.corpora.world.items import item
from gptcore.corpora.world.lexicon import jobs, words
from gptcore.corpora.world.splits import Draw
from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item, Template

_HEADS = {
    "translate": ("French for beginners", "Lesson {n}", "My French notebook", "Phrasebook", "Words of the day"),
    "sentiment": ("Reviews", "What people say", "From our readers", "Reviews of the week"),
    "arithmetic": ("Homework", "Sums", "Maths, page {n}", "Exercise {n}"),
    "analogy": ("Word pairs", "A game with words", "Exercise {n}"),
    "question": ("Reading, page {n}", "A story and some questions", "Read and answer"),
    "summarise": ("Stories in short", "Page {n}", "The story of the day"),
    "fact": ("Quiz", "Do you know your country?", "Quiz, round {n}"),
}
_N_ITEMS = {
    "summarise": (1, 2),
    "translate": (5, 12),
    "question": (1, 3),
    "fact": (4, 8),
    "sentiment": (2, 5),
    "arithmetic": (8, 16),
}


def _demonstration(task: str) -> Callable[[Draw], str]:
    """Pages that show a task, in one of the ways that are not held out."""
    shown = [template for template in TASKS[task].templates if not template.held_out]
    # Rare, since they begin like plain questions: who asks for an answer shall not get steps.
    weights = [0.25 if template.chain_of_thought else 1.0 for template in shown]

    def page(draw: Draw) -> str:
        (template,) = draw.random.choices(shown, weights)
        least, most = _N_ITEMS.get(task, (4, 10))
        if template.chain_of_thought:
            least, most = min(2, least), min(3, most)
        made = [_shown(task, template, draw) for _ in range(draw.number(least, most))]
        head = draw.pick(_HEADS[task]).format(n=draw.number(1, 90)) + "\n\n" if draw.chance(0.25) else ""
        return head + template.document(made)

    return page


def _shown(task: str, template: Template, draw: Draw) -> Item:
    """An item as people write it down: sentences with a capital letter here and there."""
    made = item(task, draw)
    while template.chain_of_thought and task == "arithmetic" and not made.steps.startswith("From"):
        made = item(task, draw)
    if task == "translate" and draw.chance(0.2):
        english = capitalised(made.fields["english"])
        end = "" if english.endswith("?") else "."
        return replace(made, fields={"english": english + end}, answer=capitalised(made.answer) + end)
    return made


def _reading(draw: Draw) -> str:
    """A story with several questions about it."""
    made = stories.story(draw)
    asked = draw.some(made.questions, min(len(made.questions), draw.number(2, 4)))
    q, a, gap = draw.pick((("Q", "A", "\n\n"), ("Question", "Answer", "\n"), ("Reader", "Writer", "\n")))
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
    who, made = telling.person(draw), stories.story(draw)
    return draw.pick(
        (
            f'{made.text} {who.name} said: "{capitalised(said)}." That is French and means "{english}".',
            f'"{capitalised(said)}," said {who.name} in French. In English this is "{english}". {made.text}',
            f'{who.name} asked: how do you say "{english}" in French? The answer is "{said}".',
        )
    )


def _story(draw: Draw) -> str:
    made = stories.story(draw)
    return f"{made.text} {made.last}" if draw.chance(0.6) else stories.chapter(draw)


def _letter(draw: Draw) -> str:
    """Somebody tells somebody a story."""
    who = telling.person(draw)
    other, made = telling.person(draw, who), stories.story(draw)
    weather = draw.pick(words("weather"))
    head = draw.pick((f"Dear {other.name},", f"Hello {other.name}!", f"My dear {other.name},"))
    end = draw.pick(("Yours", "With love", "Many greetings", "See you soon"))
    return f"{head}\nit is {weather} here in {draw.pick(facts.TOWNS).name}. {made.text}\n{end}, {who.name}"


def _dialogue(draw: Draw) -> str:
    """Two people talk about what was lost, and where it is."""
    who = telling.person(draw)
    other = telling.person(draw, who)
    lines = []
    for _ in range(draw.number(2, 4)):
        thing, room = draw.pick(words(draw.pick(("thing", "clothes", "toy", "animal")))), draw.pick(words("room"))
        lines.append(f"{who.name}: Where is the {thing}?\n{other.name}: It is {telling.at(room)}.")
    return "\n".join(lines)


def _weather(draw: Draw) -> str:
    said = [
        f"{draw.pick(words('day'))}: {draw.pick(words('weather'))} with {draw.pick(words('weathernoun'))}"
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
    (8, _story),
    (3, _letter),
    (1, _dialogue),
    (1, _weather),
    (2, _lists),
    (15, _reading),
    (11, _demonstration("question")),
    (9, _demonstration("summarise")),
    (13, _demonstration("translate")),
    (4, _vocabulary),
    (1, _phrase_in_story),
    (10, _demonstration("sentiment")),
    (2, reviews.glossary),
    (30, _demonstration("arithmetic")),
    (2, _numbers),
    (6, _demonstration("analogy")),
    (3, _statements),
    (3, facts.about),
    (3, _demonstration("fact")),
)
_KINDS = [page for _, page in _PAGES]
_WEIGHTS = [weight for weight, _ in _PAGES]


def document(seed: int, number: int) -> str:
    """Page number so-and-so of the small web of a seed."""
    draw = Draw((seed, number))
    return draw.random.choices(_KINDS, _WEIGHTS)[0](draw)


def documents(n: int, *, seed: int = 0) -> Iterator[str]:
    """The first n pages of the small web of a seed; there is no last one."""
    return (document(seed, number) for number in range(n))
