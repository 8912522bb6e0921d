"""From the Train tab's form to a checked plan: text, tokenizer, shape, schedule, and what is broken on purpose."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from gptcore.analysis import activation_bytes, count_parameters, optimizer_bytes, weight_bytes
from gptcore.config import GPTConfig
from gptcore.errors import TokenizerError
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, evaluating, random_model
from gptcore.scoring import score_windows
from gptcore.tokenizers import CharTokenizer, Tokenizer
from gptcore.training import (
    Batches,
    OneBatch,
    RandomWindows,
    RepeatedSequences,
    Source,
    TrainingConfig,
    generator_for,
)
from gptcore.training.config import OptimizerName
from gptcore.training.precision import faster_precision
from gptcore.training.recording import Watched, snapshot
from gptcore.zero_shot.evaluation import Trial, make_trial
from gptcore.zero_shot.tasks import TASKS
from ui.handlers import inputs
from ui.handlers.inputs import InputError
from ui.handlers.train.texts import REPEATED, REPEATED_CHARACTERS, Preparations, Prepared, find_text, labels
from ui.runs import Plan
from ui.services import Services

# How long a run is: seconds, "cap" for as long as the server allows, "steps" for a number of updates.
LENGTHS = ("30", "60", "120", "cap", "steps")
FIELDS = (
    "corpus", "written", "file", "data_set", "tokenizer", "vocab_size", "n_layer", "n_head", "n_embd", "n_positions",
    "batch_size", "length", "max_steps", "optimizer", "learning_rate", "warmup_steps", "seed", "prompt", "trick", "tasks",
)  # fmt: skip

_TEXT: dict[str, Any] = {
    "corpus": "anthology", "written": "", "file": None, "data_set": "", "tokenizer": "char", "vocab_size": 512,
    "n_layer": 4, "n_head": 4, "n_embd": 128, "n_positions": 64, "batch_size": 32, "length": "30", "max_steps": 1000,
    "optimizer": "muon", "learning_rate": 3e-3, "warmup_steps": 50, "seed": 1, "prompt": "The ", "trick": "none", "tasks": False,
}  # fmt: skip
PRESETS: dict[str, dict[str, Any]] = {
    "30 seconds, letters": _TEXT,
    "2 minutes, letters": {**_TEXT, "length": "120", "warmup_steps": 100},
    "2 minutes, word pieces": {**_TEXT, "length": "120", "tokenizer": "bpe", "warmup_steps": 100},
    "Tasks appear": {
        **_TEXT, "corpus": "world", "tokenizer": "bpe", "vocab_size": 2048, "n_positions": 128, "batch_size": 24,
        "length": "120", "warmup_steps": 100, "tasks": True, "prompt": "Review: The film was",
    },
    "The lesson's 4 layers x 128": {
        **_TEXT, "corpus": "python_reference", "length": "60", "batch_size": 16, "optimizer": "adamw",
        "learning_rate": 1e-3, "warmup_steps": 100,
    },
    "Induction heads form": {
        **_TEXT, "corpus": REPEATED, "n_layer": 2, "n_embd": 64, "batch_size": 64, "length": "60",
        "optimizer": "adamw", "learning_rate": 1e-3,
        "warmup_steps": 0, "seed": 0, "prompt": "kitten kitten kitt",
    },
}  # fmt: skip

OPTIMIZERS: dict[OptimizerName, str] = {"adamw": "AdamW", "muon": "Muon"}
# Muon's steps are larger than AdamW's: one control moves both. tests/benchmarks/presets.py compares.
_MUON_RATIO = 7.0

_WATCHED_TASKS = ("sentiment", "cloze", "analogy", "question", "translate")
_WATCHED_ITEMS = 24

# What another tab can send here.
SENT = ("n_layer", "n_head", "n_embd", "n_positions")

# What can be broken on purpose: (label, what to expect and why).
TRICKS: dict[str, tuple[str, str]] = {
    "none": ("nothing", ""),
    "no_warmup": ("no warm-up", "The first updates are the largest, while AdamW knows least about the size of the gradient. Watch the gradient norm of the first steps: small models survive this, large ones often do not."),
    "lr_x100": ("learning rate × 100", "Every step overshoots. The loss gets stuck near the unigram baseline: the model learns which letters are frequent, and nothing more. In larger models the loss can become NaN; the run then stops and keeps the last good model."),
    "no_positions": ("no positions", "Without position embeddings a token knows what stands before it, but only the causal mask hints at the order. The loss ends higher."),
    "no_mask": ("no causal mask", "Every token sees the next one, so the model copies instead of predicting: the training loss falls towards 0, and the sample is junk, since there is nothing to copy when it writes."),
    "no_scaling": ("no residual scaling", "The projections into the residual stream start at full size instead of 1/√(2L) of it. In a few layers the effect is small: the first gradient norms are larger."),
    "one_batch": ("one batch only", "The same batch again and again: the training loss falls to 0 while the held-out loss turns up. It memorises the batch, which also shows that the code can learn."),
    "post_norm": ("post-norm, no warm-up", "GPT-1's order, norm after each sum, without a warm-up. With larger initial weights than these, post-norm's gradients are large near the output at first (Xiong et al. 2020), which is why it is trained with one. In a few layers it is only slower; deep models can get stuck."),
}  # fmt: skip


def make_plan(services: Services, texts: Preparations, values: dict[str, Any]) -> Plan:
    """The plan of a run from scratch.

    Args:
        services: for its limits.
        texts: keeps prepared texts.
        values: the form, by FIELDS.

    Raises:
        GPTCoreError: a field that cannot be used, with its value, the limit and the way out.
    """
    trick = values["trick"]
    if not isinstance(trick, str) or trick not in TRICKS:
        raise InputError(f"{str(trick)[:40]!r} is not a “break it” option. Choose {', '.join(TRICKS)}.")
    shape, config = _shape(values), schedule(services, values, trick)
    if values["corpus"] == REPEATED:
        return _repeated_plan(services, values, shape, config, trick)
    kind = values["tokenizer"]
    if kind not in ("char", "bpe"):
        raise InputError(f"The tokenizer is {str(kind)[:40]!r}; choose char or bpe.")
    vocab_size = inputs.whole(values["vocab_size"], "The vocabulary", low=257, high=16_384) if kind == "bpe" else 0
    text = _text(services, values)
    prepared = texts.get(text.documents, tokenizer=None, kind=kind, vocab_size=vocab_size)
    config = replace(config, precision=faster_precision(shape["n_embd"], config.batch_size * shape["n_positions"]))
    made = _broken(GPTConfig(**shape, vocab_size=prepared.tokenizer.vocab_size, **_PLAIN), trick)
    check_size(services, made, config)
    title = f"{text.title} · {_size(made)} · {'letters' if kind == 'char' else f'{made.vocab_size} pieces'}"
    data: Batches = RandomWindows([Source(prepared.train)], window=made.n_positions, batch_size=config.batch_size)
    return _text_plan(
        title, lambda: random_model(made, config.seed), made, prepared, OneBatch(data) if trick == "one_batch" else data,
        config, values, text.note,
    )  # fmt: skip


def tuning_plan(services: Services, texts: Preparations, lm: LanguageModel, values: dict[str, Any]) -> Plan:
    """The plan of training a model further on a text, with its own tokenizer; fields as in make_plan.

    Raises:
        GPTCoreError: as make_plan, or a text with characters that the model does not know.
    """
    text = _text(services, values)
    config = schedule(services, values, "none")
    shape = lm.model.config
    prepared = texts.get(text.documents, tokenizer=lm.tokenizer, kind="", vocab_size=0)
    shortest = min(len(prepared.train), len(prepared.valid)) - 1
    window = min(inputs.whole(values["n_positions"], "The window", low=4, high=8192), shape.n_positions, shortest)
    config = replace(config, precision=faster_precision(shape.n_embd, config.batch_size * window))
    check_size(services, replace(shape, n_positions=window), config)
    data = RandomWindows([Source(prepared.train)], window=window, batch_size=config.batch_size)
    title = f"{lm.name} tuned on {text.title}"
    return _text_plan(
        title,
        lambda: snapshot(lm.model).requires_grad_(True),
        replace(shape, n_positions=window),
        prepared,
        data,
        config,
        values,
        text.note,
    )


def tuning_values(values: dict[str, Any]) -> dict[str, Any]:
    """The fine-tuning form with what it leaves to the model, or fixes: a short warm-up and the first seed."""
    return {**_TEXT, "tokenizer": "", "optimizer": "adamw", "warmup_steps": 20, "seed": 1, "trick": "none", **values}


_PLAIN: dict[str, Any] = {"embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}


def _text(services: Services, values: dict[str, Any]) -> Any:
    return find_text(
        services.limits, values["corpus"], written=values["written"], file=values["file"], data_set=values["data_set"],
        offline=services.models.offline,
    )  # fmt: skip


def sent_shape(sizes: Sequence[object]) -> list[int]:
    """A shape from elsewhere, by SENT, as the form takes it. Raises InputError for one that is too large to train here."""
    found = _shape(dict(zip(SENT, sizes, strict=True)))
    return [found[name] for name in SENT]


def _shape(values: dict[str, Any]) -> dict[str, Any]:
    ranges = {
        "n_layer": ("The number of layers", 1, 24), "n_head": ("The number of heads", 1, 32),
        "n_embd": ("The width", 4, 1024), "n_positions": ("The window", 4, 1024),
    }  # fmt: skip
    return {name: inputs.whole(values[name], label, low=low, high=high) for name, (label, low, high) in ranges.items()}


def schedule(services: Services, values: dict[str, Any], trick: str) -> TrainingConfig:
    """The form's length, rates and batch, checked. Raises InputError."""
    length, cap = str(values["length"]), services.limits.training_seconds
    if length not in LENGTHS:
        raise InputError(f"The length is {str(length)[:40]!r}; choose {', '.join(LENGTHS)}.")
    budget = None if length == "steps" else min(cap, float(length) if length != "cap" else cap)
    steps = inputs.whole(values["max_steps"], "The number of steps", low=1, high=1_000_000)
    rate = inputs.number(values["learning_rate"], "The learning rate", low=1e-7, high=10.0)
    warmup = inputs.whole(values["warmup_steps"], "The warm-up", low=0, high=100_000)
    optimizer: OptimizerName | None = next((name for name in OPTIMIZERS if name == values["optimizer"]), None)
    repeated = values["corpus"] == REPEATED
    if optimizer is None:
        raise InputError(f"The optimiser is {str(values['optimizer'])[:40]!r}; choose {' or '.join(OPTIMIZERS)}.")
    rate *= 100 if trick == "lr_x100" else 1
    return TrainingConfig(
        max_steps=steps if budget is None else 10_000_000,
        time_budget=budget,
        batch_size=inputs.whole(values["batch_size"], "The batch", low=1, high=512),
        optimizer=optimizer,
        learning_rate=rate,
        muon_learning_rate=_MUON_RATIO * rate,
        warmup_steps=0 if trick in ("no_warmup", "post_norm") else warmup,
        schedule="constant" if repeated else "cosine",
        weight_decay=0.0 if repeated else 0.1,
        beta2=0.98 if repeated else 0.95,
        seed=inputs.whole(values["seed"], "The seed", low=0, high=2**31 - 1),
    )


def _broken(shape: GPTConfig, trick: str) -> GPTConfig:
    changes: dict[str, dict[str, Any]] = {
        "no_positions": {"use_positions": False},
        "no_mask": {"causal": False},
        "no_scaling": {"residual_scaling": False},
        "post_norm": {"norm_position": "post"},
    }
    return replace(shape, **changes.get(trick, {}))


def check_size(services: Services, shape: GPTConfig, config: TrainingConfig) -> None:
    """Raises InputError for a model that this server is too small to train."""
    limits, count = services.limits, count_parameters(shape).total
    if count > limits.training_parameters:
        raise InputError(
            f"This model has {count:,} parameters; this server trains at most {limits.training_parameters:,}. "
            "Take fewer layers or a smaller width."
        )
    needed = weight_bytes(shape) + optimizer_bytes(shape)
    needed += activation_bytes(shape, batch_size=config.batch_size, n_tokens=shape.n_positions, attention_maps=True)
    if needed > limits.model_bytes // 4:
        raise InputError(
            f"Training this takes {needed / 1e9:.1f} GB of memory; this server gives a run {limits.model_bytes / 4e9:.1f} GB. "
            "Take a smaller batch, window or width."
        )


def _text_plan(
    title: str, model: Callable[[], GPT], shape: GPTConfig, prepared: Prepared, data: Batches, config: TrainingConfig,
    values: dict[str, Any], note: str,
) -> Plan:  # fmt: skip
    quickly = 8_192 if count_parameters(shape).total < 2_000_000 else 2_048

    def evaluate(now: GPT, whole: bool) -> tuple[float, float]:
        most = 200_000 if whole else quickly
        return score_windows(now, prepared.valid, n_bytes=prepared.valid_bytes, most=most).loss, math.nan

    tokenizer = prepared.tokenizer
    instead = tokenizer.encode(" ".join(tokenizer.decode(prepared.train[:40].tolist()).split()[:3]))
    prompt = sample_prompt(tokenizer, values["prompt"], shape.n_positions, instead=instead)
    if values["prompt"] and not str(values["prompt"]).endswith(tokenizer.decode(prompt)):
        note = (
            f"{note} The sample prompt has characters that the text lacks; it is {tokenizer.decode(prompt)!r}.".strip()
        )
    looked_at = [int(token) for token in prepared.valid[: min(24, shape.n_positions)]]
    trials = watched_tasks() if inputs.flag(values["tasks"], "Watch tasks") else ()
    n_new = 100 if tokenizer.kind == "char" else 40
    watched = Watched(prompt, seed=config.seed, n_new=n_new, looked_at=looked_at, trials=trials)
    about = {
        "tasks": {trial.task: TASKS[trial.task].title for trial in trials},
        "kind": "text", "lines": prepared.lines, "tokens_per_character": prepared.tokens_per_character,
        "n_train": len(prepared.train), "n_valid": len(prepared.valid), "note": note,
    }  # fmt: skip
    return Plan(title, model, tokenizer, data, config, evaluate, watched, {**about, **about_run(title, shape, config, values, watched, tokenizer)})  # fmt: skip


def watched_tasks() -> list[Trial]:
    """What a run is asked at every snapshot: a few items of the tasks that a small model can learn."""
    return [make_trial(task, n_items=_WATCHED_ITEMS) for task in _WATCHED_TASKS]


def _repeated_plan(
    services: Services, values: dict[str, Any], shape: dict[str, Any], config: TrainingConfig, trick: str
) -> Plan:
    tokenizer = CharTokenizer(REPEATED_CHARACTERS)
    made = _broken(
        GPTConfig(**shape, vocab_size=tokenizer.vocab_size, use_mlp=False, tie_word_embeddings=False, **_PLAIN), trick
    )
    check_size(services, made, config)
    window = made.n_positions
    if window < 16:
        raise InputError(f"The window is {window}; sequences that repeat need at least 16.")
    longest = min(32, window // 2)
    data: Batches = RepeatedSequences(
        tokenizer.vocab_size, window=window, batch_size=config.batch_size, periods=(min(8, longest), longest)
    )
    fresh, targets = RepeatedSequences(
        tokenizer.vocab_size, window=window, batch_size=32, periods=(min(8, longest), longest)
    ).draw(0, config.seed + 1)

    def evaluate(now: GPT, _: bool) -> tuple[float, float]:
        with torch.inference_mode(), evaluating(now):
            logits = now(fresh).logits[:, longest:]  # from here on, every token has been seen before
            return float(F.cross_entropy(logits.flatten(0, 1), targets[:, longest:].flatten())), math.nan

    prompt = sample_prompt(tokenizer, values["prompt"], window)
    drawn = torch.randint(tokenizer.vocab_size, (12,), generator=generator_for(config.seed, "looked at")).tolist()
    watched = Watched(prompt, seed=config.seed, n_new=min(60, window), looked_at=drawn + drawn)
    title = f"Repeated sequences · {_size(made)} · attention only"
    about = {
        "kind": "repeated", "lines": {"uniform": math.log(tokenizer.vocab_size)}, "tokens_per_character": 1.0,
        "n_train": 0, "n_valid": int(np.prod(targets.shape)), "note": "",
    }  # fmt: skip
    about |= about_run(title, made, config, values, watched, tokenizer)
    data = OneBatch(data) if trick == "one_batch" else data
    return Plan(title, lambda: random_model(made, config.seed), tokenizer, data, config, evaluate, watched, about)


def sample_prompt(tokenizer: Tokenizer, value: object, window: int, *, instead: Sequence[int] = (0,)) -> list[int]:
    """The ids of the sample prompt, as much of its end as leaves room to write.

    Characters that the tokenizer does not know are left out; if nothing is left, `instead` is the prompt.
    """
    prompt = inputs.text(value, "The sample prompt", most=500)
    try:
        ids = tokenizer.encode(prompt)
    except TokenizerError:
        ids = [token for character in prompt for token in _known(tokenizer, character)]
    return ids[-max(1, window // 2) :] or list(instead)


def _known(tokenizer: Tokenizer, character: str) -> list[int]:
    try:
        return tokenizer.encode(character)
    except TokenizerError:
        return []


def about_run(
    title: str, shape: GPTConfig, config: TrainingConfig, values: dict[str, Any], watched: Watched, tokenizer: Tokenizer
) -> dict[str, Any]:
    """What the page says of any run: title, settings by their plain names, sizes, the prompt and the looked-at tokens."""
    trick = values["trick"] if values["trick"] in TRICKS else "none"
    settings = {
        "text": title.split(" · ")[0], "tokenizer": tokenizer.kind, "vocabulary": shape.vocab_size, "layers": shape.n_layer,
        "heads": shape.n_head, "width": shape.n_embd, "window": shape.n_positions, "batch": config.batch_size,
        "optimiser": OPTIMIZERS[config.optimizer], "learning rate": config.learning_rate, "warm-up": config.warmup_steps, "seed": config.seed,
        "length": f"{config.max_steps:,} steps" if config.time_budget is None else f"{config.time_budget:g} s",
        "broken": TRICKS[trick][0],
    }  # fmt: skip
    return {
        "title": title, "settings": settings, "trick": trick, "why": TRICKS[trick][1], "V": shape.vocab_size,
        "parameters": count_parameters(shape).total, "prompt": tokenizer.decode(watched.prompt),
        "tokens": labels(tokenizer, watched.looked_at), "L": shape.n_layer, "H": shape.n_head,
        "time_budget": config.time_budget, "max_steps": config.max_steps, "precision": config.precision,
        "tokens_per_step": config.batch_size * shape.n_positions,
    }  # fmt: skip


def _size(shape: GPTConfig) -> str:
    return f"{shape.n_layer} × {shape.n_embd}"
