"""Trains like `gptcore.training`, with two further objectives: `python -m weights.recipes.training
--help`.

`--teacher` learns from what other models expect, `--against-repetition` and `--against-doubling`
from what the model writes itself; `--copies` mixes in rows that repeat, on which induction heads
form.
"""

import argparse
from functools import partial

from gptcore.errors import TrainingError
from gptcore.language_model import load
from gptcore.model import GPT
from gptcore.tokenizers import Tokenizer
from gptcore.training import Batches, Objective, leave
from gptcore.training.__main__ import run
from gptcore.training.arguments import make_parser, parse
from weights.recipes.copies import WithCopies
from weights.recipes.distillation import Distillation
from weights.recipes.unlikelihood import Unlikelihood


def main(arguments: list[str] | None = None) -> int:
    """Runs the training that the command line describes; returns the exit status."""
    parser = make_parser("python -m weights.recipes.training")
    add = parser.add_argument
    add(
        "--teacher",
        action="append",
        default=[],
        metavar="MODEL",
        help="learn from its probabilities, too; repeatable",
    )
    add(
        "--text-share",
        type=float,
        default=0.0,
        help="with teachers: weight of the text's own next tokens",
    )
    runs = (
        "let the model continue every batch and lower the chance of runs that it repeats; about 5 "
        "with --from-model"
    )
    add("--against-repetition", type=float, default=0.0, metavar="WEIGHT", help=runs)
    doubled = "the same for doubled words; about 60"
    add("--against-doubling", type=float, default=0.0, metavar="WEIGHT", help=doubled)
    add(
        "--own-texts",
        type=int,
        default=4,
        metavar="N",
        help="texts that it continues of every batch, for these two",
    )
    add("--copies", type=float, default=0.0, metavar="SHARE", help="of rows that repeat themselves")
    options = parse(parser, arguments)
    return run(options, partial(objective, options), partial(mixed, options))


def mixed(options: argparse.Namespace, batches: Batches, tokenizer: Tokenizer) -> Batches:
    """The batches with the copies that the options ask for."""
    return (
        WithCopies(batches, share=options.copies, vocab_size=tokenizer.vocab_size)
        if options.copies
        else batches
    )


def objective(options: argparse.Namespace, model: GPT, tokenizer: Tokenizer) -> Objective | None:
    """The loss that the options ask for; None for the model's own.

    Raises:
        TrainingError: two objectives at once, or one with impossible weights.
    """
    runs = options.against_repetition
    doubled = options.against_doubling
    if (runs or doubled) and options.teacher:
        raise TrainingError(
            "--teacher and --against-repetition are two objectives; train with one, then with "
            "the other."
        )
    if runs or doubled:
        return Unlikelihood(model, tokenizer, runs=runs, doubled=doubled, n_texts=options.own_texts)
    if not options.teacher:
        return None
    device = model.wte.weight.device
    teachers = [load(name).model.to(device) for name in options.teacher]
    return Distillation(teachers, text_share=options.text_share, compiled=options.compile)


if __name__ == "__main__":
    leave(main())
