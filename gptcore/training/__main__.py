"""Trains a model from the shell: `python -m gptcore.training --help`; under `torchrun`, in several
processes.
"""

import json
import math
import shutil
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from gptcore.config import PRESETS, GPTConfig
from gptcore.corpora import CORPORA, corpus, read_documents
from gptcore.errors import CheckpointError, GPTCoreError, TokenizerError, TrainingError
from gptcore.inference.scoring import TextScore, score_documents
from gptcore.language_model import load
from gptcore.machine import avoid_hidden_tiles, keep_freed_memory, keep_to_quota
from gptcore.model import GPT, random_model
from gptcore.tokenizers import ByteBPE, CharTokenizer, Tokenizer, load_tokenizer
from gptcore.training import data
from gptcore.training.arguments import DTYPES, parse_arguments
from gptcore.training.config import TrainingConfig, faster_precision
from gptcore.training.distributed import Workers, leader_first, leave, workers_from_environment
from gptcore.training.loop import EndEvent, EvalEvent, Objective, StepEvent, Trainer, TrainingEvent
from gptcore.weights.checkpoint import save_folder
from gptcore.weights.hf_format import OWN_MODEL_TYPE, config_from_hf

MakeObjective = Callable[[GPT, Tokenizer], Objective | None] | None
Mix = Callable[[data.Batches, Tokenizer], data.Batches] | None

_LINE_EVERY = 50  # updates
_CHECKPOINT = "last.safetensors"
_LOG = "log.jsonl"
_TOKENIZER = "tokenizer"


def main(arguments: list[str] | None = None) -> int:
    """Runs the training that the command line describes; returns the exit status."""
    return run(parse_arguments(arguments))


def run(options: Namespace, make_objective: MakeObjective = None, mix: Mix = None) -> int:
    """Runs the training that the options describe; returns the exit status, errors are sentences on
    stderr.

    Args:
        options: of `gptcore.training.arguments`.
        make_objective: builds the loss function from the model and its tokenizer; None for the
            model's own.
        mix: changes the batches that are trained on.
    """
    try:
        keep_freed_memory()
        keep_to_quota()
        avoid_hidden_tiles()
        with workers_from_environment(device=options.device) as workers:
            return _train(options, make_objective, mix, workers)
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except OSError as error:  # such as a full disk; the last checkpoint is intact
        print(
            f"error: {error.filename or 'a file'} cannot be written or read ({error.strerror}).",
            file=sys.stderr,
        )
        return 1


def _train(
    options: Namespace, make_objective: MakeObjective, mix: Mix, workers: Workers | None
) -> int:
    base = load(options.from_model) if options.from_model else None
    shape = base.model.config if base is not None else _shape(options)
    config = _config(options)
    leader = workers is None or workers.rank == 0
    checkpoint = options.work_dir / _CHECKPOINT
    if leader:
        _make_room(options)
    with leader_first(workers):  # it builds the tokenizer and the token files
        sources, held_out, tokenizer = _texts(options, None if base is None else base.tokenizer)
    dropout = {
        "embd_pdrop": options.dropout,
        "resid_pdrop": options.dropout,
        "attn_pdrop": options.attention_dropout,
    }
    shape = replace(shape, vocab_size=tokenizer.vocab_size, **dropout)
    batches = _batches(options, sources, tokenizer, shape, config)
    if options.noise:
        batches = data.UnigramNoise(batches, share=options.noise)
    batches = batches if mix is None else mix(batches, tokenizer)
    if options.epochs is not None:
        tokens = sum(len(source.tokens) for source in sources)
        per_update = shape.n_positions * config.batch_size * config.accumulation_steps
        config = replace(config, max_steps=max(1, math.ceil(options.epochs * tokens / per_update)))
    model = random_model(shape, config.seed)
    if base is not None:
        model.load_state_dict(base.model.state_dict())
    model.to(options.device if workers is None else workers.device)
    documents = data.encoded(held_out, tokenizer)
    start = tokenizer.end_id or 0
    score = (lambda: score_documents(model, documents, start_id=start)) if documents else None
    loss = None if make_objective is None else make_objective(model, tokenizer)
    compiled = options.compile
    trainer = Trainer(
        model, config, batches, evaluate=score, objective=loss, workers=workers, compiled=compiled
    )
    if options.resume and checkpoint.is_file():
        trainer.resume(checkpoint)
    elif options.resume and leader:
        print(
            f"There is no checkpoint in {options.work_dir} to resume from: starting at step 0.",
            flush=True,
        )
    last = _follow(trainer, model, tokenizer, options, leader)
    if leader:
        _save(trainer, model, tokenizer, options, last)
    return 0


def _config(options: Namespace) -> TrainingConfig:
    """The training config from the command line; precision "auto" picks this machine's."""
    given = {field.name: getattr(options, field.name) for field in fields(TrainingConfig)}
    if given["precision"] == "auto":
        given["precision"] = faster_precision(options.device)
    return TrainingConfig(**given)


def _make_room(options: Namespace) -> None:
    """Creates the run folder; with --overwrite, deletes an earlier run there."""
    if (options.work_dir / _CHECKPOINT).is_file() and not (options.resume or options.overwrite):
        raise TrainingError(
            f"{options.work_dir} holds an earlier run. Give the same command with --resume to "
            "go on with it, with --overwrite to begin again, or choose another --work-dir."
        )
    options.work_dir.mkdir(parents=True, exist_ok=True)
    if options.overwrite:
        for file in (_CHECKPOINT, _LOG):
            (options.work_dir / file).unlink(missing_ok=True)
        for folder in (_TOKENIZER, "tokens", "best", "snapshots"):
            shutil.rmtree(options.work_dir / folder, ignore_errors=True)


def _save(
    trainer: Trainer, model: GPT, tokenizer: Tokenizer, options: Namespace, score: TextScore | None
) -> None:
    made = {
        "steps": trainer.step,
        "seconds": round(trainer.elapsed),
        "settings": asdict(trainer.config),
    }
    made["tokens"] = trainer.step * trainer.tokens_per_update
    if score is not None:
        made["valid_bits_per_byte"] = round(score.bits_per_byte, 4)
    save_folder(options.out, model.eval(), tokenizer, dtype=DTYPES[options.dtype], metadata=made)
    print(f"saved {options.out}")


def _follow(
    trainer: Trainer, model: GPT, tokenizer: Tokenizer, options: Namespace, leader: bool
) -> TextScore | None:
    """Reports the events, checkpoints, and keeps the best model; returns the last score.

    Ctrl-C (or SIGTERM) takes effect between two updates: the checkpoint is written, then the run
    ends.
    """
    config = trainer.config
    interrupted = []
    total = config.max_steps if config.time_budget is None else None
    report = _Reporter(options.work_dir / _LOG, total=total) if leader else None
    keeper = _Keeper(options, model, tokenizer) if leader else None
    last = None
    saved = time.monotonic()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: interrupted.append(True))
    for event in trainer.events():
        if report is not None:
            report(event)
        if keeper is not None:
            keeper(event)
        if isinstance(event, EvalEvent):
            last = event.score
        stop = bool(interrupted)
        due = time.monotonic() - saved > config.checkpoint_every
        if trainer.workers is not None:  # all processes must save and stop at the same update
            stop, due = (value > 0 for value in trainer.workers.mean([float(stop), float(due)]))
        if stop or due:
            trainer.save(options.work_dir / _CHECKPOINT)
            saved = time.monotonic()
        if stop:
            if report is not None:
                report.close()
            raise TrainingError(
                f"Stopped after {trainer.step} steps. The same command with --resume goes on."
            )
    trainer.save(options.work_dir / _CHECKPOINT)
    return last


class _Reporter:
    """Reports a run's events: with a progress bar in a terminal, elsewhere with an occasional line;
    all in the log.
    """

    def __init__(self, log: Path, *, total: int | None) -> None:
        # a line is on disk even if the run is killed
        self._log = log.open("a", encoding="utf-8", buffering=1)
        self._bar = (
            tqdm(total=total, unit="update", dynamic_ncols=True) if sys.stderr.isatty() else None
        )

    def __call__(self, event: TrainingEvent) -> None:
        if isinstance(event, StepEvent):
            self._step(event)
        elif isinstance(event, EvalEvent):
            loss = event.score.loss
            bits = event.score.bits_per_byte
            perplexity = event.score.perplexity
            self._say(
                f"step {event.step}: held-out {bits:.4f} bits per byte, perplexity {perplexity:.2f}"
            )
            self._write(
                {
                    "step": event.step,
                    "valid_loss": loss,
                    "bits_per_byte": bits,
                    "perplexity": perplexity,
                }
            )
        elif isinstance(event, EndEvent):
            self._say(
                f"the steps are used up after {event.step}"
                if event.reason == "steps"
                else "time is up"
            )
            self.close()

    def close(self) -> None:
        """Flushes and closes the outputs. Safe to call twice."""
        self._log.flush()
        if self._bar is not None:
            self._bar.close()

    def _step(self, event: StepEvent) -> None:
        self._write(event.__dict__)
        rate = event.n_tokens / max(1e-9, event.elapsed)
        if self._bar is not None:
            self._bar.n = event.step
            self._bar.set_postfix_str(f"loss {event.loss:.3f}, {rate:,.0f} tok/s")
        elif event.step % _LINE_EVERY == 0:
            took = f"norm {event.grad_norm:.2f}  {rate:,.0f} tok/s  {event.elapsed:,.0f} s"
            self._say(
                f"step {event.step}  loss {event.loss:.3f}  lr {event.learning_rate:.2e}  {took}"
            )

    def _say(self, line: str) -> None:
        tqdm.write(line) if self._bar is not None else print(line, flush=True)

    def _write(self, row: dict[str, Any]) -> None:
        self._log.write(json.dumps(row) + "\n")


class _Keeper:
    """Saves snapshots after the requested updates, and the best model so far."""

    def __init__(self, options: Namespace, model: GPT, tokenizer: Tokenizer) -> None:
        self._options = options
        self._model = model
        self._tokenizer = tokenizer
        self._best = math.inf

    def __call__(self, event: TrainingEvent) -> None:
        if event.step in self._options.snapshots and not isinstance(event, EndEvent):
            self._keep(f"snapshots/step-{event.step:06d}", {"steps": event.step})
        if isinstance(event, EvalEvent) and event.step and event.score.loss < self._best:
            self._best = event.score.loss
            self._keep(
                "best",
                {"steps": event.step, "valid_bits_per_byte": round(event.score.bits_per_byte, 4)},
            )

    def _keep(self, folder: str, made: dict[str, int | float]) -> None:
        dtype = DTYPES[self._options.dtype]
        save_folder(
            self._options.work_dir / folder,
            self._model,
            self._tokenizer,
            dtype=dtype,
            metadata=made,
        )


def _texts(
    options: Namespace, known: Tokenizer | None
) -> tuple[list[data.Source], list[str], Tokenizer]:
    """(what to train on, held-out documents, the tokenizer, which is the known one if there is
    one).
    """
    if options.repeated:
        return [], [], CharTokenizer(options.repeated)
    named = [_with_weight(text) for text in options.corpus]
    for name in options.from_beginnings or ():
        if name not in dict(named):
            raise TrainingError(f"--from-beginnings names {name}, which is not one of the corpora.")
    token_files = {name: _tokens_in(name) for name, _ in named if name.endswith(".npy")}
    texted = [name for name, _ in named if name not in token_files]
    texts = {name: corpus(name) if name in CORPORA else read_documents(name) for name in texted}
    held_out: list[str] = read_documents(options.valid) if options.valid else []
    if options.hold_out is not None:
        if not 0 < options.hold_out <= 0.5:
            raise TrainingError(
                f"--hold-out is {options.hold_out}; give a share above 0 and at most 0.5."
            )
        parts = {
            name: data.split(documents, share=options.hold_out) for name, documents in texts.items()
        }
        texts = {name: part[0] for name, part in parts.items()}
        held_out = [text for part in parts.values() for text in part[1]]
    # A subword vocabulary must not see the held-out text; an alphabet must cover the characters of
    # its own corpus.
    alphabet = held_out if options.tokenizer == "char" and options.hold_out is not None else []
    tokenizer = known or _tokenizer(options, [*chain(*texts.values()), *alphabet])
    cache = options.work_dir / "tokens"
    sources = list[data.Source]()
    for name, weight in named:
        of_text = name in texts
        tokens = (
            data.token_file(texts[name], tokenizer, cache, name=Path(name).stem)
            if of_text
            else token_files[name]
        )
        sources.append(data.Source(tokens, weight, _starts_after(options, name, tokenizer)))
    return sources, held_out, tokenizer


def _starts_after(options: Namespace, name: str, tokenizer: Tokenizer) -> int | None:
    """The token after which training sequences of this corpus begin; None where they begin
    anywhere.
    """
    chosen = options.from_beginnings
    if chosen is None or (chosen and name not in chosen):
        return None
    if tokenizer.end_id is None:
        raise TrainingError(
            "--from-beginnings needs a vocabulary with an end-of-text token; this one has none."
        )
    return tokenizer.end_id


def _tokens_in(path: str) -> np.ndarray:
    """The ids of a token file, memory-mapped. Raises TrainingError when it holds none."""
    try:
        tokens = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise TrainingError(f"{path} is not a file of token ids ({error}).") from None
    if tokens.ndim != 1 or tokens.dtype.kind not in "ui":
        raise TrainingError(
            f"{path} holds {tokens.dtype} of shape {list(tokens.shape)}; one row of ids is needed."
        )
    return tokens


def _batches(
    options: Namespace,
    sources: list[data.Source],
    tokenizer: Tokenizer,
    shape: GPTConfig,
    config: TrainingConfig,
) -> data.Batches:
    window = shape.n_positions
    batch_size = config.batch_size
    if options.repeated:
        periods = (options.periods[0], options.periods[1])
        return data.RepeatedSequences(
            tokenizer.vocab_size, window=window, batch_size=batch_size, periods=periods
        )
    return data.RandomWindows(sources, window=window, batch_size=batch_size)


def _tokenizer(options: Namespace, documents: list[str]) -> Tokenizer:
    """Trained on the texts once, then kept in the run folder, so that a resumed run has the same
    ids.
    """
    if options.tokenizer not in ("bpe", "char"):
        try:
            return load_tokenizer(options.tokenizer)
        except TokenizerError as error:
            raise TrainingError(
                f"--tokenizer takes bpe, char, gpt2, gpt1 or a folder. {error}"
            ) from None
    folder = options.work_dir / _TOKENIZER
    if (folder / "tokenizer.json").is_file():
        return load_tokenizer(folder)
    bpe = {
        "vocab_size": options.vocab_size,
        "name": options.out.name,
        "digits_apart": options.digits_apart,
    }
    char = options.tokenizer == "char"
    trained = CharTokenizer.train("".join(documents)) if char else ByteBPE.train(documents, **bpe)
    folder.mkdir(parents=True, exist_ok=True)
    trained.save(folder)
    return trained


def _with_weight(text: str) -> tuple[str, float]:
    path, _, weight = text.rpartition("=")
    try:
        return (path, float(weight)) if path else (text, 1.0)
    except ValueError:
        return text, 1.0


def _shape(options: Namespace) -> GPTConfig:
    """The shape that was asked for. Raises TrainingError or ConfigError for a file that holds
    none.
    """
    if options.config is None:
        return PRESETS[options.preset]
    try:
        values = json.loads(options.config.read_text(encoding="utf-8"))
        return config_from_hf({"model_type": OWN_MODEL_TYPE, **values})
    except (OSError, ValueError, AttributeError, TypeError, CheckpointError) as error:
        raise TrainingError(
            f"{options.config} holds no shape that can be trained ({error})."
        ) from None


if __name__ == "__main__":
    leave(main())
