"""Builds training plans from the Train tab's forms: text, tokenizer, model, data, and
evaluation.
"""

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F

from gptcore.analysis import activation_bytes, count_parameters, optimizer_bytes, weight_bytes
from gptcore.config import GPTConfig
from gptcore.errors import TokenizerError
from gptcore.inference.scoring import scoring_windows
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, evaluating, random_model
from gptcore.tokenizers import CharTokenizer, Tokenizer, describe_token
from gptcore.training import (
    Batches,
    OneBatch,
    RandomWindows,
    RepeatedSequences,
    Source,
    TrainingConfig,
    UnigramNoise,
    generator_for,
)
from gptcore.weights.hf_format import clone
from gptcore.zero_shot.evaluation import Trial
from gptcore.zero_shot.items import make_trial
from gptcore.zero_shot.tasks import TASKS
from ui.lenses.train.handlers.forms import TrainForm, TuneForm
from ui.lenses.train.handlers.presets import SHAPE, WATCHED_ITEMS
from ui.lenses.train.handlers.texts import REPEATED, REPEATED_CHARACTERS, TrainingText, find_text
from ui.runs.dataset_cache import Prepared, completed, is_quick, prepare
from ui.runs.plan import Plan, Preparation, Scoring
from ui.runs.run_state import RunFacts, RunKind
from ui.runs.snapshot import SnapshotPlan
from ui.services import Services
from ui.shared.fields import shown
from ui.shared.inputs import InputError

_WATCHED_TASKS = ("cloze", "question", "summarise")


def make_plan(services: Services, form: TrainForm) -> Plan | Preparation:
    """Plans a run from scratch; a large text is prepared by the run, before its first update.

    Raises:
        GPTCoreError: a text that cannot be used, or a model that is too large for this server.
    """
    if form.corpus == REPEATED:
        return _repeated_plan(services, form)
    text = find_text(services.limits, form)
    documents = tuple(text.documents)
    by_letters = form.tokenizer == "char"
    data = {
        "tokenizer": None,
        "kind": form.tokenizer,
        "vocab_size": 0 if by_letters else form.vocab_size,
    }

    def shape_for(vocab_size: int) -> GPTConfig:
        return replace(_config(form, vocab_size), **form.switches)

    def title_of(shape: GPTConfig) -> str:
        kind = "letters" if by_letters else f"{shape.vocab_size} pieces"
        return f"{text.title} · {_size(shape)} · {kind}"

    def plan() -> Generator[str, None, Plan]:
        data_set = yield from prepare(documents, **data)
        shape = shape_for(data_set.tokenizer.vocab_size)
        model = partial(random_model, shape, form.seed)
        return _text_plan(services, form, title_of(shape), model, shape, data_set, text)

    expected = shape_for(len(set("\n").union(*documents)) if by_letters else form.vocab_size)
    if is_quick(documents, **data):
        return completed(plan())
    return _preparation(services, form, title_of(expected), expected, plan)


def tuning_plan(services: Services, lm: LanguageModel, form: TuneForm) -> Plan | Preparation:
    """Plans the training of a model further on a text, with its own tokenizer; a large text as in
    `make_plan`.

    Raises:
        GPTCoreError: as make_plan, or a text with characters that the model does not know.
    """
    text = find_text(services.limits, form)
    documents = tuple(text.documents)
    title = f"{lm.name} tuned on {text.title}"
    data = {"tokenizer": lm.tokenizer, "kind": "", "vocab_size": 0}

    def shape_for(n_tokens: float) -> GPTConfig:
        window = min(form.n_positions, lm.model.config.n_positions, n_tokens)
        return replace(lm.model.config, n_positions=int(window))

    def plan() -> Generator[str, None, Plan]:
        data_set = yield from prepare(documents, **data)
        shape = shape_for(min(len(data_set.train), len(data_set.valid)) - 1)
        return _text_plan(services, form, title, copy_of(lm), shape, data_set, text)

    if is_quick(documents, **data):
        return completed(plan())
    return _preparation(services, form, title, shape_for(math.inf), plan)


def with_facts(
    plan: Plan | Preparation,
    change: Callable[[RunFacts], RunFacts],
    *,
    model: Callable[[], GPT] | None = None,
) -> Plan | Preparation:
    """Changes the facts of a plan, and what makes its model; of a preparation, also those of the
    plan that it makes.
    """
    facts = change(plan.facts)
    if isinstance(plan, Plan):
        return replace(plan, facts=facts, model=model or plan.model)

    def prepare() -> Generator[str, None, Plan]:
        made = yield from plan.prepare()
        return replace(made, facts=change(made.facts), model=model or made.model)

    return replace(plan, facts=facts, prepare=prepare)


def _preparation(
    services: Services,
    form: TrainForm | TuneForm,
    title: str,
    shape: GPTConfig,
    plan: Callable[[], Generator[str, None, Plan]],
) -> Preparation:
    """A plan that is made when its run begins. Raises InputError for a model that is too large."""
    check_size(services, shape, form.config)
    facts = facts_of(title, "text", shape, form.config, form)
    facts = replace(facts, prompt=form.prompt, tuned=isinstance(form, TuneForm))
    return Preparation(facts, plan, apart=True, seconds=services.limits.training_seconds)


def copy_of(lm: LanguageModel) -> Callable[[], GPT]:
    """Makes a copy that can be trained."""
    return lambda: clone(lm.model).requires_grad_(True)


def lasting(
    config: TrainingConfig, epochs: float | None, updates_an_epoch: float
) -> TrainingConfig:
    """The config for so many passes over the data; None leaves it as it is."""
    return (
        config
        if epochs is None
        else replace(config, max_steps=max(1, round(epochs * updates_an_epoch)))
    )


def _config(form: TrainForm, vocab_size: int) -> GPTConfig:
    # No attention dropout: it would lose the fast path and halve the speed.
    shape = {name: getattr(form, name) for name in SHAPE}
    config = GPTConfig(**shape, vocab_size=vocab_size, attn_pdrop=0.0)
    return replace(config, embd_pdrop=form.dropout, resid_pdrop=form.dropout)


def check_size(services: Services, shape: GPTConfig, config: TrainingConfig) -> None:
    """Raises InputError for a model that this server is too small to train."""
    limits = services.limits
    count = count_parameters(shape).total
    if count > limits.training_parameters:
        raise InputError(
            f"This model has {count:,} parameters; this server trains at most "
            f"{limits.training_parameters:,}. Take fewer layers or a smaller width."
        )
    needed = weight_bytes(shape) + optimizer_bytes(shape)
    needed += activation_bytes(
        shape, batch_size=config.batch_size, n_tokens=shape.n_positions, attention_maps=True
    )
    if needed > limits.model_bytes // 3:
        raise InputError(
            f"Training this takes {needed / 1e9:.1f} GB of memory; this server gives a run "
            f"{limits.model_bytes / 3e9:.1f} GB. Take a smaller batch, window or width."
        )


def _disturbed(form: TrainForm, data: Batches) -> Batches:
    """The batches with a form's noise, or the first of them again and again."""
    data = UnigramNoise(data, share=form.noise) if form.noise else data
    return OneBatch(data) if form.trick == "one_batch" else data


def _text_plan(
    services: Services,
    form: TrainForm | TuneForm,
    title: str,
    model: Callable[[], GPT],
    shape: GPTConfig,
    data_set: Prepared,
    text: TrainingText,
) -> Plan:
    check_size(services, shape, form.config)
    config = replace(form.config, precision=services.precision)
    config = lasting(
        config, form.passes, len(data_set.train) / (config.batch_size * shape.n_positions)
    )
    data: Batches = RandomWindows(
        [Source(data_set.train)], window=shape.n_positions, batch_size=config.batch_size
    )
    data = _disturbed(form, data) if isinstance(form, TrainForm) else data
    tokenizer = data_set.tokenizer
    quickly = 8_192 if count_parameters(shape).total < 2_000_000 else 2_048

    def evaluate(now: GPT, whole: bool) -> Scoring:
        most = 200_000 if whole else quickly
        score = yield from scoring_windows(
            now, data_set.valid, n_bytes=data_set.valid_bytes, most=most
        )
        return score.loss, math.nan

    instead = tokenizer.encode(" ".join(tokenizer.decode(data_set.train[:40].tolist()).split()[:3]))
    wanted = form.prompt
    tasks = isinstance(form, TrainForm) and form.tasks
    note = " ".join(filter(None, [text.note, data_set.note]))
    prompt = sample_prompt(tokenizer, wanted, shape.n_positions, instead=instead)
    if wanted and not wanted.endswith(tokenizer.decode(prompt)):
        notice = (
            "The sample prompt has characters that the text lacks; it is "
            f"{tokenizer.decode(prompt)!r}."
        )
        note = f"{note} {notice}".strip()
    looked_at = [int(token) for token in data_set.valid[: min(24, shape.n_positions)]]
    trials = watched_tasks() if tasks else ()
    n_new = 100 if tokenizer.kind == "char" else 40
    watched = SnapshotPlan(
        prompt, seed=config.seed, n_new=n_new, looked_at=looked_at, trials=trials
    )
    facts = replace(
        with_watched(facts_of(title, "text", shape, config, form), watched, tokenizer),
        lines=data_set.lines,
        tokens_per_character=data_set.tokens_per_character,
        n_train=len(data_set.train),
        n_valid=len(data_set.valid),
        note=note,
        tuned=isinstance(form, TuneForm),
        tasks={trial.task: TASKS[trial.task].title for trial in trials},
    )
    return Plan(facts, model, tokenizer, data, evaluate, watched, keeps_best=facts.tuned)


def watched_tasks() -> list[Trial]:
    """Task items evaluated at every snapshot: a few from each task that a small model can learn."""
    return [make_trial(task, n_items=WATCHED_ITEMS) for task in _WATCHED_TASKS]


def _repeated_plan(services: Services, form: TrainForm) -> Plan:
    tokenizer = CharTokenizer(REPEATED_CHARACTERS)
    config = form.config
    shape = replace(_config(form, tokenizer.vocab_size), use_mlp=False, tie_word_embeddings=False)
    made = replace(shape, **form.switches)
    check_size(services, made, config)
    window = made.n_positions
    if window < 16:
        raise InputError(f"The window is {window}; sequences that repeat need at least 16.")
    longest = min(32, window // 2)
    sequences = partial(
        RepeatedSequences, tokenizer.vocab_size, window=window, periods=(min(8, longest), longest)
    )
    data = _disturbed(form, sequences(batch_size=config.batch_size))
    held_out = sequences(batch_size=32)
    fresh, targets = held_out.draw(0, config.seed + 1)

    def evaluate(now: GPT, _: bool) -> Scoring:
        yield
        with torch.inference_mode(), evaluating(now):
            device = now.wte.weight.device
            # from here on, every token has been seen before
            logits = now(fresh.to(device)).logits[:, longest:]
            seen_before = targets[:, longest:].flatten().to(device)
            return float(F.cross_entropy(logits.flatten(0, 1), seen_before)), math.nan

    prompt = sample_prompt(tokenizer, form.prompt, window)
    drawn = torch.randint(
        tokenizer.vocab_size, (12,), generator=generator_for(config.seed, "looked at")
    ).tolist()
    watched = SnapshotPlan(prompt, seed=config.seed, n_new=min(60, window), looked_at=drawn + drawn)
    title = f"Repeated sequences · {_size(made)} · attention only"
    facts = with_watched(facts_of(title, "repeated", made, config, form), watched, tokenizer)
    facts = replace(facts, n_valid=int(np.prod(targets.shape)), tokens_per_character=1.0)
    return Plan(facts, lambda: random_model(made, config.seed), tokenizer, data, evaluate, watched)


def sample_prompt(
    tokenizer: Tokenizer, prompt: str, window: int, *, instead: Sequence[int] = (0,)
) -> list[int]:
    """The ids of the sample prompt, as much of its end as leaves room to write.

    Characters that the tokenizer does not know are left out; if nothing is left, `instead` is the
    prompt.
    """
    try:
        ids = tokenizer.encode(prompt)
    except TokenizerError:
        ids = list[int]()
        for character in prompt:
            with suppress(TokenizerError):
                ids += tokenizer.encode(character)
    return ids[-max(1, window // 2) :] or list(instead)


def with_watched(facts: RunFacts, watched: SnapshotPlan, tokenizer: Tokenizer) -> RunFacts:
    """Adds what the snapshots of a run record to its facts."""
    tokens = tuple(describe_token(tokenizer, token) for token in watched.looked_at)
    return replace(facts, prompt=tokenizer.decode(watched.prompt), tokens=tokens)


def facts_of(
    title: str, kind: RunKind, shape: GPTConfig, config: TrainingConfig, form: object
) -> RunFacts:
    """Returns the facts that every run has; prompt, tokens, counts and most `lines` are empty.

    Args:
        form: by whose declared fields runs are compared.
    """
    return RunFacts(
        title=title,
        kind=kind,
        settings={**shown(form), "MLPs": "yes" if shape.use_mlp else "no"},
        data=tuple(shown(form, of_data=True).values()),
        config=config,
        trick=getattr(form, "trick", "none"),
        vocab_size=shape.vocab_size,
        n_layer=shape.n_layer,
        n_head=shape.n_head,
        n_parameters=count_parameters(shape).total,
        tokens_per_step=config.batch_size * shape.n_positions,
        prompt="",
        tokens=(),
        lines={} if kind in ("labels", "preferences") else {"uniform": math.log(shape.vocab_size)},
        tokens_per_character=math.nan,
    )


def _size(shape: GPTConfig) -> str:
    return f"{shape.n_layer} × {shape.n_embd}"
