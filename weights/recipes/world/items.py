"""Items of each task, drawn from the little world on either side of its splits."""

from collections.abc import Callable

from gptcore.zero_shot.items import NO_STEPS, Split
from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item
from weights.recipes.world import analogies, facts, french, reviews, scenes, stories, sums
from weights.recipes.world.splits import Draw, NoChoice
from weights.recipes.world.telling import Story


def _told(draw: Draw) -> Story:
    """What a question, a summary or a last word is about. Tests keep to plots, in which
    combinations are held out.
    """
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
    return Item({"text": made.text}, made.sentiment, TASKS["sentiment"].choices, made.reason)


def _cloze(draw: Draw) -> Item:
    made = draw.until(lambda: _told(draw), lambda story: bool(story.last))
    front, _, last = made.last.rstrip(".").rpartition(" ")
    return Item({"text": f"{made.text} {front}"}, last)


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


_MAKERS: dict[str, Callable[[Draw], Item]] = {
    "summarise": _summarise,
    "translate": _translate,
    "question": _question,
    "fact": _fact,
    "sentiment": _sentiment,
    "cloze": _cloze,
    "arithmetic": _arithmetic,
    "analogy": _analogy,
}


def item(task: str, draw: Draw) -> Item:
    """An item of a task."""
    return _MAKERS[task](draw)


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
