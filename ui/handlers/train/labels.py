"""Labelled lines, learned by a classifier around the picked model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import torch

from gptcore.errors import GPTCoreError
from gptcore.finetuning import (
    LabelledBatches,
    TaskClassifier,
    best_bag_of_words,
    classification,
    evaluate_classifier,
)
from gptcore.finetuning.classification import padded
from gptcore.language_model import LanguageModel
from gptcore.recording import Watched
from gptcore.training import generator_for
from gptcore.training.precision import faster_precision
from gptcore.zero_shot.metrics import estimate, percent
from ui.handlers import inputs
from ui.handlers.train.forms import LabelForm
from ui.handlers.train.plan import check_size, facts_of, sample_prompt
from ui.run_records import RunRecord
from ui.runs import Plan, Scoring
from ui.services import Services

EXAMPLE = """happy\tthe sun is out and we are going to the lake
sad\tmy best friend has moved away
happy\tgrandma made pancakes for everyone
sad\tthe kitten is lost in the rain"""

_SCORED_TOGETHER = 64  # held-out lines in one turn


def label_plan(services: Services, lm: LanguageModel, form: LabelForm) -> Plan:
    """The plan of fine-tuning a model on labelled lines, the GPT-1 paper's way; a fifth of the lines is held out.

    Raises:
        GPTCoreError: characters that the model does not know, or a model that is too large.
    """
    names, config, shape = form.names, form.config, lm.model.config
    check_size(services, shape, config)
    generator = generator_for(config.seed, "classifier")
    probe = TaskClassifier(lm.model, len(names), generator=generator)
    made = [
        classification(lm.tokenizer.encode(text), label, tokens=probe.tokens, window=shape.n_positions)
        for label, text in form.lines
    ]
    order = torch.randperm(len(made), generator=generator_for(config.seed, "split")).tolist()
    held_out, train = [made[i] for i in order[: len(made) // 5]], [made[i] for i in order[len(made) // 5 :]]
    data = LabelledBatches(train, batch_size=min(config.batch_size, len(train)))

    def evaluate(now: TaskClassifier, whole: bool) -> Scoring:
        asked, loss, right = held_out if whole else held_out[:200], 0.0, 0.0
        for begin in range(0, len(asked), _SCORED_TOGETHER):
            score = evaluate_classifier(now, asked[begin : begin + _SCORED_TOGETHER])
            loss, right = loss + score.loss * score.n_examples, right + score.accuracy * score.n_examples
            yield
        return loss / len(asked), right / len(asked)

    def model() -> TaskClassifier:
        return TaskClassifier(lm.model, len(names), generator=generator_for(config.seed, "classifier")).train()

    precision = faster_precision(shape, data.batch_size, window=data.window)
    config = replace(config, precision=precision, schedule="linear")
    chosen = [[form.lines[i] for i in part] for part in (order[len(made) // 5 :], order[: len(made) // 5])]
    _, words = best_bag_of_words(chosen[0], chosen[1], len(names))
    watched = Watched(
        sample_prompt(lm.tokenizer, form.prompt, shape.n_positions),
        seed=config.seed,
        n_new=40,
        looked_at=[token for token in train[0].sequences[0] if token < shape.vocab_size][:24],
    )
    counts = [sum(example.label == place for example in train) for place in range(len(names))]
    title = f"{lm.name} tuned on {len(names)} labels"
    facts = replace(
        facts_of(title, "labels", shape, config, watched, lm.tokenizer, "none"),
        lines={"uniform": math.log(len(names)), "words": words.loss},
        n_train=len(train),
        n_valid=len(held_out),
        note=f"{len(train):,} lines to learn from, {len(held_out):,} held out; "
        f"{percent(max(counts) / len(train))} have the most frequent label. "
        "Training loss: the labels' plus half of the text's own (L3 = L2 + 0.5 L1).",
        tokens_per_step=data.batch_size * data.window,
        labels=tuple(names),
        words_right=words.accuracy,
    )
    return Plan(facts, model, lm.tokenizer, data, evaluate, watched)


def verdict(record: RunRecord) -> str:
    """What a run on labels has come to, as sentences; "" while it learns, or for another run."""
    facts, right = record.facts, record.final_accuracy
    if record.classifier is None or record.kept_step is None or not math.isfinite(right):
        return ""
    n, n_right = facts.n_valid, round(right * facts.n_valid)
    found = estimate([1.0] * n_right + [0.0] * (n - n_right))
    passes = record.kept_step * min(facts.config.batch_size, facts.n_train) / facts.n_train
    said = (
        f"Held out: {n_right:,} of {n:,} lines right, {percent(right)} (95% interval {percent(found.low)} to "
        f"{percent(found.high)}), as it was after {passes:.1f} passes, where the held-out loss was lowest."
    )
    words = f"{percent(facts.words_right)} right"
    if facts.words_right > right:
        return f"{said} A bag of words does better: {words}. For these lines no such model is needed."
    if facts.words_right == right:
        return f"{said} A bag of words does as well: {words}. For these lines no such model is needed."
    settled = "" if facts.words_right < found.low else ", though so few lines do not settle it"
    return f"{said} A bag of words does less well: {words}{settled}."


def tell(record: RunRecord, text: object) -> dict[str, Any]:
    """What a run's classifier says of a line: {"labels": [[name, probability]]}, or {"said": why not}."""
    if record.classifier is None or record.language_model is None:
        return {"said": "Labels can be tried when a run on labelled lines has ended."}
    try:
        line = inputs.text(text, "The line", most=2_000, least=1)
        model = record.classifier
        example = classification(
            record.language_model.tokenizer.encode(line), 0, tokens=model.tokens, window=model.body.config.n_positions
        )
    except GPTCoreError as error:
        return {"said": str(error)}
    with torch.inference_mode():
        chances = model(padded([example])[0]).logits[0].softmax(-1).tolist()
    return {"labels": [[name, round(p, 4)] for name, p in zip(record.facts.labels, chances, strict=True)]}
