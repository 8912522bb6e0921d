"""Fine-tuning a bundled model on labelled sentences against a bag of words, on the same rows.

    python tests/benchmarks/sentiment.py ROWS.tsv [--model mini] [--epochs 3] [--learning-rate 5e-4]

ROWS.tsv has a header and the columns split (train, valid), label (1 is positive) and text. Both learn from nine tenths
of the training rows and are tested on the valid rows; the last tenth chooses the decay of one and the epoch of the
other. The bag of words is a logistic regression on words and word pairs; fine-tuning is the paper's, L3 = L2 + 0.5 L1.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a script, from anywhere

import torch
import torch.nn.functional as F

import gptcore
from gptcore.finetuning import (
    LabelledBatches,
    TaskClassifier,
    classification,
    classification_config,
    evaluate_classifier,
)
from gptcore.training import EvalEvent, StepEvent, Trainer
from gptcore.training.precision import faster_precision

Rows = list[tuple[int, str]]


def read_rows(path: Path) -> dict[str, Rows]:
    found: dict[str, Rows] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            found.setdefault(row["split"], []).append((int(row["label"]), row["text"]))
    rows = found["train"]
    train = [row for place, row in enumerate(rows) if place % 10]
    return {"train": train, "dev": rows[::10], "test": found["valid"]}


def words(text: str) -> list[str]:
    single = re.findall(r"[a-z']+|[!?]", text.lower())
    return single + [f"{a} {b}" for a, b in pairwise(single)]


def bag_of_words(rows: dict[str, Rows]) -> float:
    """Test accuracy of the logistic regression whose decay does best on the dev rows."""
    counts = Counter(word for _, text in rows["train"] for word in set(words(text)))
    index = {word: place for place, (word, n) in enumerate(counts.items()) if n >= 2}
    index = {word: place for place, word in enumerate(index)}

    def table(part: Rows) -> tuple[torch.Tensor, torch.Tensor]:
        places = [[(row, index[w]) for w in set(words(text)) if w in index] for row, (_, text) in enumerate(part)]
        flat = torch.tensor([pair for pairs in places for pair in pairs]).T
        dense = torch.sparse_coo_tensor(flat, torch.ones(flat.shape[1]), (len(part), len(index))).to_sparse_csr()
        return dense, torch.tensor([float(label) for label, _ in part])

    train, dev, test = (table(rows[name]) for name in ("train", "dev", "test"))
    best = (0.0, 0.0)
    for decay in (1e-5, 1e-4, 3e-4, 1e-3, 3e-3):
        weight, bias = torch.zeros(len(index), 1, requires_grad=True), torch.zeros(1, requires_grad=True)
        optimizer = torch.optim.LBFGS([weight, bias], max_iter=150, history_size=10, line_search_fn="strong_wolfe")

        def closure(weight=weight, bias=bias, optimizer=optimizer, decay=decay) -> torch.Tensor:
            optimizer.zero_grad()
            logits = (train[0] @ weight)[:, 0] + bias
            loss = F.binary_cross_entropy_with_logits(logits, train[1]) + decay * weight.square().sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        with torch.no_grad():
            right = [float((((x @ weight)[:, 0] + bias > 0) == (y > 0.5)).float().mean()) for x, y in (dev, test)]
        best = max(best, (right[0], right[1]))
    return best[1]


def fine_tuned(
    rows: dict[str, Rows], name: str, *, epochs: int, learning_rate: float, seed: int
) -> tuple[float, float]:
    """(dev, test) accuracy after the epoch that does best on the dev rows."""
    lm = gptcore.load(name)
    model = TaskClassifier(lm.model, 2, generator=torch.Generator().manual_seed(seed)).train()
    window = lm.model.config.n_positions
    split = {
        part: [
            classification(lm.tokenizer.encode(text), label, tokens=model.tokens, window=window)
            for label, text in given
        ]
        for part, given in rows.items()
    }
    config = classification_config(len(split["train"]), epochs=epochs, learning_rate=learning_rate, seed=seed)
    config = type(config)(**{**config.to_dict(), "precision": faster_precision(lm.model.config.n_embd, 32 * 30)})
    found: list[tuple[float, float]] = []

    def evaluate():
        dev, test = (evaluate_classifier(model, split[part]) for part in ("dev", "test"))
        found.append((dev.accuracy, test.accuracy))
        return dev

    began = time.perf_counter()
    for event in Trainer(model, config, LabelledBatches(split["train"], batch_size=32), evaluate=evaluate).events():
        if isinstance(event, EvalEvent):
            print(
                f"  epoch {len(found) - 1}: dev {found[-1][0]:.3f}  ({time.perf_counter() - began:.0f} s)", flush=True
            )
        elif isinstance(event, StepEvent) and event.step % 100 == 0:
            print(f"  step {event.step} loss {event.loss:.3f}", flush=True)
    return max(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--model", default="mini")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = read_rows(options.rows)
    print({part: len(given) for part, given in rows.items()})
    print(f"bag of words, logistic regression: test {bag_of_words(rows):.3f}", flush=True)
    dev, test = fine_tuned(
        rows, options.model, epochs=options.epochs, learning_rate=options.learning_rate, seed=options.seed
    )
    print(f"{options.model}, fine-tuned: dev {dev:.3f} test {test:.3f}")


if __name__ == "__main__":
    main()
