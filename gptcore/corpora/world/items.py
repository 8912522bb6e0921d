"""Items of each task, drawn from the little world on either side of its splits."""

from __future__ import annotations

from collections.abc import Callable

from gptcore.corpora.world import analogies, facts, french, reviews, scenes, stories, sums
from gptcore.corpora.world.splits import Draw, NoChoice, Split
from gptcore.corpora.world.telling import Story
from gptcore.zero_shot.templates import Item

_POLARITY = ("positive", "negative")


def _told(draw: Draw) -> Story:
    """What a question, a summary or a last word is about. Tests keep to plots, in which combinations are held out."""
    if draw.split != "train" or draw.chance(0.35):
        return stories.story(draw)
    return scenes.scene(draw)


def _summarise(draw: Draw) -> Item:
    made = _told(draw)
    return Item({"text": made.text}, made.gist)


def _translate(draw: Draw) -> Item:
    english, french_ = french.sentence(draw)
    if draw.split == "train" and draw.chance(0.15):
        english, french_ = draw.pick(french.vocabulary())
    return Item({"english": english}, french_)


def _question(draw: Draw) -> Item:
    if draw.split == "train" and draw.chance(0.08):
        text, question, answer = sums.story_sum(draw)
        return Item({"text": text, "question": question}, answer, steps="That makes more.")
    made = _told(draw)
    question, answer, said = draw.pick(made.questions)
    return Item({"text": made.text, "question": question}, answer, steps=f'The text says: "{said}"')


def _fact(draw: Draw) -> Item:
    question, answer = facts.question(draw)
    return Item({"question": question}, answer)


def _sentiment(draw: Draw) -> Item:
    made = reviews.review(draw)
    return Item({"text": made.text}, made.sentiment, _POLARITY, made.reason)


def _cloze(draw: Draw) -> Item:
    made = draw.until(lambda: _told(draw), lambda story: bool(story.last))
    front, _, last = made.last.rstrip(".").rpartition(" ")
    return Item({"text": f"{made.text} {front}"}, last)


NO_STEPS = "That is easy."  # of sums that are known by heart, and shown without a way to the answer


def _arithmetic(draw: Draw) -> Item:
    chance = draw.random.random() if draw.split == "train" else 1.0
    if chance < 0.1:
        asked, answer = sums.spelled(draw)
        return Item({"sum": asked}, answer, steps=NO_STEPS)
    if chance < 0.18:
        asked, answer = sums.subtraction(draw)
        return Item({"sum": asked}, answer, steps=NO_STEPS)
    asked, answer, steps = sums.addition(draw, plain=draw.split != "train")
    return Item({"sum": asked}, answer, steps=steps)


def _analogy(draw: Draw) -> Item:
    a, b, c, d = analogies.analogy(draw)
    return Item({"a": a, "b": b, "c": c}, d)


# What each task draws its items with, and the sides of the splits on which it has some.
_MAKERS: dict[str, tuple[Callable[[Draw], Item], tuple[Split, ...]]] = {
    "summarise": (_summarise, ("combination", "word")),
    "translate": (_translate, ("combination", "word")),
    "question": (_question, ("combination", "word")),
    "fact": (_fact, ("combination",)),
    "sentiment": (_sentiment, ("combination", "word")),
    "cloze": (_cloze, ("combination", "word")),
    "arithmetic": (_arithmetic, ("combination", "strict")),
    "analogy": (_analogy, ("combination", "word")),
}
TASKS_WITH_ITEMS = tuple(_MAKERS)


def splits_of(task: str) -> tuple[Split, ...]:
    """The sides that training never shows and that this task can be tested on."""
    return _MAKERS[task][1]


def item(task: str, draw: Draw) -> Item:
    """An item of a task."""
    return _MAKERS[task][0](draw)


def items(task: str, n: int, *, split: Split = "combination", seed: int = 0) -> list[Item]:
    """So many different items of a task, the same for the same seed.

    Args:
        task: one of TASKS_WITH_ITEMS.
        n: how many; fewer where there are not so many.
        split: "train" for examples, else a side that training never shows.
        seed: of the choices.
    """
    found: dict[tuple[str, ...], Item] = {}
    for attempt in range(20 * n):
        try:
            made = item(task, Draw((task, split, seed, attempt), split))
        except NoChoice:
            continue
        found.setdefault(tuple(made.fields.values()), made)
        if len(found) == n:
            break
    return list(found.values())
