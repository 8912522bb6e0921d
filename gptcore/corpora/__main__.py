"""Prints pages of the small synthetic web: `python -m gptcore.corpora --pages 1000 --seed 1 > world.txt`."""

from __future__ import annotations

import argparse
import sys

from gptcore.corpora.world.documents import documents
from gptcore.corpora.world.items import TASKS_WITH_ITEMS
from gptcore.tokenizers.base import END_OF_TEXT


def main(arguments: list[str] | None = None) -> int:
    """Writes the pages, each ended by a line with the end-of-text marker; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m gptcore.corpora", description=__doc__)
    parser.add_argument("--pages", type=int, default=1000, help="how many; the first of more are the same")
    parser.add_argument("--seed", type=int, default=1, help="of another web")
    parser.add_argument("--task", choices=TASKS_WITH_ITEMS, help="only pages that show this task")
    options = parser.parse_args(arguments)
    if options.pages < 1:
        parser.error(f"--pages is {options.pages}; at least 1 is needed")
    for page in documents(options.pages, seed=options.seed, task=options.task):
        sys.stdout.write(f"{page}\n{END_OF_TEXT}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
