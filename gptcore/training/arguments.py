"""The command line of `python -m gptcore.training`."""

import argparse
from dataclasses import fields
from pathlib import Path

import torch

from gptcore.config import PRESETS
from gptcore.corpora import CORPORA
from gptcore.errors import DeviceError
from gptcore.machine import DEVICES, choose_device
from gptcore.training import TrainingConfig
from gptcore.training.config import PAPERS

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
_TEXTS = ("schedule", "precision", "optimizer")
# What a model that is trained further brings along.
_BROUGHT = ("preset", "config", "tokenizer", "vocab_size", "digits_apart")
_LEFT_OUT = object()
_WHOLE = ("max_steps", "batch_size", "accumulation_steps", "warmup_steps", "seed", "eval_every")


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line of `python -m gptcore.training`."""
    return parse(make_parser("python -m gptcore.training"), arguments)


def make_parser(command: str) -> argparse.ArgumentParser:
    """Makes a parser of a training run's options, one per field of TrainingConfig and more."""
    parser = argparse.ArgumentParser(
        prog=command,
        description="Train a GPT on text files. Documents are separated by <|endoftext|>.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    _add_text(parser)
    _add_folders(parser)
    _add_model(parser)
    _add_tokenizer(parser)
    _add_computing(parser)
    for field in fields(TrainingConfig):
        kind = int if field.name in _WHOLE else str if field.name in _TEXTS else float
        about = field.metadata["about"]
        if field.name == "precision":
            about = "fp32, bf16, or auto: the faster here"
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(option, type=kind, default=field.default, help=about)
    return parser


def _add_text(parser: argparse.ArgumentParser) -> None:
    """The text that is learned, and the text that is held out."""
    text = parser.add_mutually_exclusive_group(required=True)
    texts = (
        f"text to train on, or {', '.join(CORPORA)}, or a token file (.npy) of the same tokenizer; "
        "repeatable"
    )
    text.add_argument("--corpus", action="append", metavar="FILE[=WEIGHT]", help=texts)
    drawn = (
        "instead of a text: random sequences of these characters that repeat, on which induction "
        "heads form"
    )
    text.add_argument("--repeated", metavar="CHARACTERS", help=drawn)
    periods = "shortest and longest repetition of --repeated"
    parser.add_argument("--periods", type=int, nargs=2, default=(8, 32), help=periods)
    held_out = parser.add_mutually_exclusive_group()
    held_out.add_argument("--valid", metavar="FILE", help="held-out text, scored in bits per byte")
    held_out.add_argument(
        "--hold-out", type=float, metavar="SHARE", help="of the corpora, scored and not trained on"
    )
    begun = "begin training sequences where a document begins: of these corpora, or of all"
    parser.add_argument("--from-beginnings", nargs="*", metavar="FILE", help=begun)
    noise = "share of input tokens replaced from the same batch"
    parser.add_argument("--noise", type=float, default=0.0, metavar="SHARE", help=noise)
    epochs = "passes over the corpora, counted in windows, instead of --max-steps"
    parser.add_argument("--epochs", type=float, help=epochs)


def _add_folders(parser: argparse.ArgumentParser) -> None:
    """The folders that are written, and whether an earlier run goes on."""
    parser.add_argument("--out", required=True, type=Path, help="model folder to write")
    work = "folder for checkpoints, token files and the log"
    parser.add_argument("--work-dir", required=True, type=Path, help=work)
    earlier = parser.add_mutually_exclusive_group()
    earlier.add_argument(
        "--resume", action="store_true", help="continue from the last checkpoint in --work-dir"
    )
    earlier.add_argument(
        "--overwrite", action="store_true", help="start over if --work-dir holds an earlier run"
    )
    snapshots = "save the model after these updates"
    parser.add_argument(
        "--snapshots", type=int, nargs="+", default=[], metavar="STEP", help=snapshots
    )
    saved = "of the saved weights"
    parser.add_argument("--dtype", default="fp16", choices=list(DTYPES), help=saved)


def _add_model(parser: argparse.ArgumentParser) -> None:
    """The shape of the model, or the model that is trained further."""
    add = parser.add_argument
    add("--preset", default="mini", choices=list(PRESETS), help="shape of the model")
    shape = "config.json with the shape, instead of --preset"
    add("--config", type=Path, metavar="FILE", help=shape)
    base = "train this one further, with its tokenizer: a bundled model, gpt2, a folder"
    add("--from-model", metavar="MODEL", help=base)
    add("--dropout", type=float, default=0.0, help="on embeddings and residual branches")
    add("--attention-dropout", type=float, default=0.0, help="on attention weights")
    paper = (
        "shape, vocabulary, dropout, epochs, batch, rates and decay of a paper, as defaults for "
        "the other options"
    )
    add("--paper", choices=list(PAPERS), help=paper)


def _add_tokenizer(parser: argparse.ArgumentParser) -> None:
    tokenizer = "trained on the corpus, or taken from a folder"
    parser.add_argument("--tokenizer", default="bpe", metavar="bpe|char|FOLDER", help=tokenizer)
    parser.add_argument("--vocab-size", type=int, default=4096, help="entries of a bpe vocabulary")
    digits = "a bpe vocabulary that reads numbers digit by digit"
    parser.add_argument("--digits-apart", action="store_true", help=digits)


def _add_computing(parser: argparse.ArgumentParser) -> None:
    device = "where to compute; auto: a graphics card that works"
    parser.add_argument("--device", default="auto", choices=DEVICES, help=device)
    compiled = "use torch.compile: takes a minute at the start, pays off on a GPU"
    parser.add_argument("--compile", action="store_true", help=compiled)


def parse(parser: argparse.ArgumentParser, arguments: list[str] | None) -> argparse.Namespace:
    """Parses the options; those given explicitly override the recipe of the paper named by
    --paper.
    """
    paper = parser.parse_known_args(arguments)[0].paper
    parser.set_defaults(**PAPERS.get(paper, {}))
    options = parser.parse_args(arguments)
    _refuse_two_shapes(parser, arguments, options)
    try:
        options.device = choose_device(options.device).type
    except DeviceError as error:
        parser.error(str(error))
    return options


def _refuse_two_shapes(
    parser: argparse.ArgumentParser, arguments: list[str] | None, options: argparse.Namespace
) -> None:
    """Ends with an error where --from-model stands beside a shape or a tokenizer of its own."""
    if not options.from_model:
        return
    # Defaults are set for missing attributes only: what is still left out afterwards was not given.
    given = parser.parse_args(arguments, argparse.Namespace(**dict.fromkeys(_BROUGHT, _LEFT_OUT)))
    for name in _BROUGHT:
        if getattr(given, name) is not _LEFT_OUT:
            option = f"--{name.replace('_', '-')}"
            parser.error(
                f"--from-model brings its own shape and tokenizer. Leave out {option}, or "
                "--from-model."
            )
