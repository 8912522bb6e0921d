"""Trains a model from the shell: `python -m gptcore.training --help`."""

from __future__ import annotations

import argparse
import ctypes
import json
import signal
import sys
import time
from dataclasses import fields, replace
from pathlib import Path

import torch

from gptcore.checkpoint import save_folder
from gptcore.config import PRESETS, GPTConfig
from gptcore.errors import GPTCoreError, TrainingError
from gptcore.model import GPT
from gptcore.tokenizers import ByteBPE, CharTokenizer, Tokenizer, load_tokenizer
from gptcore.training import (
    Batches,
    EndEvent,
    EvalEvent,
    RandomWindows,
    RepeatedSequences,
    Source,
    StepEvent,
    Trainer,
    TrainingConfig,
    encoded_documents,
    read_documents,
    token_file,
)

_DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line; every field of TrainingConfig is an option."""
    parser = argparse.ArgumentParser(
        prog="python -m gptcore.training",
        description="Train a GPT on text files. Documents are separated by lines that hold only <|endoftext|>.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument("--corpus", action="append", metavar="FILE[=WEIGHT]", help="text to train on; repeatable")
    text.add_argument(
        "--repeated",
        metavar="CHARACTERS",
        help="instead of a text: random sequences of these characters that repeat, on which induction heads form",
    )
    parser.add_argument(
        "--periods", type=int, nargs=2, default=(8, 32), help="shortest and longest repetition of --repeated"
    )
    parser.add_argument("--valid", metavar="FILE", help="held-out text, scored in bits per byte")
    parser.add_argument("--out", required=True, type=Path, help="model folder to write")
    parser.add_argument("--run", required=True, type=Path, help="folder for checkpoints, token files and the log")
    parser.add_argument("--preset", default="mini", choices=list(PRESETS), help="shape of the model")
    parser.add_argument("--config", type=Path, metavar="FILE", help="config.json with the shape, instead of --preset")
    parser.add_argument("--tokenizer", default="bpe", choices=("bpe", "char"), help="trained on the corpus")
    parser.add_argument("--vocab-size", type=int, default=4096, help="entries of a bpe vocabulary")
    parser.add_argument("--dropout", type=float, default=0.0, help="on embeddings and residual branches")
    parser.add_argument("--dtype", default="fp16", choices=list(_DTYPES), help="of the saved weights")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--resume", action="store_true", help="continue from the last checkpoint in --run")
    types = {
        "max_steps": int,
        "batch_size": int,
        "accumulation_steps": int,
        "warmup_steps": int,
        "seed": int,
        "eval_every": int,
    }
    for field in fields(TrainingConfig):
        kind = types.get(field.name, str if field.name in ("schedule", "precision") else float)
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=kind, default=field.default, help=" ")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Runs the training that the command line describes; returns the exit status."""
    options = parse_arguments(arguments)
    try:
        _keep_freed_memory()
        return _train(options)
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _train(options: argparse.Namespace) -> int:
    config = TrainingConfig(**{field.name: getattr(options, field.name) for field in fields(TrainingConfig)})
    corpora = [_with_weight(text) for text in options.corpus or []]
    options.run.mkdir(parents=True, exist_ok=True)
    if options.repeated:
        tokenizer: Tokenizer = CharTokenizer(options.repeated)
    else:
        tokenizer = _tokenizer(options, [path for path, _ in corpora])
    shape = replace(
        _shape(options),
        vocab_size=tokenizer.vocab_size,
        embd_pdrop=options.dropout,
        resid_pdrop=options.dropout,
        attn_pdrop=0.0,
    )
    torch.manual_seed(config.seed)
    model = GPT(shape).to(options.device)
    size = {"window": shape.n_positions, "batch_size": config.batch_size}
    if options.repeated:
        data: Batches = RepeatedSequences(tokenizer.vocab_size, periods=tuple(options.periods), **size)
    else:
        sources = [Source(token_file(path, tokenizer, options.run / "tokens"), weight) for path, weight in corpora]
        data = RandomWindows(sources, **size)
    validation = list(encoded_documents(options.valid, tokenizer)) if options.valid else []
    trainer = Trainer(model, config, data, validation=validation, start_id=tokenizer.end_id or 0)
    if options.resume and (options.run / "last" / "state.json").is_file():
        trainer.resume(options.run / "last")
    with (options.run / "log.jsonl").open("a", encoding="utf-8") as log:
        best = _follow(trainer, options, log)
    made = {
        "steps": trainer.step,
        "seconds": round(trainer.elapsed),
        "tokens": _n_tokens(trainer),
        "settings": config.to_dict(),
    }
    if best is not None:
        made["valid_bits_per_byte"] = round(best, 4)
    save_folder(options.out, model.eval(), tokenizer, dtype=_DTYPES[options.dtype], metadata=made)
    print(f"saved {options.out}")
    return 0


def _follow(trainer: Trainer, options: argparse.Namespace, log) -> float | None:
    """Prints and logs the events, and checkpoints; returns the last score in bits per byte.

    Ctrl-C (or SIGTERM) takes effect between two updates: the checkpoint is written, then the run ends.
    """
    last, saved, interrupted = None, time.monotonic(), []
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: interrupted.append(True))
    for event in trainer.events():
        if isinstance(event, EvalEvent):
            last = event.score.bits_per_byte
            print(
                f"step {event.step}: held-out {last:.4f} bits per byte, perplexity {event.score.perplexity:.2f}",
                flush=True,
            )
            log.write(
                json.dumps({"step": event.step, "bits_per_byte": last, "perplexity": event.score.perplexity}) + "\n"
            )
        elif isinstance(event, StepEvent):
            log.write(json.dumps(event.__dict__) + "\n")
            if event.step % 50 == 0:
                rate = event.n_tokens / event.elapsed
                print(
                    f"step {event.step}  loss {event.loss:.3f}  lr {event.learning_rate:.2e}  "
                    f"norm {event.grad_norm:.2f}  {rate:,.0f} tok/s  {event.elapsed:,.0f} s",
                    flush=True,
                )
        elif isinstance(event, EndEvent):
            print(
                f"the {event.reason} are used up after {event.step} steps" if event.reason == "steps" else "time is up"
            )
        if interrupted or time.monotonic() - saved > trainer.config.checkpoint_every or isinstance(event, EndEvent):
            trainer.save(options.run / "last")
            log.flush()
            saved = time.monotonic()
        if interrupted:
            raise TrainingError(f"Stopped after {trainer.step} steps. The same command with --resume goes on.")
    return last


def _tokenizer(options: argparse.Namespace, paths: list[str]) -> Tokenizer:
    """Trained on the corpora once, then kept in the run folder, so that a resumed run has the same ids."""
    folder = options.run / "tokenizer"
    if (folder / "tokenizer.json").is_file():
        return load_tokenizer(folder)
    documents = [document for path in paths for document in read_documents(path)]
    trained: Tokenizer
    if options.tokenizer == "char":
        trained = CharTokenizer.train("".join(documents))
    else:
        trained = ByteBPE.train(documents, vocab_size=options.vocab_size, name=options.out.name)
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


def _n_tokens(trainer: Trainer) -> int:
    return trainer.step * trainer.config.accumulation_steps * trainer.data.batch_size * trainer.data.window


def _keep_freed_memory() -> None:
    """Lets glibc keep freed blocks: a step frees and takes the same large tensors, and returning them to the
    system in between makes every page fault anew (measured: 8.1k against 11.2k tokens/s for the mini)."""
    if sys.platform != "linux":
        return
    m_trim_threshold, m_top_pad, m_mmap_max = -1, -2, -4
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(m_mmap_max, 0)
        libc.mallopt(m_trim_threshold, 2**31 - 1)
        libc.mallopt(m_top_pad, 256 * 2**20)
    except (OSError, AttributeError):  # another libc: slower, not wrong
        return


if __name__ == "__main__":
    raise SystemExit(main())
