"""Prints pages of the small synthetic web: `python -m weights.recipes.pages --pages 1000 --seed 1 >
world.txt`.

With --stories, pages with tasks about those stories instead.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from gptcore.corpora import read_documents
from gptcore.errors import GPTCoreError
from gptcore.tokenizers.base import END_OF_TEXT
from gptcore.zero_shot.items import TASKS_WITH_ITEMS
from weights.recipes.mining import TASKS_FROM_STORIES, pages
from weights.recipes.world.documents import documents
from weights.recipes.world.splits import NoChoice


def main(arguments: list[str] | None = None) -> int:
    """Writes the pages, each ended by a line with the end-of-text marker; returns the exit
    status.
    """
    parser = argparse.ArgumentParser(prog="python -m weights.recipes.pages", description=__doc__)
    parser.add_argument(
        "--pages", type=int, default=1000, help="how many; the first of more are the same"
    )
    parser.add_argument("--seed", type=int, default=1, help="of another web")
    parser.add_argument("--task", choices=TASKS_WITH_ITEMS, help="only pages that show this task")
    told = (
        "a file of short plain stories to ask about, with --task "
        f"{' or '.join(TASKS_FROM_STORIES)}; repeatable"
    )
    parser.add_argument("--stories", type=Path, action="append", help=told)
    apart = (
        "with --stories, which may be any prose then: single statements of different stories, "
        "people renamed"
    )
    parser.add_argument("--apart", action="store_true", help=apart)
    options = parser.parse_args(arguments)
    if options.pages < 1:
        parser.error(f"--pages is {options.pages}; at least 1 is needed")
    if options.stories and options.task not in TASKS_FROM_STORIES:
        parser.error(f"--stories needs --task {' or '.join(TASKS_FROM_STORIES)}")
    if options.apart and not options.stories:
        parser.error("--apart needs --stories")
    try:
        for page in _pages(options):
            sys.stdout.write(f"{page}\n{END_OF_TEXT}\n")
    except GPTCoreError as error:
        parser.error(str(error))
    except NoChoice:
        parser.error(
            "no sentence of these stories fits the task; give more stories of short plain sentences"
        )
    return 0


def _pages(options: argparse.Namespace) -> Iterator[str]:
    if not options.stories:
        return documents(options.pages, seed=options.seed, task=options.task)
    stories = [story for path in options.stories for story in read_documents(path)]
    return pages(stories, options.pages, task=options.task, seed=options.seed, apart=options.apart)


if __name__ == "__main__":
    sys.exit(main())
