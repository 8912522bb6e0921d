"""Prints pages in everyday language: `python -m weights.recipes.everyday --pages 1000 --seed 1 >
everyday.txt`.
"""

import argparse
import sys
from pathlib import Path

from gptcore.tokenizers.base import END_OF_TEXT
from weights.recipes.everyday.french import parallel_lines
from weights.recipes.everyday.pages import ALONE, pages, pages_of
from weights.recipes.everyday.questions import about_tales
from weights.recipes.everyday.reviews import labelled


def main(arguments: list[str] | None = None) -> int:
    """Writes the pages, each ended by a line with the end-of-text marker; returns the exit
    status.
    """
    parser = argparse.ArgumentParser(prog="python -m weights.recipes.everyday", description=__doc__)
    parser.add_argument("--pages", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the choices")
    polarity = "split, label, text: sentence polarity (Pang and Lee)"
    tales = "FairytaleQA: sections, then questions"
    parser.add_argument("--reviews", type=Path, metavar="TSV", help=polarity)
    parser.add_argument("--questions", type=Path, nargs=2, metavar="JSONL", help=tales)
    parser.add_argument(
        "--parallel", type=Path, nargs=2, metavar="TXT", help="English lines, then French lines"
    )
    parser.add_argument("--only", choices=list(ALONE), help="pages of one kind")
    options = parser.parse_args(arguments)
    if options.pages < 1:
        parser.error(f"--pages is {options.pages}; at least 1 is needed")
    try:
        made = pages_of(options.only, options.pages, options.seed) if options.only else pages(
            options.pages, options.seed,
            found=labelled(options.reviews) if options.reviews else (),
            asked=about_tales(*options.questions) if options.questions else (),
            parallel=parallel_lines(*options.parallel) if options.parallel else (),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.error(
            f"a file cannot be read as what it is given for ({type(error).__name__}: {error})"
        )
    for page in made:
        sys.stdout.write(f"{page}\n{END_OF_TEXT}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
