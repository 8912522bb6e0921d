"""A small made-up data set for each input form, in words that a model of children's stories knows."""

import random
from collections.abc import Callable
from typing import Any

_NAMES = ("Tom", "Lily", "Max", "Anna", "Ben", "Mia", "Sam", "Lucy")
_THINGS = ("ball", "car", "hat", "kite", "boat", "cup", "book", "doll")
_COLOURS = ("red", "blue", "green", "yellow")
_PLACES = ("park", "garden", "kitchen", "forest", "shop")
# {w} is glad in the end, {l} is not: every line names both, so no single word reveals the label.
_GLAD = (
    "{w} was happy and {l} was sad", "{l} was sad and {w} was happy", "{w} won the race in the {p} and {l} lost",
    "{l} lost the race in the {p} and {w} won", "{w} got the {c} {t} and {l} got nothing",
    "{l} got nothing and {w} got the {c} {t}", "{w} laughed and {l} cried in the {p}",
    "{l} cried and {w} laughed in the {p}", "{n} gave the {t} to {w} and not to {l}",
    "{n} took the {t} from {l} and gave it to {w}", "{w} found the {c} {t} that {l} had lost",
    "{l} lost the {c} {t} and {w} found it",
)  # fmt: skip
_ALIKE = (
    ("{n} has a {c} {t}", "the {t} of {n} is {c}"),
    ("{n} went to the {p}", "{n} walked to the {p}"),
    ("{n} likes the {t}", "{n} loves the {t}"),
    ("{n} was very happy", "{n} was so glad"),
    ("{n} found a {t} in the {p}", "in the {p} {n} found a {t}"),
)
# What happened, the right answer, wrong ones.
_ENDINGS = (
    "It was raining in the {p}. {n} went out with a {t}.|{n} took an umbrella|{n} slept in the sun|{n} ate the moon",
    "{n} was very tired after a day in the {p} with the {t}.|{n} went to bed|{n} ran a race|{n} climbed a tree",
    "{n} was hungry and put the {c} {t} away.|{n} ate an apple|{n} read a book|{n} closed the door",
    "{n} fell over the {c} {t} and hurt a knee.|Mom helped {n}|{n} laughed and danced|the sky was blue",
    "{n} could not find the {c} {t}.|{n} looked under the bed|{n} gave it to Dad|{n} played with it",
    "The {p} was a mess. The {t} of {n} was dirty.|{n} cleaned it|{n} swam in the lake|{n} ate some cake",
)
_N_LINES = 240
# What a set needs to be learned in its time, where that is not what the form opens with: after 60 s on two cores 47 of
# 48 held-out lines, where 30 s with the others' settings give 39.
SETTINGS: dict[str, dict[str, Any]] = {
    "entailment": {"batch_size": 8, "length": "60", "learning_rate": 1e-3, "auxiliary_weight": 0.0}
}


def example_lines(form: str) -> str:
    """Lines of the form, the same every time: a label, a bar, texts with bars between them.

    No two lines have the same texts, in whatever order, so a held-out line is new; its kind of sentence is not.
    """
    draw, examples = random.Random(1), dict[frozenset[str], str]()
    while len(examples) < _N_LINES:
        line = _MAKERS[form](draw)
        texts = line.partition("\t")[2].split("|")
        examples.setdefault(frozenset(text.strip() for text in texts), line)
    return "\n".join(examples.values())


def _filled(draw: random.Random, *templates: str) -> list[str]:
    words = {"n": _NAMES, "t": _THINGS, "c": _COLOURS, "p": _PLACES}
    chosen = {letter: draw.choice(choices) for letter, choices in words.items()}
    return [template.format(**chosen) for template in templates]


def _classified(draw: random.Random) -> str:
    """Which of two animals is glad."""
    label, other = draw.sample(("dog", "cat"), 2)
    told = _filled(draw, draw.choice(_GLAD).replace("{w}", f"the {label}").replace("{l}", f"the {other}"))
    return f"{label}\t{told[0]}"


def _entailed(draw: random.Random) -> str:
    """Who has what, and which colour it has; what does not follow is the other's, so no word gives it away."""
    (name, other), (thing, theirs), (colour, wrong) = (draw.sample(kind, 2) for kind in (_NAMES, _THINGS, _COLOURS))
    premise = f"{name} has a {colour} {thing} and {other} has a {wrong} {theirs}"
    label = draw.choice(("yes", "no"))
    said = (thing, colour) if label == "yes" else (theirs, wrong)
    return f"{label}\t{premise} | {draw.choice((f'{name} has a {said[0]}', f'the {thing} is {said[1]}'))}"


def _similar(draw: random.Random) -> str:
    """The same in other words, or something else."""
    left, alike = _filled(draw, *draw.choice(_ALIKE))
    label, right = draw.choice(("same", "different")), alike
    while label == "different" and right == alike:
        right = _filled(draw, draw.choice(_ALIKE)[1])[0]
    pair = (left, right) if draw.random() < 0.5 else (right, left)
    return f"{label}\t{pair[0]} | {pair[1]}"


def _chosen(draw: random.Random) -> str:
    context, *answers = _filled(draw, *draw.choice(_ENDINGS).split("|"))
    order = draw.sample(range(len(answers)), len(answers))
    return f"{1 + order.index(0)}\t" + " | ".join([context, *(answers[place] for place in order)])


_MAKERS: dict[str, Callable[[random.Random], str]] = {
    "classification": _classified,
    "entailment": _entailed,
    "similarity": _similar,
    "choice": _chosen,
}
