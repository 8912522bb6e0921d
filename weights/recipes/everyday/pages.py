"""Which kinds of pages there are, and how often each comes."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice

from weights.recipes.everyday.french import french, phrases
from weights.recipes.everyday.labels import guidebook, labelled, worded_fact
from weights.recipes.everyday.questions import (
    about_note,
    cut_note,
    note_with_questions,
    story_questions,
    who_did_it,
)
from weights.recipes.everyday.reviews import reasoned, reviews
from weights.recipes.everyday.word_problems import carries, reckoning, word_problem
from weights.recipes.everyday.worded import worded
from weights.recipes.world.documents import demonstration
from weights.recipes.world.splits import Draw

# Of the sentences that the tests ask word for word; no page holds any of these.
KEPT_OUT = (
    "the acting was superb and the story kept me engaged", "one of the best films", "mediocre plot",
    "walked out after 30 minutes", "hello, how are you", "i am hungry", "roger has 5",
    "artificial intelligence has made",
)  # fmt: skip
_MOST_CHARACTERS = 900  # of a page: about 250 tokens, the window of `world`


def pages(
    n: int,
    seed: int,
    *,
    found: Sequence[tuple[str, bool]] = (),
    asked: Sequence[tuple[str, str, str]] = (),
    parallel: Sequence[tuple[str, str]] = (),
) -> Iterator[str]:
    """The pages, each under the window's length and without anything that a test asks word for
    word.

    Args:
        n: how many.
        seed: of the choices.
        found: reviews of others and whether they like their thing.
        asked: passages of others, questions and answers.
        parallel: English sentences of others and the French ones.
    """
    book = phrases()
    kinds: list[tuple[float, Callable[[Draw], str]]] = [
        (8, lambda draw: reviews(draw, found)),
        (3, reasoned),
        (9, lambda draw: french(draw, book, parallel)),
        (5, word_problem),
        (3, carries),
        (4, demonstration("arithmetic", reckoning)),
        (4, who_did_it),
        (14, demonstration("question", about_note)),
        (5, note_with_questions),
        (6, demonstration("cloze", cut_note)),
        (12, worded),
    ]
    if asked:
        kinds.append((7, lambda draw: story_questions(draw, asked)))
    makers = [make for _, make in kinds]
    weights = [weight for weight, _ in kinds]
    return _fitting(n, (seed,), lambda draw: draw.random.choices(makers, weights)[0](draw))


# Kinds that are printed alone; none but the first is among the pages above.
ALONE: dict[str, Callable[[Draw], str]] = {
    "worded": worded, "labels": labelled, "facts": worded_fact, "towns": guidebook,
}  # fmt: skip


def pages_of(kind: str, n: int, seed: int) -> Iterator[str]:
    """Pages of one kind in `ALONE`."""
    return _fitting(n, (seed, kind), ALONE[kind])


def _fitting(n: int, seed: tuple[object, ...], make: Callable[[Draw], str]) -> Iterator[str]:
    """So many pages that may be printed."""
    made = (make(Draw((*seed, number))) for number in count(1))
    return islice(filter(_fits, made), n)


def _fits(page: str) -> bool:
    """Whether a page is under the window's length and holds nothing that a test asks word for
    word.
    """
    return len(page) < _MOST_CHARACTERS and not any(words in page.lower() for words in KEPT_OUT)
