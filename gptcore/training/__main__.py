"""Trains a model from the shell: `python -m gptcore.training --help`; under `torchrun`, in several processes."""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import torch

from gptcore.checkpoint import save_folder
from gptcore.config import PRESETS, GPTConfig
from gptcore.corpora import CORPORA, corpus, read_documents
from gptcore.errors import GPTCoreError, TrainingError
from gptcore.language_model import load
from gptcore.memory import keep_freed_memory
from gptcore.model import GPT, random_model
from gptcore.scoring import TextScore, score_documents
from gptcore.tokenizers import ByteBPE, CharTokenizer, Tokenizer, load_tokenizer
from gptcore.training import (
    Batches,
    Distillation,
    EndEvent,
    EvalEvent,
    RandomWindows,
    RepeatedSequences,
    ShuffledWindows,
    Source,
    Trainer,
    TrainingConfig,
    TrainingEvent,
    WithCopies,
    Workers,
    encoded,
    leave,
    split,
    token_file,
    workers_from_environment,
)
from gptcore.training.config import PAPERS, field_help
from gptcore.training.precision import faster_precision
from gptcore.training.reporting import Reporter
from gptcore.training.unlikelihood import Unlikelihood

_DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
_TEXTS = ("schedule", "precision", "optimizer")
_WHOLE = ("max_steps", "batch_size", "accumulation_steps", "warmup_steps", "seed", "eval_every")
_CHECKPOINT = "last.safetensors"


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line; every field of TrainingConfig is an option."""
    parser = argparse.ArgumentParser(
        prog="python -m gptcore.training",
        description="Train a GPT on text files. Documents are separated by lines that hold only <|endoftext|>.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument(
        "--corpus",
        action="append",
        metavar="FILE[=WEIGHT]",
        help=f"text to train on, or {', '.join(CORPORA)}, or a token file (.npy) of the same tokenizer; repeatable",
    )
    text.add_argument(
        "--repeated",
        metavar="CHARACTERS",
        help="instead of a text: random sequences of these characters that repeat, on which induction heads form",
    )
    parser.add_argument(
        "--periods", type=int, nargs=2, default=(8, 32), help="shortest and longest repetition of --repeated"
    )
    held_out = parser.add_mutually_exclusive_group()
    held_out.add_argument("--valid", metavar="FILE", help="held-out text, scored in bits per byte")
    held_out.add_argument("--hold-out", type=float, metavar="SHARE", help="of the corpora, scored and not trained on")
    parser.add_argument("--out", required=True, type=Path, help="model folder to write")
    parser.add_argument("--work-dir", required=True, type=Path, help="folder for checkpoints, token files and the log")
    parser.add_argument("--preset", default="mini", choices=list(PRESETS), help="shape of the model")
    parser.add_argument("--config", type=Path, metavar="FILE", help="config.json with the shape, instead of --preset")
    parser.add_argument(
        "--from-model",
        metavar="MODEL",
        help="train this one further, with its tokenizer: a bundled model, gpt2, a folder",
    )
    parser.add_argument(
        "--tokenizer", default="bpe", metavar="bpe|char|FOLDER", help="trained on the corpus, or taken from a folder"
    )
    parser.add_argument("--copies", type=float, default=0.0, metavar="SHARE", help="of the rows that repeat themselves")
    parser.add_argument(
        "--teacher", action="append", default=[], metavar="MODEL", help="learn from its probabilities too; repeatable"
    )
    parser.add_argument(
        "--text-share", type=float, default=0.0, help="with teachers: weight of the text's own next tokens"
    )
    parser.add_argument(
        "--against-repetition",
        type=float,
        default=0.0,
        metavar="WEIGHT",
        help="let it go on from every batch, and lower the chance of runs that it repeats; about 5 with --from-model",
    )
    parser.add_argument(
        "--against-doubling", type=float, default=0.0, metavar="WEIGHT", help="the same of doubled words; about 60"
    )
    parser.add_argument(
        "--snapshots",
        type=int,
        nargs="+",
        default=[],
        metavar="STEP",
        help="keep the model as it is after these updates",
    )
    parser.add_argument("--vocab-size", type=int, default=4096, help="entries of a bpe vocabulary")
    parser.add_argument("--digits-apart", action="store_true", help="a bpe vocabulary without numbers of two digits")
    parser.add_argument(
        "--from-beginnings", action="store_true", help="begin every training sequence where a document begins"
    )
    parser.add_argument("--dropout", type=float, default=0.0, help="on embeddings and residual branches")
    parser.add_argument("--epochs", type=float, help="read the corpora so many times, in place of --max-steps")
    parser.add_argument("--attention-dropout", type=float, default=0.0, help="on attention weights")
    parser.add_argument(
        "--paper",
        choices=list(PAPERS),
        help="shape, vocabulary, dropout, epochs, batch, rates and decay of a paper, as defaults for the other options",
    )
    parser.add_argument("--dtype", default="fp16", choices=list(_DTYPES), help="of the saved weights")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--shard-optimizer", action="store_true", help="divide AdamW's states among the processes")
    parser.add_argument("--tensorboard", type=Path, metavar="FOLDER", help="write charts for TensorBoard")
    parser.add_argument("--resume", action="store_true", help="continue from the last checkpoint in --work-dir")
    about = field_help() | {"precision": "fp32, bf16, or auto: the faster here"}
    for field in fields(TrainingConfig):
        kind = int if field.name in _WHOLE else str if field.name in _TEXTS else float
        hint = about[field.name].replace("%", "%%")
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=kind, default=field.default, help=hint)
    paper = parser.parse_known_args(arguments)[0].paper
    if paper is not None:
        recipe = PAPERS[paper]
        parser.set_defaults(**recipe.config.to_dict())
        beside = {name: getattr(recipe, name) for name in ("preset", "vocab_size", "dropout", "attention_dropout")}
        parser.set_defaults(**beside, epochs=recipe.epochs)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Runs the training that the command line describes; returns the exit status."""
    options = parse_arguments(arguments)
    try:
        keep_freed_memory()
        with workers_from_environment(device=options.device, shard_optimizer=options.shard_optimizer) as workers:
            return _train(options, workers)
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except OSError as error:  # such as a full disk; the last checkpoint is whole
        print(f"error: {error.filename or 'a file'} cannot be written or read ({error.strerror}).", file=sys.stderr)
        return 1


def _train(options: argparse.Namespace, workers: Workers | None) -> int:
    base = load(options.from_model) if options.from_model else None
    shape = base.model.config if base is not None else _shape(options)
    config = _config(options, shape)
    leader = workers is None or workers.rank == 0
    options.work_dir.mkdir(parents=True, exist_ok=True)
    sources, held_out, tokenizer = _texts_of_all(options, None if base is None else base.tokenizer, workers)
    dropout = {"embd_pdrop": options.dropout, "resid_pdrop": options.dropout, "attn_pdrop": options.attention_dropout}
    shape = replace(shape, vocab_size=tokenizer.vocab_size, **dropout)
    data = _batches(options, sources, tokenizer, shape, config)
    if options.copies:
        data = WithCopies(data, share=options.copies, vocab_size=tokenizer.vocab_size)
    if options.epochs is not None:
        tokens = sum(len(source.tokens) for source in sources)
        per_update = shape.n_positions * config.batch_size * config.accumulation_steps
        config = replace(config, max_steps=max(1, math.ceil(options.epochs * tokens / per_update)))
    model = random_model(shape, config.seed)
    if base is not None:
        model.load_state_dict(base.model.state_dict())
    trainer = _trainer(options, model, config, data, tokenizer, encoded(held_out, tokenizer), workers)
    if options.resume and (options.work_dir / _CHECKPOINT).is_file():
        trainer.resume(options.work_dir / _CHECKPOINT)
    elif options.resume and leader:
        print(f"There is no checkpoint in {options.work_dir} to resume from: starting at step 0.")
    score = _follow(trainer, model, tokenizer, options, leader)
    if leader:
        _save(trainer, model, tokenizer, options, score)
    return 0


def _config(options: argparse.Namespace, shape: GPTConfig) -> TrainingConfig:
    """The settings on the command line; precision "auto" is the faster here."""
    given = {field.name: getattr(options, field.name) for field in fields(TrainingConfig)}
    if given["precision"] == "auto":
        given["precision"] = faster_precision(shape, options.batch_size, device=str(options.device))
    return TrainingConfig(**given)


def _texts_of_all(
    options: argparse.Namespace, known: Tokenizer | None, workers: Workers | None
) -> tuple[list[Source], list[str], Tokenizer]:
    """As _texts; of several processes the leader goes first, and makes the tokenizer and the token files."""
    if workers is None:
        return _texts(options, known)
    if workers.rank:
        workers.mean([0.0])
    found = _texts(options, known)
    if not workers.rank:
        workers.mean([0.0])
    return found


def _trainer(
    options: argparse.Namespace,
    model: GPT,
    config: TrainingConfig,
    data: Batches,
    tokenizer: Tokenizer,
    documents: list[tuple[list[int], int]],
    workers: Workers | None,
) -> Trainer:
    """A trainer that scores on the held-out documents, if there are some, and learns from teachers, if there are."""
    device = options.device if workers is None else workers.device
    model.to(device)
    evaluate = (lambda: score_documents(model, documents, start_id=tokenizer.end_id or 0)) if documents else None
    teachers = [load(name).model.to(device) for name in options.teacher]
    objective = Distillation(teachers, text_share=options.text_share) if teachers else None
    if options.against_repetition or options.against_doubling:
        if objective is not None:
            raise TrainingError("--against-repetition and --teacher are two aims; train for one, then for the other.")
        objective = Unlikelihood(model, tokenizer, runs=options.against_repetition, doubled=options.against_doubling)
    return Trainer(model, config, data, evaluate=evaluate, objective=objective, workers=workers)


def _save(
    trainer: Trainer, model: GPT, tokenizer: Tokenizer, options: argparse.Namespace, score: TextScore | None
) -> None:
    made = {
        "steps": trainer.step,
        "seconds": round(trainer.elapsed),
        "tokens": trainer.step * trainer.tokens_per_update,
        "settings": trainer.config.to_dict(),
    }
    if score is not None:
        made["valid_bits_per_byte"] = round(score.bits_per_byte, 4)
    save_folder(options.out, model.eval(), tokenizer, dtype=_DTYPES[options.dtype], metadata=made)
    print(f"saved {options.out}")


def _follow(
    trainer: Trainer, model: GPT, tokenizer: Tokenizer, options: argparse.Namespace, leader: bool
) -> TextScore | None:
    """Reports the events, checkpoints, and keeps the best model; returns the last score.

    Ctrl-C (or SIGTERM) takes effect between two updates: the checkpoint is written, then the run ends.
    """
    config, interrupted = trainer.config, []
    total = config.max_steps if config.time_budget is None else None
    report = Reporter(options.work_dir / "log.jsonl", total=total, tensorboard=options.tensorboard) if leader else None
    keeper = _Keeper(options, model, tokenizer) if leader else None
    last, saved = None, time.monotonic()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: interrupted.append(True))
    for event in trainer.events():
        if report is not None:
            report(event)
        if keeper is not None:
            keeper(event)
        if isinstance(event, EvalEvent) and isinstance(event.score, TextScore):
            last = event.score
        stop, due = bool(interrupted), time.monotonic() - saved > config.checkpoint_every
        if trainer.workers is not None:  # all processes must save and stop at the same update
            stop, due = (value > 0 for value in trainer.workers.mean([float(stop), float(due)]))
        if stop or due:
            trainer.save(options.work_dir / _CHECKPOINT)
            saved = time.monotonic()
        if stop:
            if report is not None:
                report.close()
            raise TrainingError(f"Stopped after {trainer.step} steps. The same command with --resume goes on.")
    trainer.save(options.work_dir / _CHECKPOINT)
    return last


class _Keeper:
    """Keeps the model as it is after the updates asked for, and the best one so far."""

    def __init__(self, options: argparse.Namespace, model: GPT, tokenizer: Tokenizer) -> None:
        self._options, self._model, self._tokenizer, self._best = options, model, tokenizer, math.inf

    def __call__(self, event: TrainingEvent) -> None:
        if event.step in self._options.snapshots and not isinstance(event, EndEvent):
            self._keep(f"snapshots/step-{event.step:06d}", {"steps": event.step})
        if not (isinstance(event, EvalEvent) and isinstance(event.score, TextScore)):
            return
        if event.step and event.score.loss < self._best:
            self._best = event.score.loss
            self._keep("best", {"steps": event.step, "valid_bits_per_byte": round(event.score.bits_per_byte, 4)})

    def _keep(self, folder: str, made: dict[str, int | float]) -> None:
        dtype = _DTYPES[self._options.dtype]
        save_folder(self._options.work_dir / folder, self._model, self._tokenizer, dtype=dtype, metadata=made)


def _texts(options: argparse.Namespace, known: Tokenizer | None) -> tuple[list[Source], list[str], Tokenizer]:
    """(what to train on, held-out documents, the tokenizer, which is the known one if there is one)."""
    if options.repeated:
        return [], [], CharTokenizer(options.repeated)
    named = [_with_weight(text) for text in options.corpus]
    token_files = {name: _tokens_in(name) for name, _ in named if name.endswith(".npy")}
    texts = [
        [] if name in token_files else corpus(name) if name in CORPORA else read_documents(name) for name, _ in named
    ]
    held_out: list[str] = read_documents(options.valid) if options.valid else []
    if options.hold_out is not None:
        if not 0 < options.hold_out <= 0.5:
            raise TrainingError(f"--hold-out is {options.hold_out}; give a share above 0 and at most 0.5.")
        parts = [split(documents, share=options.hold_out) if documents else ([], []) for documents in texts]
        texts, held_out = [part[0] for part in parts], [text for part in parts for text in part[1]]
    # A vocabulary of pieces must not know the held-out text; an alphabet has to know the letters of its own corpus.
    alphabet = held_out if options.tokenizer == "char" and options.hold_out is not None else []
    tokenizer = known or _tokenizer(options, [document for documents in texts for document in documents] + alphabet)
    cache = options.work_dir / "tokens"
    sources = [
        Source(
            token_files[name] if name in token_files else token_file(documents, tokenizer, cache, name=Path(name).stem),
            weight,
        )
        for documents, (name, weight) in zip(texts, named, strict=True)
    ]
    return sources, held_out, tokenizer


def _tokens_in(path: str) -> np.ndarray:
    """The ids of a token file, memory-mapped. Raises TrainingError when it holds none."""
    try:
        tokens = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise TrainingError(f"{path} is not a file of token ids ({error}).") from None
    if tokens.ndim != 1 or tokens.dtype.kind not in "ui":
        raise TrainingError(f"{path} holds {tokens.dtype} of shape {list(tokens.shape)}; one row of ids is needed.")
    return tokens


def _batches(
    options: argparse.Namespace, sources: list[Source], tokenizer: Tokenizer, shape: GPTConfig, config: TrainingConfig
) -> Batches:
    window, batch_size = shape.n_positions, config.batch_size
    if options.repeated:
        periods = (options.periods[0], options.periods[1])
        return RepeatedSequences(tokenizer.vocab_size, window=window, batch_size=batch_size, periods=periods)
    if options.epochs is not None and len(sources) == 1 and not options.from_beginnings:
        return ShuffledWindows(sources[0].tokens, window=window, batch_size=batch_size)
    if options.from_beginnings and tokenizer.end_id is None:
        raise TrainingError("--from-beginnings needs a vocabulary with an end-of-text token; this one has none.")
    start_after = tokenizer.end_id if options.from_beginnings else None
    return RandomWindows(sources, window=window, batch_size=batch_size, start_after=start_after)


def _tokenizer(options: argparse.Namespace, documents: list[str]) -> Tokenizer:
    """Trained on the texts once, then kept in the run folder, so that a resumed run has the same ids."""
    if options.tokenizer not in ("bpe", "char"):
        return load_tokenizer(options.tokenizer)
    folder = options.work_dir / "tokenizer"
    if (folder / "tokenizer.json").is_file():
        return load_tokenizer(folder)
    trained: Tokenizer
    if options.tokenizer == "char":
        trained = CharTokenizer.train("".join(documents))
    else:
        trained = ByteBPE.train(
            documents, vocab_size=options.vocab_size, name=options.out.name, digits_apart=options.digits_apart
        )
    folder.mkdir(parents=True, exist_ok=True)
    trained.save(folder)
    return trained


def _with_weight(text: str) -> tuple[str, float]:
    path, _, weight = text.rpartition("=")
    try:
        return (path, float(weight)) if path else (text, 1.0)
    except ValueError:
        return text, 1.0


def _shape(options: argparse.Namespace) -> GPTConfig:
    """The shape that was asked for. Raises TrainingError or ConfigError for a file that holds none."""
    if options.config is None:
        return PRESETS[options.preset]
    try:
        values = json.loads(options.config.read_text(encoding="utf-8"))
        return GPTConfig.from_dict(values)
    except (OSError, ValueError, AttributeError) as error:
        raise TrainingError(f"{options.config} holds no shape ({error}).") from None


if __name__ == "__main__":
    leave(main())
