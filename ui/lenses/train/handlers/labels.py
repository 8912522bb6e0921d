"""Labelled lines, learned by a classifier around the picked model."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import torch

from gptcore.errors import GPTCoreError
from gptcore.finetuning import LabelledBatches, SpecialTokens, TaskClassifier, evaluate_classifier
from gptcore.finetuning.classification import padded
from gptcore.language_model import LanguageModel
from gptcore.observation import ObservationPlan
from gptcore.training import generator_for
from gptcore.zero_shot.metrics import estimate, percent
from ui.lenses.train.handlers.forms import LabelForm
from ui.lenses.train.handlers.input_forms import INPUT_FORMS, encoded, texts_of
from ui.lenses.train.handlers.plan import check_size, facts_of, lasting, sample_prompt
from ui.lenses.train.payloads import Told
from ui.runs.run_state import RunState
from ui.runs.training_run import Plan, Scoring
from ui.services import Services
from ui.shared import inputs

_WARMUP_SHARE = 0.002  # Radford et al. 2018, section 4.1
_SCORED_TOGETHER = 64  # held-out lines in one turn


def label_plan(services: Services, lm: LanguageModel, form: LabelForm) -> Plan:
    """The plan of fine-tuning a model on labelled lines, the GPT-1 paper's way; a fifth of the lines is held out.

    Raises:
        GPTCoreError: characters that the model does not know, or a model that is too large.
    """
    names, config, shape = form.names, form.config, lm.model.config
    check_size(services, shape, config)
    weight = form.auxiliary_weight
    n_scores = 1 if form.form.answers_compete else len(names)
    tokens = SpecialTokens.after(shape.vocab_size)
    made = [encoded(form.form, lm.tokenizer, texts, label, tokens, shape.n_positions) for label, texts in form.lines]
    order = torch.randperm(len(made), generator=generator_for(config.seed, "split")).tolist()
    aside, read = order[: len(made) // 5], order[len(made) // 5 :]
    held_out, train = [made[i] for i in aside], [made[i] for i in read]
    data = LabelledBatches(train, batch_size=min(config.batch_size, len(train)))

    def evaluate(now: TaskClassifier, whole: bool) -> Scoring:
        asked, loss, right = held_out if whole else held_out[:200], 0.0, 0.0
        for begin in range(0, len(asked), _SCORED_TOGETHER):
            score = evaluate_classifier(now, asked[begin : begin + _SCORED_TOGETHER])
            loss, right = loss + score.loss * score.n_examples, right + score.accuracy * score.n_examples
            yield
        return loss / len(asked), right / len(asked)

    def model() -> TaskClassifier:
        drawn = generator_for(config.seed, "classifier")
        return TaskClassifier(lm.model, n_scores, auxiliary_weight=weight, generator=drawn).train()

    precision = services.precision(shape, data.batch_size, window=data.window)
    config = lasting(replace(config, precision=precision, schedule="linear"), form.passes, data.updates_per_epoch)
    if form.passes is not None:
        config = replace(config, warmup_steps=round(_WARMUP_SHARE * config.max_steps))
    watched = ObservationPlan(
        sample_prompt(lm.tokenizer, form.prompt, shape.n_positions),
        seed=config.seed,
        n_new=40,
        looked_at=[token for token in train[0].sequences[0] if token < shape.vocab_size][:24],
    )
    counts = [sum(example.label == place for example in train) for place in range(len(names))]
    labels = f"{len(names)} answers" if form.form.answers_compete else f"{len(names)} labels"
    title = f"{lm.name} tuned on {labels} · {form.form.title.lower()}"
    facts = replace(
        facts_of(title, "labels", shape, config, watched, lm.tokenizer, form),
        lines={"uniform": math.log(len(names))},
        n_train=len(train),
        n_valid=len(held_out),
        note=f"{len(train):,} lines to learn from, {len(held_out):,} held out; "
        f"{percent(max(counts) / len(train))} have the most frequent label. "
        f"Training loss: L3 = L2 + {weight:g}·L1, the labels' and the text's own.",
        tokens_per_step=data.batch_size * data.window,
        labels=tuple(names),
        commonest=max(Counter(example.label for example in held_out).values()) / len(held_out),
        input_form=form.input_form,
    )
    return Plan(facts, model, lm.tokenizer, data, evaluate, watched)


def verdict(record: RunState) -> str:
    """Summary of a finished run on labels, in sentences; "" for all other runs."""
    facts, right = record.facts, record.final_accuracy
    if record.alive or record.kept_step is None or not math.isfinite(right):
        return ""
    n, n_right = facts.n_valid, round(right * facts.n_valid)
    found = estimate([1.0] * n_right + [0.0] * (n - n_right))
    passes = record.kept_step * min(facts.config.batch_size, facts.n_train) / facts.n_train
    said = (
        f"Held out: {n_right:,} of {n:,} lines right, {percent(right)} (95% interval {percent(found.low)} to "
        f"{percent(found.high)}), as it was after {passes:.1f} passes, where the held-out loss was lowest."
    )
    if not math.isfinite(facts.commonest):
        return said
    always = f"always saying the most frequent of their labels gets {percent(facts.commonest)} right"
    if found.low > facts.commonest:
        return f"{said} It has learned something: {always}."
    return f"{said} That is not clearly better than nothing: {always}. Train longer, or give it more lines."


def tell(record: RunState, text: object) -> Told:
    """Classifies a line with a run's classifier."""
    if record.classifier is None or record.language_model is None:
        return {"said": "Labels can be tried when a run on labelled lines has ended."}
    try:
        line = inputs.text(text, "The line", most=2_000, least=1)
        model, form = record.classifier, INPUT_FORMS[record.facts.input_form]
        texts, tokenizer = texts_of(form, line, "The line"), record.language_model.tokenizer
        example = encoded(form, tokenizer, texts, 0, model.tokens, model.body.config.n_positions)
    except GPTCoreError as error:
        return {"said": str(error)}
    with torch.inference_mode():
        ids = padded([example])[0].to(next(model.parameters()).device)
        chances = model(ids).logits[0].softmax(-1).tolist()
    names = [f"answer {place}" for place in range(1, len(texts))] if form.answers_compete else record.facts.labels
    return {"labels": [(name, round(p, 4)) for name, p in zip(names, chances, strict=True)]}
