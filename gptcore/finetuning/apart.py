"""Held-out examples that share nothing with those a model learns from."""

import random
from collections.abc import Collection, Hashable, Sequence

_MOST_LOST = 0.01  # of all examples, that may be left out of the training for the sake of one held out


def held_apart(keys: Sequence[Collection[Hashable]], wanted: int, *, seed: int) -> tuple[list[int], list[int]]:
    """(places to learn from, places held out), both in order; no key stands on both sides, nor twice among the latter.

    What shares a key with a held-out example is left out of both. An example that shares one with many others, such as
    a greeting, is learned from.

    Args:
        keys: of every example, what makes two of them too much alike: its text, its prompt, its story.
        wanted: how many to hold out; fewer are found where too many are alike.
        seed: of the choice.
    """
    places: dict[Hashable, list[int]] = {}
    for place, own in enumerate(keys):
        for key in own:
            places.setdefault(key, []).append(place)
    most = max(1, round(_MOST_LOST * len(keys)))
    held, gone = list[int](), set[int]()
    for place in random.Random(seed).sample(range(len(keys)), len(keys)):
        alike = {other for key in keys[place] for other in places[key]}
        if len(held) == wanted:
            break
        if place not in gone and len(alike) <= most and not alike & gone:
            held.append(place)
            gone |= alike
    return [place for place in range(len(keys)) if place not in gone], sorted(held)
