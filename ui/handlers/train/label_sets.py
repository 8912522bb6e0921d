"""A small made-up data set for each input form, in words that a model of children's stories knows."""

from __future__ import annotations

import random
from collections.abc import Callable

_NAMES = ("Tom", "Lily", "Max", "Anna", "Ben", "Mia", "Sam", "Lucy")
_THINGS = ("ball", "car", "hat", "kite", "boat", "cup", "book", "doll")
_COLOURS = ("red", "blue", "green", "yellow")
_PLACES = ("park", "garden", "kitchen", "forest", "shop")
_HAPPY = (
    "{n} found a {c} {t} and smiled", "{n} got a new {t} for a birthday", "{n} hugged Mom and laughed",
    "{n} played in the {p} all day with a friend", "the sun was shining and {n} danced in the {p}",
    "{n} won the game and was proud", "{n} ate cake in the {p}", "Dad gave {n} a {c} {t}",
)  # fmt: skip
_SAD = (
    "{n} lost the {c} {t} and cried", "{n} broke the {t} and felt bad", "it rained and {n} could not go to the {p}",
    "{n} fell down in the {p} and got hurt", "nobody wanted to play with {n}", "the {c} {t} of {n} was gone",
    "{n} was alone in the dark {p}", "a big dog took the {t} away from {n}",
)  # fmt: skip
_ALIKE = (
    ("{n} has a {c} {t}", "the {t} of {n} is {c}"),
    ("{n} went to the {p}", "{n} walked to the {p}"),
    ("{n} likes the {t}", "{n} loves the {t}"),
    ("{n} was very happy", "{n} was so glad"),
    ("{n} found a {t} in the {p}", "in the {p} {n} found a {t}"),
)
# (what happened, the right answer, wrong ones)
_ENDINGS = (
    (
        "It was raining in the {p}. {n} went out with a {t}.",
        "{n} took an umbrella",
        ("{n} slept in the sun", "{n} ate the moon"),
    ),
    (
        "{n} was very tired after a day in the {p} with the {t}.",
        "{n} went to bed",
        ("{n} ran a race", "{n} climbed a tree"),
    ),
    ("{n} was hungry and put the {c} {t} away.", "{n} ate an apple", ("{n} read a book", "{n} closed the door")),
    ("{n} fell over the {c} {t} and hurt a knee.", "Mom helped {n}", ("{n} laughed and danced", "the sky was blue")),
    ("{n} could not find the {c} {t}.", "{n} looked under the bed", ("{n} gave it to Dad", "{n} played with it")),
    ("The {p} was a mess. The {t} of {n} was dirty.", "{n} cleaned it", ("{n} swam in the lake", "{n} ate some cake")),
)
_N_LINES = 240


def example_lines(form: str) -> str:
    """Lines of the form, the same every time: a label, a bar, texts with bars between them.

    No two lines have the same texts, in whatever order, so a held-out line is new; its kind of sentence is not.
    """
    draw, found = random.Random(1), dict[frozenset[str], str]()
    make = _MAKERS[form]
    while len(found) < _N_LINES:
        line = make(draw)
        texts = line.partition("\t")[2].split("|")
        found.setdefault(frozenset(text.strip() for text in texts), line)
    return "\n".join(found.values())


def _filled(draw: random.Random, *templates: str) -> list[str]:
    words = {"n": _NAMES, "t": _THINGS, "c": _COLOURS, "p": _PLACES}
    chosen = {letter: draw.choice(choices) for letter, choices in words.items()}
    return [template.format(**chosen) for template in templates]


def _classified(draw: random.Random) -> str:
    label, templates = draw.choice((("happy", _HAPPY), ("sad", _SAD)))
    return f"{label}\t{_filled(draw, draw.choice(templates))[0]}"


def _entailed(draw: random.Random) -> str:
    """Who has what, and which colour it has; what does not follow is the other's, so no word gives it away."""
    (name, other), (thing, theirs), (colour, wrong) = (draw.sample(kind, 2) for kind in (_NAMES, _THINGS, _COLOURS))
    premise = f"{name} has a {colour} {thing} and {other} has a {wrong} {theirs}"
    label = draw.choice(("yes", "no"))
    said = [
        f"{name} has a {thing if label == 'yes' else theirs}",
        f"the {thing} is {colour if label == 'yes' else wrong}",
    ]
    return f"{label}\t{premise} | {draw.choice(said)}"


def _similar(draw: random.Random) -> str:
    """The same in other words, or something else."""
    left, alike = _filled(draw, *draw.choice(_ALIKE))
    label, right = draw.choice(("same", "different")), alike
    while label == "different" and right == alike:
        right = _filled(draw, draw.choice(_ALIKE)[1])[0]
    pair = (left, right) if draw.random() < 0.5 else (right, left)
    return f"{label}\t{pair[0]} | {pair[1]}"


def _chosen(draw: random.Random) -> str:
    context, right, wrong = draw.choice(_ENDINGS)
    filled = _filled(draw, context, right, *wrong)
    answers = filled[1:]
    order = draw.sample(range(len(answers)), len(answers))
    number = 1 + order.index(0)
    return f"{number}\t{filled[0]} | " + " | ".join(answers[place] for place in order)


_MAKERS: dict[str, Callable[[random.Random], str]] = {
    "classification": _classified,
    "entailment": _entailed,
    "similarity": _similar,
    "choice": _chosen,
}
