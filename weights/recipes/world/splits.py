"""What training never shows: combinations, decided by a hash of their words, and a few rare words
of each task.
"""

import random
import re
import zlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from gptcore.zero_shot.items import Split
from weights.recipes.world.lexicon import entries

T = TypeVar("T")

_ONE_IN = {"combination": 8, "strict": 12}
# Words that a task never shows; no everyday ones, since people would ask for those first.
_HIDDEN_WORDS = {task: frozenset(words) for task, words in entries("hidden.txt").items()}
_WORD = re.compile(r"[a-z]+")
_MOST_TRIES = 2_000


class NoChoice(Exception):
    """What was drawn before leaves nothing on this side of the split."""


def held_out(split: Split, task: str, *parts: str | int) -> bool:
    """Whether training never shows these together ("combination", "strict"), or never this word in
    this task.
    """
    if split == "word":
        return " ".join(map(str, parts)) in _HIDDEN_WORDS[task]
    key = "|".join(map(str, (split, task, *parts)))
    return zlib.crc32(key.encode()) % _ONE_IN[split] == 0


def hidden_words(task: str) -> frozenset[str]:
    """The words that training never shows in a task."""
    return _HIDDEN_WORDS[task]


def shows(text: str, hidden: frozenset[str]) -> bool:
    """Whether one of these words stands in a text, in the singular or the plural, whatever its
    case.
    """
    said = set(_WORD.findall(text.lower()))
    return not {word.lower() for word in hidden}.isdisjoint(
        said | {word.removesuffix("s") for word in said}
    )


class Draw:
    """Random choices of one document or item, which keep to one side of the splits.

    Args:
        seed: of the choices; anything that has a stable repr.
        split: "train" makes what may be learned from. "combination" makes items whose combination
            training never shows, of words that it does; "word" makes items with a word that this
            task never shows in training; "strict", for sums, larger ones of which training does not
            even show the mirror image.
    """

    def __init__(self, seed: object, split: Split = "train") -> None:
        self.random = random.Random(repr(seed))
        self.split = split

    def pick(self, choices: Sequence[T]) -> T:
        """One of them, each as likely."""
        return choices[int(self.random.random() * len(choices))]

    def some(self, choices: Sequence[T], n: int) -> list[T]:
        """So many different ones."""
        return self.random.sample(choices, n)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def number(self, least: int, most: int) -> int:
        return self.random.randint(least, most)

    def word(self, task: str, words: Sequence[T], name: Callable[[T], str] = str) -> T:
        """A word that this task shows in training, whichever the split."""
        return self.until(
            lambda: self.pick(words), lambda word: not held_out("word", task, name(word))
        )

    def key_word(self, task: str, words: Sequence[T], name: Callable[[T], str] = str) -> T:
        """The word that a "word" item is about: one that training never shows in this task; else
        `word`.
        """
        return self.until(
            lambda: self.pick(words),
            lambda word: held_out("word", task, name(word)) == (self.split == "word"),
        )

    def fits(self, task: str, *parts: str | int) -> bool:
        """Whether a combination is on this side of the split; items of the "word" split take those
        of training.
        """
        return held_out("combination", task, *parts) == (self.split == "combination")

    def until(self, make: Callable[[], T], good: Callable[[T], bool]) -> T:
        """Makes things until one is good. Raises NoChoice where none seems to be."""
        for _ in range(_MOST_TRIES):
            made = make()
            if good(made):
                return made
        raise NoChoice("no choice is on this side of the split")
