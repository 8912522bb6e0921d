"""Stories that the mini writes itself: `python -m weights.recipes.own_stories > stories.txt`.

The page makes instructions of them (Train, Assistant): they are nobody else's text, and what the model writes anyway,
so learning to answer with them costs it little.
"""

from __future__ import annotations

import argparse
import random
import sys

from gptcore.finetuning.answering import judge
from gptcore.inference.generation import continue_together
from gptcore.inference.sampling import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.language_model import load
from gptcore.tokenizers.base import END_OF_TEXT

_BEINGS = (
    "girl", "boy", "dog", "cat", "bird", "rabbit", "bear", "fish", "mouse", "fox", "frog", "duck", "lion", "bunny",
    "man", "woman", "horse", "bee", "robot", "monkey", "pig", "cow", "princess", "king", "farmer", "turtle",
    "squirrel", "ant",
)  # fmt: skip
_NAMES = (
    "Lily", "Tom", "Sue", "Max", "Mia", "Ben", "Anna", "Tim", "Lucy", "Sam", "Jane", "Jack", "Amy", "Leo", "Ella",
    "Bob", "Sara", "Fred", "Kitty", "Spot", "Molly", "Billy",
)  # fmt: skip
_KINDS = ("little", "big", "small", "brave", "old", "happy", "sad", "kind", "clever", "young", "shy", "funny")
_PLACES = ("park", "forest", "garden", "kitchen", "beach", "farm", "house", "river", "school", "store", "pond", "zoo")
_THINGS = (
    "ball",
    "kite",
    "boat",
    "hat",
    "book",
    "cake",
    "doll",
    "bike",
    "box",
    "stick",
    "shell",
    "apple",
    "drum",
    "key",
)
_OPENINGS = (
    "Once upon a time, there was a {kind} {being} named {name}.", "One day, a {kind} {being} went to the {place}.",
    "{name} and {other} were in the {place}.", "{name} had a {kind} {thing}.", "Once there was a {kind} {being}.",
    "{name} liked to play in the {place}.", "One day, {name} found a {thing} in the {place}.",
    "{name} was a {kind} {being} who lived near the {place}.", "It was a sunny day. {name} went to the {place}.",
    "Once upon a time, a {being} and a {thing} were in the {place}.", "{name} lost the {thing}.",
)  # fmt: skip
_SETTINGS = SamplingSettings(temperature=0.75, top_k=60, top_p=0.95)
_BATCH, _MOST_TOKENS, _SEED = 32, 220, 17


def opening(draw: random.Random) -> str:
    """How a story begins."""
    name, other = draw.sample(_NAMES, 2)
    return draw.choice(_OPENINGS).format(
        kind=draw.choice(_KINDS), being=draw.choice(_BEINGS), name=name, other=other, place=draw.choice(_PLACES),
        thing=draw.choice(_THINGS),
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Writes stories that end by themselves and do not repeat; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m weights.recipes.own_stories", description=__doc__)
    parser.add_argument("--stories", type=int, default=1200, help="how many to keep")
    parser.add_argument("--model", default="mini")
    options = parser.parse_args(arguments)
    lm, draw, kept, number = load(options.model), random.Random(_SEED), 0, 0
    while kept < options.stories:
        begun = [opening(draw) for _ in range(_BATCH)]
        rows = [
            TokenSequence(lm.tokenizer.encode(one), _SETTINGS, seed=number + place, tokenizer=lm.tokenizer)
            for place, one in enumerate(begun)
        ]
        number += _BATCH
        pieces = [[one] for one in begun]
        for place, token in continue_together(lm.model, rows, max_new_tokens=_MOST_TOKENS):
            pieces[place].append(token.text)
        for row, written in zip(rows, pieces, strict=True):
            text = "".join(written).strip()
            told = judge(text, (), ended=row.end == "end-of-text")
            if told.ends and told.repeated < 0.02 and told.n_words >= 50 and kept < options.stories:
                sys.stdout.write(f"{text}\n{END_OF_TEXT}\n")
                kept += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
