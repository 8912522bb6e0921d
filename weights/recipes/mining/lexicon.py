"""The words of a text: which are past tenses, and of what; which are names."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from weights.recipes.world.english import past
from weights.recipes.world.lexicon import sections

# After these a verb stands in its base form.
_BEFORE_BASE = re.compile(
    r"\b(?:to|could|would|will|can|must|should|shall|might|did not|didn't|don't|let's|let us) ([a-z]{2,})\b"
)
_WORD = re.compile(r"\b[a-z]+\b")
_SEEN = 5  # so often as a base and as a past tense, to count as a verb


@cache
def word_list(name: str) -> frozenset[str]:
    """The words of a section of words.txt."""
    return frozenset(
        word
        for line in sections("words.txt", Path(__file__).parent)[name]
        for word in line.split(", ")
    )


@dataclass(frozen=True)
class Lexicon:
    """The verbs of some texts, base by past tense, and the words that stand in them without a
    capital letter.
    """

    verbs: Mapping[str, str]
    words: frozenset[str]

    def is_name(self, word: str) -> bool:
        """Whether a capitalised word is somebody's name: no text has it without the capital."""
        return word[:1].isupper() and word.lower() not in self.words


def lexicon_of(texts: Iterable[str]) -> Lexicon:
    """Verbs are what stands in these texts both after "to" or "could" and as a past tense, often
    enough.
    """
    based = Counter[str]()
    seen = Counter[str]()
    for text in texts:
        based.update(_BEFORE_BASE.findall(text))
        seen.update(_WORD.findall(text))
    irregular = dict(pair.split(" ") for pair in word_list("irregular"))
    regular = {
        past(base): base
        for base, times in based.items()
        if times >= _SEEN and base not in irregular.values() and seen[past(base)] >= _SEEN
    }
    return Lexicon(
        {**regular, **irregular}, frozenset(word for word, times in seen.items() if times >= _SEEN)
    )
