"""Fine-tuning a bundled model on labelled sentences.

    python tests/benchmarks/sentiment.py ROWS.tsv [--model mini] [--epochs 3] [--learning-rate 5e-4]

ROWS.tsv has a header and the columns split (train, valid), label (1 is positive) and text. It learns from nine tenths
of the training rows and is tested on the valid rows; the last tenth chooses the epoch. The loss is the paper's,
L3 = L2 + 0.5 L1.
"""

import argparse
import csv
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a script, from anywhere

import torch

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
    config = replace(config, precision=faster_precision(lm.model.config, 32, window=30))
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
    dev, test = fine_tuned(
        rows, options.model, epochs=options.epochs, learning_rate=options.learning_rate, seed=options.seed
    )
    print(f"{options.model}, fine-tuned: dev {dev:.3f} test {test:.3f}")


if __name__ == "__main__":
    main()
