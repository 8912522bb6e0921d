"""How often the pairs of "Two sentences, one grid" hold over variants: `python -m tests.tools.pair_variants`

Of every kind of pair, names, things or numbers are exchanged; a variant holds if the model gives both right answers.
And how direct attribution and switching off agree over the sentences of the pairs, which stands beside the bars.
"""

import json
from collections.abc import Iterator
from itertools import permutations

import torch

import gptcore
from gptcore.analysis import ModelPart, logit_attribution, logits_without
from gptcore.language_model import LanguageModel
from ui.lenses.attention.handlers.patching import HELD, PAIRS

NAMES = ("Tom", "Lily", "Max", "Ben", "Mia", "Sam", "Anna", "Tim", "Sue", "Jack")
ANIMALS = ("zebra", "lion", "dog", "cat", "bear", "duck", "frog", "bird", "fox", "mouse")
THINGS = ("ball", "hat", "car", "book", "cup", "dress", "balloon", "kite", "box", "toy")
FEELINGS = (("hungry", "sleepy"), ("hungry", "tired"), ("hungry", "bored"), ("hungry", "sick"), ("hungry", "hot"))
LIKED, DISLIKED = ("loved", "liked", "enjoyed", "admired"), ("hated", "disliked")
REVIEWED = ("film", "movie", "book", "story", "show", "song")
FRENCH = {
    "dog": "chien", "cat": "chat", "house": "maison", "bread": "pain", "water": "eau", "red": "rouge", "milk": "lait",
}  # fmt: skip
ROYAL = {"king": "queen", "boy": "girl", "father": "mother", "brother": "sister", "son": "daughter", "uncle": "aunt"}

# A variant: both sentences, and what each should go on with; "" for anything but the other's answer.
Variant = tuple[str, str, str, str]
Points = tuple[list[float], list[float]]  # what is said of each part, and what switching it off takes away


def _names(text: str, second: str) -> Iterator[Variant]:
    for a, b in permutations(NAMES, 2):
        yield text.format(a=a, b=b), second.format(a=a, b=b), f" {b}", f" {a}"


def _things(text: str, things: tuple[str, ...]) -> Iterator[Variant]:
    for x, y in permutations(things, 2):
        yield text.format(x), text.format(y), f" {x}", f" {y}"


def _feelings() -> Iterator[Variant]:
    for name in NAMES:
        for one, other in FEELINGS:
            yield f"{name} was {one}. He wanted to", f"{name} was {other}. He wanted to", " eat", ""


def _sums(word: str) -> Iterator[Variant]:
    compute = {"plus": lambda a, b: a + b, "minus": lambda a, b: a - b}[word]
    for a in range(3, 9):
        for b, c in permutations(range(1, 4), 2):
            texts = (f"Question: What is {a} {word} {one}?\nAnswer:" for one in (b, c))
            yield *texts, f" {compute(a, b)}", f" {compute(a, c)}"


def _answers(text: str, known: dict[str, str]) -> Iterator[Variant]:
    for one, other in permutations(known, 2):
        yield text.format(one), text.format(other), f" {known[one]}", f" {known[other]}"


def _reviews() -> Iterator[Variant]:
    for what in REVIEWED:
        for good in LIKED:
            for bad in DISLIKED:
                texts = (f"Review: I {verb} this {what}.\nSentiment:" for verb in (good, bad))
                yield *texts, " positive", " negative"


KINDS = {
    "mini": (
        lambda: _things("Tom saw a {0}. Tom gave food to the", ANIMALS),
        _feelings,
        lambda: _things("Lily had a red {0}. She lost her red", THINGS),
        lambda: _names('{b} and {a} went out. "Look, {a}!" said', '{b} and {a} went out. "Look, {b}!" said'),
        lambda: _names("{a} and {b} had a cake. {a} shared it with", "{a} and {b} had a cake. {b} shared it with"),
    ),
    "world": (
        lambda: _sums("plus"), _reviews, lambda: _answers("Translate English to French: {} =", FRENCH),
        lambda: _sums("minus"), lambda: _answers("man is to woman as {} is to", ROYAL),
    ),
}  # fmt: skip


def held(lm: LanguageModel, variants: Iterator[Variant]) -> list[int]:
    """[variants that hold, variants]."""
    found = []
    for first, second, one, other in variants:
        said = [_first(lm, text) for text in (first, second)]
        right = [one.startswith(said[0]), other.startswith(said[1]) if other else said[1] != said[0]]
        found.append(all(right) and bool(said[0].strip()) and bool(said[1].strip()))
    return [sum(found), len(found)]


def _first(lm: LanguageModel, text: str) -> str:
    """What a model goes on with, as text: the likeliest token."""
    logits = logits_without(lm.model, lm.tokenizer.encode(text), [[]])[0]
    return lm.tokenizer.decode([int(logits.argmax())])


def of_parts(lm: LanguageModel, texts: list[str]) -> Points:
    """Direct attribution of every head and MLP, and by how much the difference falls without it."""
    said, taken = [], []
    config = lm.model.config
    for text in texts:
        ids = lm.tokenizer.encode(text)
        word, rival = logits_without(lm.model, ids, [[]])[0].topk(2).indices.tolist()
        split = logit_attribution(lm.model, ids, word, rival)
        every = ((layer, head) for layer in range(config.n_layer) for head in range(config.n_head))
        parts = [(f"L{layer}H{head}", ModelPart(layer, "head", head)) for layer, head in every]
        parts += [(f"L{layer} MLP", ModelPart(layer, "mlp")) for layer in range(config.n_layer) if config.use_mlp]
        logits = logits_without(lm.model, ids, [[part] for _, part in parts])
        said += [float(split.values[split.names.index(name)]) for name, _ in parts]
        taken += (split.total - (logits[:, word] - logits[:, rival])).tolist()
    return said, taken


def correlation(points: Points) -> float:
    """Pearson's."""
    return float(torch.corrcoef(torch.tensor(points))[0, 1])


def main() -> None:
    """Measures, prints, and writes what the page shows."""
    found: dict[str, dict[str, object]] = {}
    for name, kinds in KINDS.items():
        lm = gptcore.load(name)
        assert len(kinds) == len(PAIRS[name])
        counts = [held(lm, kind()) for kind in kinds]
        for (first, _), (right, tried) in zip(PAIRS[name], counts, strict=True):
            print(f"{name}: {right} of {tried} variants of {first!r}")
        points = of_parts(lm, [text for pair in PAIRS[name] for text in pair])
        found[name] = {"pairs": counts, "agreement": [round(correlation(points), 2), len(points[0])]}
    HELD.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
