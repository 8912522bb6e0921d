"""Passages of a story with a question about them, or without their last word."""

import re
from collections.abc import Sequence
from dataclasses import replace

from gptcore.zero_shot.templates import Item
from weights.recipes.mining.patterns import NOBODY, TaskForm, is_somebody, questions
from weights.recipes.world.names import first_name
from weights.recipes.world.splits import Draw

_SENTENCE = re.compile(r'(?<=[.!?])\s+(?=[A-Z"])|\n+')
_WORD = re.compile(r"[A-Za-z]+")


def question_item(draw: Draw, story: str) -> Item | None:
    """A passage of a story and a question about it, or None where no pattern fits."""
    sentences = sentences_of(story)
    places = [
        (index, asked)
        for index, sentence in enumerate(sentences)
        for asked in questions(_with_names(sentences, index) or sentence)
    ]
    if not places:
        return None
    rarer = [found for found in places if not found[1].question.startswith(_EVERYWHERE)]
    place, asked = draw.pick(rarer if rarer and draw.chance(0.85) else places)
    first = max(0, place - draw.number(0, 3))
    if not questions(sentences[place]):
        first = min(first, max(0, place - 1))
    text = " ".join(sentences[first : place + 1 + draw.number(0, 2)])
    if asked.answer.lower() not in text.lower() or len(text) > 500 or _unnamed(asked, text):
        return None
    return Item(
        {"text": text, "question": asked.question},
        asked.answer,
        steps=f'The text says: "{asked.said}."',
    )


# Names and feelings stand in every story.
_EVERYWHERE = (
    "Who was ",
    "How did ",
    "What was the name ",
    "What is the ",
    "What was the girl",
    "What was the boy",
)


def _with_names(sentences: Sequence[str], place: int) -> str:
    """The sentence with its He or She replaced by whom the one before names, if it names but one;
    "" otherwise.
    """
    begins = re.match(r"(He|She) ", sentences[place])
    if not begins or not place:
        return ""
    names = {
        name
        for name in re.findall(r"\b[A-Z][a-z]{2,}\b", sentences[place - 1])
        if is_somebody(name)
    }
    return f"{names.pop()} {sentences[place][begins.end() :]}" if len(names) == 1 else ""


def _unnamed(asked: TaskForm, text: str) -> bool:
    """Whether the question is about somebody whom the passage does not name."""
    return any(name not in text for name in re.findall(r"(?<= )[A-Z][a-z]{2,}\b", asked.question))


def last_word_item(draw: Draw, story: str) -> Item | None:
    """A passage that ends with a word said before in it, less that word; None where the story has
    none.
    """
    sentences = sentences_of(story)
    found: list[tuple[str, str]] = []
    for end in range(1, len(sentences)):
        before = " ".join(sentences[max(0, end - draw.number(1, 5)) : end])
        last = sentences[end]
        words = _WORD.findall(last)
        if (
            len(words) < 3
            or not last.endswith((".", "!"))
            or not last.rstrip(".!").endswith(words[-1])
        ):
            continue
        word = words[-1]
        if len(word) > 2 and word.lower() not in _COMMON and re.search(rf"\b{word}\b", before):
            found.append((f"{before} {last.rstrip('.!')[: -len(word)].rstrip()}", word))
    if not found:
        return None
    text, word = draw.pick(found)
    return Item({"text": text}, word) if len(text) < 700 else None


_COMMON = frozenset(
    _WORD.findall(
        "the and her his him them she they you there here that this again too all one out not for"
    )
)


def sentences_of(story: str) -> list[str]:
    """The sentences of a story in their order."""
    return [sentence.strip() for sentence in _SENTENCE.split(story) if sentence.strip()]


def renamed(draw: Draw, item: Item) -> Item:
    """The item with everybody in it called something else, the same everywhere."""
    text = " ".join((*item.fields.values(), item.answer))
    names = {
        name
        for name in re.findall(r"(?<![.!?\"] )(?<!^)\b[A-Z][a-z]{2,}\b", text)
        if name not in NOBODY
    }
    new = {name: first_name(draw, girl=draw.chance(0.5)) for name in sorted(names)}
    if not new:
        return item
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, new))})\b")

    def rename(text: str) -> str:
        return pattern.sub(lambda found: new[found[0]], text)

    fields = {name: rename(value) for name, value in item.fields.items()}
    return replace(item, fields=fields, answer=rename(item.answer), steps=rename(item.steps))
