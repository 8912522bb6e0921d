"""Labelled lines: read, checked, and learned by a classifier around the picked model."""

from __future__ import annotations

import math
from typing import Any

import torch

from gptcore.errors import GPTCoreError
from gptcore.finetuning import LabelledBatches, TaskClassifier, classification, evaluate_classifier
from gptcore.finetuning.classification import padded
from gptcore.language_model import LanguageModel
from gptcore.training import generator_for
from gptcore.training.precision import faster_precision
from gptcore.training.recording import Watched
from ui.handlers import inputs
from ui.handlers.inputs import InputError
from ui.handlers.train.plan import about_run, check_size, sample_prompt, schedule
from ui.runs import FinishedRun, Plan, Run
from ui.services import Services

_MOST_LABELS, _MOST_LINES = 20, 20_000
EXAMPLE = """happy\tthe sun is out and we are going to the lake
sad\tmy best friend has moved away
happy\tgrandma made pancakes for everyone
sad\tthe kitten is lost in the rain"""


def read_lines(written: object, *, most: int) -> tuple[list[str], list[tuple[int, str]]]:
    """(labels in alphabetical order, (which label, text) of every line): a label, a tab or a comma, a text.

    Raises:
        InputError: lines that are none, fewer than two labels, or too few lines of one.
    """
    text = inputs.text(written, "The labelled lines", most=most, least=1)
    rows: list[tuple[str, str]] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            continue
        label, mark, rest = line.partition("\t") if "\t" in line else line.partition(",")
        if not mark or not label.strip() or not rest.strip():
            raise InputError(f"Line {number} is {line[:40]!r}; write a label, a tab or a comma, and a text.")
        rows.append((label.strip(), rest.strip()))
    names = sorted({label for label, _ in rows})
    if not 2 <= len(names) <= _MOST_LABELS:
        raise InputError(f"There are {len(names)} different labels; give 2 to {_MOST_LABELS}, each with several lines.")
    if not 10 <= len(rows) <= _MOST_LINES:
        raise InputError(f"There are {len(rows)} labelled lines; give 10 to {_MOST_LINES:,}.")
    return names, [(names.index(label), rest) for label, rest in rows]


def label_plan(services: Services, lm: LanguageModel, values: dict[str, Any]) -> Plan:
    """The plan of fine-tuning a model on labelled lines, the GPT-1 paper's way; a fifth of the lines is held out.

    Raises:
        GPTCoreError: lines or fields that cannot be used.
    """
    names, rows = read_lines(values["labelled"], most=services.limits.training_text_bytes)
    config, shape = schedule(services, values, "none"), lm.model.config
    check_size(services, shape, config)
    generator = generator_for(config.seed, "classifier")
    probe = TaskClassifier(lm.model, len(names), generator=generator)
    made = [
        classification(lm.tokenizer.encode(text), label, tokens=probe.tokens, window=shape.n_positions)
        for label, text in rows
    ]
    order = torch.randperm(len(made), generator=generator_for(config.seed, "split")).tolist()
    held_out, train = [made[i] for i in order[: len(made) // 5]], [made[i] for i in order[len(made) // 5 :]]
    data = LabelledBatches(train, batch_size=min(config.batch_size, len(train)))

    def evaluate(now: TaskClassifier, whole: bool) -> tuple[float, float]:
        score = evaluate_classifier(now, held_out if whole else held_out[:200])
        return score.loss, score.accuracy

    def model() -> TaskClassifier:
        return TaskClassifier(lm.model, len(names), generator=generator_for(config.seed, "classifier")).train()

    precision = faster_precision(shape.n_embd, data.batch_size * data.window)
    config = type(config)(**{**config.to_dict(), "precision": precision, "schedule": "linear"})
    watched = Watched(
        sample_prompt(lm.tokenizer, values["prompt"], shape.n_positions), seed=config.seed, n_new=40,
        looked_at=[token for token in train[0].sequences[0] if token < shape.vocab_size][:24],
    )  # fmt: skip
    counts = [sum(example.label == place for example in train) for place in range(len(names))]
    title = f"{lm.name} tuned on {len(names)} labels"
    about = about_run(title, shape, config, values, watched, lm.tokenizer) | {
        "kind": "labels", "labels": names, "lines": {"uniform": math.log(len(names))}, "tokens_per_character": 1.0,
        "n_train": len(train), "n_valid": len(held_out), "majority": max(counts) / len(train),
        "note": f"{len(train):,} lines to learn from, {len(held_out):,} held out. "
        "Training loss: the labels' plus half of the text's own (L3 = L2 + 0.5 L1).",
        "tokens_per_step": data.batch_size * data.window,
    }  # fmt: skip
    return Plan(title, model, lm.tokenizer, data, config, evaluate, watched, about)


def tell(run: Run | FinishedRun, text: object) -> dict[str, Any]:
    """What a run's classifier says of a line: {"labels": [[name, probability]]}, or {"said": why not}."""
    if run.classifier is None:
        return {"said": "Labels can be tried when a run on labelled lines has ended."}
    try:
        line = inputs.text(text, "The line", most=2_000, least=1)
        model = run.classifier
        example = classification(
            run.plan.tokenizer.encode(line), 0, tokens=model.tokens, window=model.body.config.n_positions
        )
    except GPTCoreError as error:
        return {"said": str(error)}
    with torch.inference_mode():
        chances = model(padded([example])[0]).logits[0].softmax(-1).tolist()
    return {"labels": [[name, round(p, 4)] for name, p in zip(run.plan.about["labels"], chances, strict=True)]}
