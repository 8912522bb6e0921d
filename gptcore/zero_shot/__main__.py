"""Prints a model's zero-shot and few-shot scores: `python -m gptcore.zero_shot --model mini`."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel, load
from gptcore.machine import avoid_hidden_tiles
from gptcore.zero_shot.evaluation import Score, Trial, evaluate
from gptcore.zero_shot.items import (
    TASKS_WITH_ITEMS,
    hand_written,
    lambada,
    make_trial,
    parallel,
    reviews,
    splits_of,
)
from gptcore.zero_shot.metrics import reached
from gptcore.zero_shot.tasks import TASKS

_WAYS = ("combination", "word", "strict", "template", "train")


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m gptcore.zero_shot",
        description="Accuracy of a language model per task, from prompts alone.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--model", default=None, help="a bundled model, gpt2, a folder, owner/name")
    add(
        "--tasks",
        nargs="+",
        default=list(TASKS_WITH_ITEMS),
        choices=TASKS_WITH_ITEMS,
        metavar="TASK",
    )
    ways = ["combination", "template", "word", "strict"]
    held_out = ", ".join(_WAYS[:4])
    what = f"items held out from training by {held_out}; or train: items of the training split"
    add("--held-out", nargs="+", default=ways, choices=_WAYS, metavar="WHAT", help=what)
    add("--examples", nargs="+", type=int, default=[0], help="worked examples in the prompt")
    add("--chain-of-thought", action="store_true", help="also ask for steps, with one example")
    add("--items", type=int, default=100, help="per row")
    add("--seed", type=int, default=0, help="of the items")
    add(
        "--lambada",
        type=Path,
        metavar="FILE",
        help="also the last words of these passages (JSON lines)",
    )
    add(
        "--parallel",
        type=Path,
        nargs=2,
        metavar=("ENGLISH", "FRENCH"),
        help="also these translations",
    )
    add("--reviews", type=Path, metavar="FILE", help="also these reviews (split, label, text)")
    ours = Path("tests/zero_shot/hand_written.json")
    people = (
        "only items that people wrote, in the tasks' first templates and in wordings of their own"
    )
    add("--hand-written", type=Path, nargs="?", const=ours, metavar="FILE", help=people)
    add("--offline", action="store_true", help="use only files on this machine")
    add("--json", action="store_true", help="one object with all rows instead of a table")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Prints the table or the JSON; returns the exit status."""
    options = parse_arguments(arguments)
    avoid_hidden_tiles()
    try:
        lm = load(options.model, offline=options.offline)
        rows = []
        for name, test in _tests(options):
            row = _row(lm, name, test)
            rows.append(row)
            if not options.json:
                print(_line(row), flush=True)
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.json:
        about = {
            "model": lm.name,
            "parameters": sum(p.numel() for p in lm.model.parameters()),
            "rows": rows,
        }
        print(json.dumps(about, indent=2))
    return 0


def _tests(options: argparse.Namespace) -> Iterator[tuple[str, Trial]]:
    """(what is special about the test, the test) pairs."""
    if options.hand_written:
        yield from hand_written(options.hand_written)
        return
    for task in options.tasks:
        yield from _of_world(options, task)
    n = max(options.examples)
    if options.lambada:
        yield "LAMBADA", lambada(options.lambada, options.items)
    if options.parallel:
        english, french = options.parallel
        yield "given sentences", parallel(english, french, options.items + n, n_examples=n)
    if options.reviews:
        yield "given reviews", reviews(options.reviews, options.items)


def _of_world(options: argparse.Namespace, task: str) -> Iterator[tuple[str, Trial]]:
    """Tests of a task on the little world, held out in every way asked for, then step by step if it
    has a template.
    """
    made = partial(make_trial, task, n_items=options.items, seed=options.seed)
    for n, way in product(options.examples, options.held_out):
        if way == "template":
            templates = [template.name for template in TASKS[task].templates if template.held_out]
            yield from ((way, made(template=name, n_examples=n)) for name in templates)
        elif way == "train" or way in splits_of(task):
            yield way, made(split=way, n_examples=n)
    chain = TASKS[task].chain if options.chain_of_thought else None
    for way in splits_of(task):
        if chain is not None and way != "word":
            yield f"{way}, in steps", made(template=chain.name, split=way, n_examples=1)


def _row(lm: LanguageModel, held_out: str, test: Trial) -> dict[str, Any]:
    began = time.perf_counter()
    cases = []
    for more in evaluate(lm, test):
        cases += more
        if sys.stderr.isatty():
            print(
                f"{test.task}: {len(cases)} of {len(test.items)}",
                end="\r",
                file=sys.stderr,
                flush=True,
            )
    score = Score(test, cases)
    return {
        **score.to_dict(),
        "held_out": held_out,
        "seconds": round(time.perf_counter() - began, 2),
    }


def _line(row: dict[str, Any]) -> str:
    more = (
        f"  perplexity of the word {row['perplexity']:,.1f}" if row["metric"] == "last word" else ""
    )
    return (
        f"{row['task']:11}{row['held_out']:24}{row['template']:42}{row['examples']:>2} "
        f"examples  {row['metric']:15}{reached(row['score'], row['items']):>8}  "
        f"[{100 * row['low']:.0f}, {100 * row['high']:.0f}]  n {row['items']}{more}"
    )


if __name__ == "__main__":
    sys.exit(main())
