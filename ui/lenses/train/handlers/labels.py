"""Labelled lines, learned by a classifier around the picked model."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import torch

from gptcore.errors import GPTCoreError
from gptcore.finetuning import LabelledBatches, SpecialTokens, TaskClassifier, evaluate_classifier
from gptcore.finetuning.classification import EncodedExample, padded
from gptcore.formatting import percent
from gptcore.language_model import LanguageModel
from gptcore.training import generator_for
from gptcore.training.data import split_without_overlap
from ui.lenses.train.handlers.forms import LabelForm
from ui.lenses.train.handlers.input_forms import INPUT_FORMS, encoded, texts_of
from ui.lenses.train.handlers.labelled_lines import LabelledLines
from ui.lenses.train.handlers.plan import check_size, facts_of, lasting, sample_prompt, with_watched
from ui.lenses.train.payloads import Classified
from ui.runs.plan import Plan, Scoring
from ui.runs.run_state import RunState
from ui.runs.snapshot import SnapshotPlan
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError

_WARMUP_SHARE = 0.002  # Radford et al. 2018, section 4.1
_SCORED_TOGETHER = 64  # held-out lines in one turn


def label_plan(services: Services, lm: LanguageModel, form: LabelForm) -> Plan:
    """Plans fine-tuning on labelled lines as in the GPT-1 paper; a fifth of them is held out.

    Raises:
        GPTCoreError: lines that are all alike, unknown characters, or a model that is too large.
    """
    read = form.read
    if read is None:
        raise InputError("The labelled lines have not been read.")
    names = read.names
    config = form.config
    shape = lm.model.config
    check_size(services, shape, config)
    weight = form.auxiliary_weight
    n_scores = 1 if form.form.answers_compete else len(names)
    tokens = SpecialTokens.after(shape.vocab_size)
    made = [
        encoded(form.form, lm.tokenizer, texts, label, tokens, shape.n_positions)
        for label, texts in read.lines
    ]
    learned, aside = _divided(read, config.seed)
    train = [made[index] for index in learned]
    held_out = [made[index] for index in aside]
    n_again = read.n_given - len(made)
    data = LabelledBatches(train, batch_size=min(config.batch_size, len(train)))

    def model() -> TaskClassifier:
        drawn = generator_for(config.seed, "classifier")
        return TaskClassifier(lm.model, n_scores, auxiliary_weight=weight, generator=drawn).train()

    config = replace(config, precision=services.precision, schedule="linear")
    config = lasting(config, form.passes, data.updates_per_epoch)
    if form.passes is not None:
        config = replace(config, warmup_steps=round(_WARMUP_SHARE * config.max_steps))
    prompt = sample_prompt(lm.tokenizer, form.prompt, shape.n_positions)
    looked_at = [token for token in train[0].sequences[0] if token < shape.vocab_size][:24]
    watched = SnapshotPlan(prompt, seed=config.seed, n_new=40, looked_at=looked_at)
    counts = [sum(example.label == index for example in train) for index in range(len(names))]
    labels = "answers" if form.form.answers_compete else "labels"
    title = f"{lm.name} tuned on {len(names)} {labels} · {form.form.title.lower()}"
    duplicates = f", duplicates left out: {n_again:,}" if n_again else ""
    facts = replace(
        with_watched(facts_of(title, "labels", shape, config, form), watched, lm.tokenizer),
        lines={"uniform": math.log(len(names))},
        n_train=len(train),
        n_valid=len(held_out),
        unit="nats: L2 for each line, L1 for each token",
        terms=("L2: labels", "L1: the text") if weight else (),
        tuned=True,
        note=f"{read.told} {len(train):,} lines to learn from, {len(held_out):,} held out"
        f"{duplicates}; "
        f"{percent(max(counts) / len(train))} have the most frequent label. Training loss: L3 "
        f"= L2 + {weight:g}·L1, the labels' and the text's own.",
        tokens_per_step=data.batch_size * data.window,
        labels=tuple(names),
        commonest=max(Counter(example.label for example in held_out).values()) / len(held_out),
        input_form=form.input_form,
    )
    evaluate = partial(_evaluate, held_out)
    return Plan(facts, model, lm.tokenizer, data, evaluate, watched, keeps_best=True)


def _divided(read: LabelledLines, seed: int) -> tuple[list[int], list[int]]:
    """Indices of the lines to learn from and of the fifth that is held out.

    Raises InputError for lines that are all alike.
    """
    alike = [
        [frozenset(" ".join(text.casefold().split()) for text in texts)] for _, texts in read.lines
    ]
    learned, aside = split_without_overlap(alike, len(alike) // 5, seed=seed)
    if not aside:
        raise InputError("All lines are too much alike to hold any out. Give different ones.")
    return learned, aside


def _evaluate(held_out: Sequence[EncodedExample], now: TaskClassifier, whole: bool) -> Scoring:
    """Mean loss and accuracy on the held-out lines, on the first 200 unless `whole`."""
    measured = held_out if whole else held_out[:200]
    loss = 0.0
    right = 0.0
    for begin in range(0, len(measured), _SCORED_TOGETHER):
        score = evaluate_classifier(now, measured[begin : begin + _SCORED_TOGETHER])
        loss = loss + score.loss * score.n_examples
        right = right + score.accuracy * score.n_examples
        yield
    return loss / len(measured), right / len(measured)


def classify(record: RunState, text: object) -> Classified:
    """Classifies a line with a run's classifier."""
    if record.classifier is None or record.language_model is None:
        return {"said": "Labels can be tried when a run on labelled lines has ended."}
    try:
        line = inputs.text(text, "The line", most=2_000, needs_words=True)
        model = record.classifier
        form = INPUT_FORMS[record.facts.input_form]
        texts = texts_of(form, line, "The line")
        tokenizer = record.language_model.tokenizer
        example = encoded(form, tokenizer, texts, 0, model.tokens, model.body.config.n_positions)
    except GPTCoreError as error:
        return {"said": str(error)}
    with torch.inference_mode():
        ids = padded([example])[0].to(next(model.parameters()).device)
        chances = model(ids).logits[0].softmax(-1).tolist()
    names = list(record.facts.labels)
    if form.answers_compete:
        names = [f"answer {index}" for index in range(1, len(texts))]
    return {"labels": [(name, round(p, 4)) for name, p in zip(names, chances, strict=True)]}
