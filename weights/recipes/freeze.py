"""Writes the test items and pages that the page offers: `python -m weights.recipes.freeze`.

They stand in `weights/world/`, so that nothing has to be generated while a visitor waits, and so
that a change of the generator does not move the figures of models that were tested before.
"""

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Any

from gptcore.tokenizers.base import END_OF_TEXT
from gptcore.zero_shot.items import ITEMS_FILE, TASKS_WITH_ITEMS, splits_of
from gptcore.zero_shot.templates import Item
from weights.recipes.world.documents import document, documents
from weights.recipes.world.items import items

_PER_SIDE = 400
_PER_TRAIN = 256
_TRAIN_SEED = 1_000_003  # of the examples
_N_PAGES = 8_000  # about two million characters
# What a model of a million parameters learns to do within two minutes; questions are the hardest.
_SHOWN_IN_TURN = ("cloze", "question", "question", "summarise")


def frozen_items() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Items of every task on each side of its splits, as the file holds them."""
    return {
        task: {
            **{
                side: [_as_json(item) for item in items(task, _PER_SIDE, split=side)]
                for side in splits_of(task)
            },
            "train": [
                _as_json(item) for item in items(task, _PER_TRAIN, split="train", seed=_TRAIN_SEED)
            ],
        }
        for task in TASKS_WITH_ITEMS
    }


def frozen_pages(name: str) -> list[str]:
    """The documents of a corpus: "pages" or "task_pages"."""
    if name == "pages":
        return list(documents(_N_PAGES, seed=1))
    shown = _SHOWN_IN_TURN * (2 * _N_PAGES // len(_SHOWN_IN_TURN))
    return [document(1, number, task) for number, task in enumerate(shown)]


def _as_json(item: Item) -> dict[str, Any]:
    return {"fields": dict(item.fields), "answer": item.answer} | (
        {"steps": item.steps} if item.steps else {}
    )


def _write(file: Path, text: str) -> None:
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))  # the same text is the same file
    print(f"saved {file}")


def main(arguments: list[str] | None = None) -> int:
    """Writes the three files; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m weights.recipes.freeze", description=__doc__)
    parser.add_argument("--out", type=Path, default=ITEMS_FILE.parent, help="folder to write to")
    out = parser.parse_args(arguments).out
    _write(out / ITEMS_FILE.name, json.dumps(frozen_items(), ensure_ascii=False))
    for name in ("pages", "task_pages"):
        _write(
            out / f"{name}.txt.gz",
            "".join(f"{page}\n{END_OF_TEXT}\n" for page in frozen_pages(name)),
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
