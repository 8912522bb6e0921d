"""Bag-of-words baseline: logistic regression on the words and bigrams that a text contains.

Source: Wang and Manning 2012, "Baselines and Bigrams": bigrams are hard to beat on short texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor

from gptcore.finetuning.classification import ClassScore

_DECAYS = (1e-4, 1e-3, 1e-2)
_MOST_ITERATIONS, _MANY_LINES = 100, 1_000
_WORD = re.compile(r"\w+(?:'\w+)?|[!?]")

Lines = Sequence[tuple[int, str]]


class BagOfWords:
    """A linear classifier on words and bigrams, each counted once per text.

    Args:
        lines: (label from 0, text) each, at least one.
        n_classes: labels.
        weight_decay: L2 penalty: its product with the sum of squared weights is added to the mean loss.
    """

    def __init__(self, lines: Lines, n_classes: int, *, weight_decay: float) -> None:
        counts = Counter(feature for _, text in lines for feature in _features(text))
        least = 2 if len(lines) > _MANY_LINES else 1  # with many lines, drop features of a single one
        self._known = {f: place for place, f in enumerate(f for f, n in counts.items() if n >= least)}
        weight = torch.zeros(max(1, len(self._known)), n_classes, requires_grad=True)
        bias = torch.zeros(n_classes, requires_grad=True)
        self._weight, self._bias = weight.detach(), bias.detach()  # shared memory, updated by the optimiser
        table, labels = self._table(lines)
        optimizer = torch.optim.LBFGS(
            [weight, bias], max_iter=_MOST_ITERATIONS, history_size=10, line_search_fn="strong_wolfe"
        )

        def closure() -> Tensor:
            optimizer.zero_grad()
            loss = F.cross_entropy(torch.sparse.mm(table, weight) + bias, labels)
            loss = loss + weight_decay * weight.square().sum()
            loss.backward()
            return loss

        optimizer.step(closure)

    def score(self, lines: Lines) -> ClassScore:
        """Loss and accuracy on labelled lines, at least one."""
        table, labels = self._table(lines)
        logits = torch.sparse.mm(table, self._weight) + self._bias
        right = int((logits.argmax(-1) == labels).sum())
        return ClassScore(float(F.cross_entropy(logits, labels)), right / len(lines), len(lines))

    def _table(self, lines: Lines) -> tuple[Tensor, Tensor]:
        """(sparse float [N, features], 1 where a text has a feature; labels int64 [N])."""
        known = self._known
        places = [(row, known[f]) for row, (_, text) in enumerate(lines) for f in _features(text) if f in known]
        indices = torch.tensor(places, dtype=torch.int64).reshape(-1, 2).T
        shape = (len(lines), len(self._weight))
        return torch.sparse_coo_tensor(indices, torch.ones(len(places)), shape, check_invariants=True), torch.tensor(
            [n for n, _ in lines]
        )


def best_bag_of_words(train: Lines, held_out: Lines, n_classes: int) -> tuple[BagOfWords, ClassScore]:
    """The bag of words whose weight decay gives the lowest held-out loss, and its held-out score."""
    made = [BagOfWords(train, n_classes, weight_decay=decay) for decay in _DECAYS]
    return min(((bag, bag.score(held_out)) for bag in made), key=lambda one: one[1].loss)


def _features(text: str) -> set[str]:
    single = _WORD.findall(text.lower())
    return {*single, *(f"{a} {b}" for a, b in pairwise(single))}
