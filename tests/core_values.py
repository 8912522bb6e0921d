"""Values of the parameters of the core's functions, for `core_answers.py`."""

import random
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import torch

import gptcore
from gptcore import analysis
from gptcore.analysis.ablation import ModelPart
from gptcore.finetuning.answering import Answer
from gptcore.finetuning.classification import (
    EncodedExample,
    LabelledBatches,
    SpecialTokens,
    TaskClassifier,
    padded,
)
from gptcore.finetuning.instruction import Instruction
from gptcore.finetuning.preference import DirectPreference, PreferenceBatches, PreferencePair
from gptcore.finetuning.supervised import AnswerBatches, AnswerExample, AnswerLoss
from gptcore.inference import sampling, scoring
from gptcore.inference.sequence import TokenSequence
from gptcore.inference.steering import Steering
from gptcore.kv_cache import KVCache
from gptcore.probe import Probe
from gptcore.tokenizers import GPT1Tokenizer
from gptcore.training import (
    OneBatch,
    RandomWindows,
    RepeatedSequences,
    Rows,
    Source,
    TrainingConfig,
    UnigramNoise,
)
from gptcore.weights.hf_format import config_to_hf, tensors_to_hf
from gptcore.zero_shot import TASKS
from gptcore.zero_shot.evaluation import Score, evaluate
from gptcore.zero_shot.items import examples, items, make_trial
from tiny import drawn_at_random, make_language_model

_SHAPE = {"vocab_size": 13, "n_positions": 12, "n_embd": 8, "n_layer": 3, "n_head": 2}
# Two that follow each other are the same, some come again, and the last one is not the largest.
_TOKENS = [3, 7, 1, 1, 9, 3, 7, 2]
_MOST = 400  # numbers of an answer; of more every k-th is kept


# Models by their names: a preset, and how it differs from it.
MODELS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "gpt2": ("gpt2", {}),
    "gpt1": ("gpt1", {}),
    "both ways": ("gpt2", {"causal": False, "tie_word_embeddings": False}),
}


@cache
def model_of(name: str) -> gptcore.GPT:
    """A model whose parameters are all random: no gain is 1, no bias 0."""
    preset, changes = MODELS[name]
    dropout = {"embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}
    config = gptcore.GPTConfig.from_preset(preset, **_SHAPE, **dropout, **changes)
    return drawn_at_random(gptcore.GPT(config).eval(), 5)


def _random(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def _maps() -> torch.Tensor:
    """Attention of two heads of two layers, of `_TOKENS`."""
    n = len(_TOKENS)
    future = torch.ones(n, n).triu(1).bool()
    return (2 * _random(2, 2, n, n)).masked_fill(future, -torch.inf).softmax(-1)


class Cases(list[Any]):
    """Values of a parameter, the first of which stands with other parameters' others."""


_SETTINGS = Cases(
    gptcore.SamplingSettings(**settings)
    for settings in (
        {"temperature": 0.7, "top_k": 5, "top_p": 0.8, "repetition_penalty": 1.3},
        {},
        {"temperature": 0.0},
        {"top_k": 1},
        {"top_k": 4, "min_p": 0.2},
        {"top_p": 0.5},
        {"min_p": 0.3, "temperature": 1.6},
        {"repetition_penalty": 0.5, "no_repeat_ngram_size": 2},
        {"no_repeat_ngram_size": 1, "top_k": 6},
        {"no_repeat_ngram_size": 3, "min_new_tokens": 3, "top_k": 3},
    )
)
_BEFORE = Cases([[0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0], [0.2, 0.7, 0.1, 1.0, 0.4, 0.0, 0.3]])


def _cells(model: gptcore.GPT) -> list[tuple[int, int]]:
    return [(0, 2), (model.config.n_layer - 1, 5)]


@cache
def _lm() -> gptcore.LanguageModel:
    """A tiny model that knows some words, with an end of text."""
    return make_language_model()


_ASKED = [
    Instruction("Write a story with a cat.", "The cat sat. It ran home.", "words", ("cat",)),
    Instruction("Who are you?", "I am a dog.", "talk", earlier=("Hello!", "Hi, cat.")),
    Instruction("What ran?", "The dog ran to the cat.", "question"),
    Instruction("Write a story with a cat.", "A mat.", "words", ("mat",)),
]
_STORIES = [
    "The cat sat on the mat. It saw a big dog. The dog ran to Tom. They were happy.",
    "Lily had a red ball. She lost it in the park. A man found it. He gave it to Lily.",
    "Ben was sad. His toy was broken. Mom said it was fine. They made a new toy.",
]
_WRITTEN = [
    Answer(" The cat sat and ran home.", (4, 9, 2), True),
    Answer(" the the the the", (4, 4, 4, 4), False),
    Answer(" A dog.", (7, 1), True),
    Answer("", (), False),
]
_ENCODED = [
    AnswerExample((3, 1, 4), (1, 5)),
    AnswerExample((9,), (2, 6, 5, 3)),
    AnswerExample((5, 8), (9,)),
]
_PAIRS = [PreferencePair(*_ENCODED[:2]), PreferencePair(*_ENCODED[1:])]
_TOLD = torch.tensor([[-100, 3, 5, -100], [2, 6, 6, 1]])
_LABELLED = [
    EncodedExample(((13, 4, 9, 15),), 1),
    EncodedExample(((13, 7, 15),), 0),
    EncodedExample(((13, 1, 1, 5, 2, 15),), 1),
]


def _classifier(model: gptcore.GPT) -> TaskClassifier:
    draw = torch.Generator().manual_seed(4)
    return TaskClassifier(model, 2, dropout=0.0, generator=draw).eval()


def _cache(model: gptcore.GPT) -> KVCache:
    """The keys and values of two tokens."""
    cache = KVCache(model.config)
    if model.config.causal:
        with torch.inference_mode():
            model.hidden_states(torch.tensor([[5, 8]]), cache=cache)
    return cache


def _sequences(model: gptcore.GPT) -> list[TokenSequence]:
    """Three of unequal lengths, the first of which ends first."""
    settings = gptcore.SamplingSettings(temperature=0.8, top_k=5)
    return [
        TokenSequence(ids, settings, seed=seed)
        for seed, ids in enumerate(([3, 7, 1, 1, 9], [2], [5, 6]), 1)
    ]


def _prompt(task: str = "sentiment") -> Any:
    return TASKS[task].templates[0].prompt(items(task, 1)[0], examples(task, 2))


def _score(n_examples: int) -> Score:
    trial = make_trial("sentiment", n_examples=n_examples, n_items=6)
    return Score(trial, [case for cases in evaluate(gptcore.load("mini"), trial) for case in cases])


def _config(**changes: Any) -> TrainingConfig:
    return TrainingConfig(max_steps=20, warmup_steps=4, learning_rate=0.01, **changes)


# Classes of which an object is asked for what its public methods and properties give.
OBJECTS: dict[str, Callable[[gptcore.GPT], Any]] = {
    "GPT": lambda model: model,
    "GPTConfig": lambda model: model.config,
    "QueriesAndKeys": lambda model: analysis.read_attention(model, _TOKENS),
    "HeadScores": lambda model: analysis.head_scores(iter(_maps()), _TOKENS),
    "TaskClassifier": _classifier,
    "LabelledBatches": lambda _: LabelledBatches(_LABELLED, batch_size=2),
    "PreferenceBatches": lambda _: PreferenceBatches(
        _PAIRS, batch_size=1, plain=_ENCODED, n_plain=1
    ),
    "AnswerBatches": lambda _: AnswerBatches(_ENCODED, batch_size=2, window=8),
    "DirectPreference": lambda _: DirectPreference(model_of("gpt2"), beta=0.5),
    "AnswerLoss": lambda _: AnswerLoss(_ENCODED, 13, weight=3.0),
    "RandomWindows": lambda _: RandomWindows(
        [Source(np.arange(13)), Source(np.arange(12, -1, -1), weight=2.0, starts_after=5)],
        window=4,
        batch_size=3,
    ),
    "OneBatch": lambda _: OneBatch(_repeated()),
    "Rows": lambda _: Rows(_repeated(), rank=1, n_workers=2),
    "RepeatedSequences": lambda _: _repeated(),
    "UnigramNoise": lambda _: UnigramNoise(_repeated(), share=0.5),
    "Steering": lambda _: Steering(2, _random(8)),
    "SamplingSettings": lambda _: _SETTINGS[0],
    "TextScore": lambda _: scoring.score_documents(
        model_of("gpt2"), VALUES["documents"](_), start_id=12
    ),
    "GPT1Tokenizer": lambda _: GPT1Tokenizer.from_merges(
        {"<unk>": 0, "a": 1, "a</w>": 2, "b</w>": 3, "ab</w>": 4, ",</w>": 5}, [("a", "b</w>")]
    ),
    "CharTokenizer": lambda _: gptcore.load("induction").tokenizer,
    "ByteBPE": lambda _: _lm().tokenizer,
    "Trial": lambda _: make_trial("sentiment", n_items=4),
    "Score": lambda _: _score(1),
    "Task": lambda _: TASKS["arithmetic"],
    "Prompt": lambda _: _prompt(),
    "Template": lambda _: TASKS["arithmetic"].templates[-1],
}


def _repeated() -> RepeatedSequences:
    return RepeatedSequences(13, window=9, batch_size=4, periods=(2, 4))


# Values of the parameters of one package, before those of all.
OF_PACKAGE: dict[str, dict[str, Callable[[gptcore.GPT], Any]]] = {
    "corpora": {"text": lambda _: "One.\n\nTwo\nlines.\n \n\nThree.<|endoftext|>Four.\n"},
    "finetuning": {
        "lm": lambda _: _lm(),
        "tokenizer": lambda _: _lm().tokenizer,
        "text": lambda _: Cases(
            ['The cat sat! A dog ran. "Oh," it said. the end', "cats", "", "No. No."]
        ),
        "token_ids": lambda _: [13, 4, 9, 15],
        "word": lambda _: Cases(["cat", "dog", "ca", "SAT"]),
        "words": lambda _: Cases([("cat", "dog"), (), ("tree",)]),
        "ended": lambda _: Cases([True, False]),
        "prompts": lambda _: ["Who are you?", "What ran? " * 9],
        "prompt": lambda _: Cases([_ASKED[0].prompt, "Tell a story about a dog."]),
        "n_each": lambda _: 2,
        "n_pairs": lambda _: 2,
        "max_new_tokens": lambda _: 6,
        "label": lambda _: 1,
        "tokens": lambda _: SpecialTokens.after(13),
        "window": lambda _: Cases([9, 4, 40]),
        "plain_example.window": lambda _: Cases([9, 64]),
        "text_ids": lambda _: _TOKENS,
        "classification.text": lambda _: _TOKENS,
        "premise": lambda _: _TOKENS[:5],
        "hypothesis": lambda _: [2, 4],
        "similarity.first": lambda _: _TOKENS[:5],
        "second": lambda _: [2, 4],
        "context": lambda _: _TOKENS[:5],
        "answers": lambda _: [[2, 4], [6], [8, 5, 2]],
        "examples": lambda _: _ENCODED,
        "padded.examples": lambda _: _LABELLED,
        "evaluate_classifier.examples": lambda _: _LABELLED,
        "evaluate_classifier.batch_size": lambda _: 2,
        "evaluate_classifier.model": _classifier,
        "rows": lambda _: [_ENCODED[:2], _ENCODED[2:]],
        "messages": lambda _: _ASKED[1].messages,
        "stories": lambda _: _STORIES,
        "answers.settings": lambda _: {"max_new_tokens": 6},
        "story": lambda _: Cases([_STORIES[0], "the cat"]),
        "n": lambda _: 5,
        "shares": lambda _: {"talk": 0.5, "question": 0.5},
        "instruction": lambda _: Cases(_ASKED[:3]),
        "instructions": lambda _: _ASKED,
        "write_pairs.instructions": lambda _: _ASKED[:2],
        "learned": lambda _: _ASKED[:1],
        "made": lambda _: _ASKED,
        "others": lambda _: _ASKED[:2],
        "draw": lambda _: random.Random(5),
        "written": lambda _: _WRITTEN,
        "better": lambda _: Cases([_WRITTEN[0], _WRITTEN[1], _WRITTEN[3]]),
        "worse": lambda _: Cases([_WRITTEN[2], _WRITTEN[1]]),
        "dpo_loss.better": lambda _: _random(3),
        "dpo_loss.worse": lambda _: _random(4)[:3],
        "better_before": lambda _: _random(5)[:3],
        "worse_before": lambda _: _random(6)[:3],
        "beta": lambda _: 0.5,
        "logits": lambda _: _random(2, 4, 13),
        "targets": lambda _: torch.tensor([[-100, 3, 5, -100], [2, 4, 4, 1]]),
        "changes": lambda _: {"max_steps": 7},
        "inputs": lambda _: torch.tensor([[3, 9, 6, 1], [7, 2, 5, 3]]),
        "AnswerLoss.__call__.targets": lambda _: _TOLD,
        "AnswerLoss.loss_count.targets": lambda _: _TOLD,
        "AnswerLoss.requested.targets": lambda _: _TOLD,
        "DirectPreference.__call__.targets": lambda _: _TOLD,
        "DirectPreference.loss_count.targets": lambda _: _TOLD,
        "DirectPreference.score.pairs": lambda _: _PAIRS,
        "DirectPreference.__call__.model": lambda _: model_of("gpt1"),
        "DirectPreference.score.model": lambda _: model_of("gpt1"),
        "labels": lambda _: torch.tensor([1, 0, 1]),
        "TaskClassifier.forward.token_ids": lambda _: padded(_LABELLED)[0],
        "TaskClassifier.loss_count.token_ids": lambda _: padded(_LABELLED)[0],
        "seed": lambda _: 3,
        "plain_share": lambda _: 0.5,
        "index": lambda _: Cases([0, 1, 2]),
        "batch_size": lambda _: 2,
    },
    "formatting": {
        "share": lambda _: Cases([0.5, 0.0, 1.0, 0.004, 0.0004, 0.996, 0.99996, 0.0451])
    },
    "inference": {
        "vocab_size": lambda _: Cases([13, 5, 4]),
        "strength": lambda _: 2.5,
        "prompt": lambda _: [3, 7, 1, 1, 9],
        "prompts": lambda _: [[3, 7, 1, 1, 9], [2], [5, 6]],
        "generation.lm": lambda model: model,
        "generate.lm": lambda model: model,
        "generate_batch.lm": lambda model: model,
        "prompt_ids.lm": lambda _: _lm(),
        "prompt_ids.prompt": lambda _: Cases(["the cat", [3, 1], [], [9999], "", 4]),
        "text_ids.lm": lambda _: _lm(),
        "text_ids.text": lambda _: Cases(["the cat", "", "the cat sat on " * 40]),
        "continuations": _sequences,
        "max_new_tokens": lambda _: Cases([20, 3]),
        "cache": lambda model: KVCache(model.config),
        "use_cache": lambda _: False,
        "stop": lambda _: (),
        "sampling": lambda _: {"temperature": 0.7},
        "generate.settings": lambda _: _SETTINGS,
        "generate.seed": lambda _: 3,
        "steering": lambda _: None,
        "token_id": lambda _: 4,
        "top_k": lambda _: Cases([5, 0, 1]),
        "top_p": lambda _: Cases([0.8, 1.0]),
        "reference.n_new": lambda _: 20,
    },
    "model": {
        "name": lambda _: Cases(["gelu_new", "gelu", "relu"]),
        "token_ids": lambda _: torch.tensor([_TOKENS]),
        "check_token_ids.token_ids": lambda _: Cases(
            [torch.tensor([ids]) for ids in ([3, 1], [13], [-1], [1] * 12, [1] * 13)]
        ),
        "past": lambda _: Cases([0, 11]),
        "cache": _cache,
        "targets": lambda _: torch.tensor([[7, 1, -100, 9, 3, 7, 2, 4]]),
        "attention_mask": lambda _: torch.tensor([[0, 0, 1, 1, 1, 1, 1, 1]]),
        "stream": lambda _: _random(1, 8, 8),
        "probe": lambda _: Probe(),
    },
    "tokenizers": {
        "tokenizer": lambda _: _lm().tokenizer,
        "text": lambda _: Cases(["the cat sat on the mat; it's 1,000 cats!", "", "Été  é\n\n x"]),
        "token_id": lambda _: Cases([4, 0, 13, -1, 269, 270]),
        "vocab_size": lambda _: Cases([270, 269, 300]),
        "ids": lambda _: [1, 4, 0, 3, 5],
        "n_merges": lambda _: Cases([4, 1, 1000]),
        "learn_merges.text": lambda _: "kitten mitten kit ten, ten kittens",
        "word": lambda _: [b"a", b"b", b"a", b"b", b"b", b"a"],
        "pair": lambda _: Cases([(b"a", b"b"), (b"b", b"b"), (b"b", b"c")]),
        "token": lambda _: Cases([" caf\u00e9".encode(), b"\n", bytes(range(256))]),
        "unspell.token": lambda _: Cases(["\u0120caf\u00c3\u00a9", "a"]),
        "texts": lambda _: Cases(
            [
                ["the cat sat on the mat", "12 cats 12 mats"],
                ["ab" * 100 + " " * 500 + "cd"],  # cut and divided, and nothing is lost
            ]
        ),
        "n_tokens": lambda _: 262,
    },
    "training": {
        "documents": lambda _: ["the cat sat.", "Été", "the dog ran to the mat", "a"] * 3,
        "tokenizer": lambda _: _lm().tokenizer,
        "share": lambda _: 0.25,
        "split.documents": lambda _: Cases(
            [["a b c d e f g h i j k l m n o p " * 4], ["a", "b", "c", "d"], ["a"]]
        ),
        "keys": lambda _: [{"a"}, {"b"}, {"a", "c"}, {"d"}, {"e"}, {"b", "f"}, {"g"}, {"h"}, {"i"}],
        "wanted": lambda _: 3,
        "key": lambda _: ["noise", 3],
        "train": lambda _: np.array([3, 7, 1, 1, 9, 3, 7, 2, 5, 3, 7, 1] * 3),
        "valid": lambda _: np.array([3, 7, 9, 1, 1, 4, 3, 7]),
        "vocab_size": lambda _: 13,
        "index": lambda _: Cases([0, 1, 2]),
        "config": lambda _: Cases(
            [
                _config(),
                _config(schedule="linear"),
                _config(schedule="constant"),
                _config(time_budget=60.0),
            ]
        ),
        "step": lambda _: Cases([12, 0, 3, 4, 19, 20]),
        "elapsed": lambda _: 20.0,
        "matrices": lambda _: Cases([_random(2, 3, 5), _random(1, 6, 4)]),
    },
    "weights": {
        "values": lambda model: Cases(
            [
                config_to_hf(model.config),
                config_to_hf(model_of("gpt1").config),
                {"model_type": "bert"},
                {**config_to_hf(model.config), "scale_attn_by_inverse_layer_idx": True},
            ]
        ),
        "shapes": lambda model: {n: [*t.shape] for n, t in tensors_to_hf(model).items()},
        "tensors": lambda model: Cases(
            [
                tensors_to_hf(model),
                {f"_orig_mod.transformer.{n}": t for n, t in tensors_to_hf(model).items()},
                {n: t for n, t in tensors_to_hf(model).items() if "h.1.mlp" not in n},
            ]
        ),
        "notes": lambda _: [],
    },
    "zero_shot": {
        "lm": lambda _: gptcore.load("mini"),
        "tokenizer": lambda _: _lm().tokenizer,
        "task": lambda _: Cases(list(TASKS)),
        "make_trial.task": lambda _: "sentiment",
        "template": lambda _: TASKS["sentiment"].templates[1].name,
        "part_effects.template": lambda _: TASKS["sentiment"].templates[0],
        "split": lambda _: "word",
        "n_examples": lambda _: 2,
        "n_items": lambda _: 4,
        "test": lambda _: make_trial("sentiment", n_examples=1, n_items=5),
        "batch": lambda _: 2,
        "trials": lambda _: [
            make_trial("sentiment", n_items=4),
            make_trial("arithmetic", n_items=3),
        ],
        "helped.before": lambda _: _score(0),
        "helped.after": lambda _: _score(2),
        "prompts": lambda _: [_prompt(), _prompt()],
        "greedy_answers.prompts": lambda _: [[3, 7, 1, 1, 9], [2], [5, 6]],
        "max_new_tokens": lambda _: 8,
        "stop": lambda _: ("e",),
        "pairs": lambda _: [([3, 7, 1], [1, 9]), ([2], [4, 4, 4]), ([5, 6], [])],
        "prompt": lambda _: _prompt(),
        "score_labels.prompt": lambda _: [3, 7, 1],
        "labels": lambda _: ["good", "bad"],
        "lead": lambda _: "",
        "item": lambda _: items("sentiment", 1)[0],
        "examples": lambda _: examples("sentiment", 2),
        "answer": lambda _: "positive",
        "normalised.answer": lambda _: Cases([" The Red-cat,  sat!", "a an the", ""]),
        "without_end.answer": lambda _: Cases(["the cat\nand", "\n", "x"]),
        "end": lambda _: "\n",
        "n_answer": lambda _: Cases([4, 60]),
        "text": lambda _: Cases(["the cat", "Good. " * 80]),
        "index": lambda _: Cases([0, 1, 2]),
        "kind": lambda _: Cases(["input", "example", "cue", "instruction"]),
        "Prompt.changed.text": lambda _: "Another.",
        "Task.template.name": lambda _: Cases(["", TASKS["arithmetic"].templates[1].name, "none"]),
        "Task.length.template": lambda _: Cases(list(TASKS["arithmetic"].templates)),
        "Task.stops.template": lambda _: Cases(list(TASKS["arithmetic"].templates)),
        "needed": lambda _: Cases([("sum",), ("other",), ()]),
        "Template.solved.item": lambda _: items("arithmetic", 1)[0],
        "Template.prompt.item": lambda _: items("arithmetic", 1)[0],
        "Template.prompt.examples": lambda _: examples("arithmetic", 2),
        "Template.document.items": lambda _: items("arithmetic", 2),
        "written": lambda _: Cases(["4\nSum", "2 and 2 make 4. So the answer is 4.", ""]),
    },
}
# Parameter -> its value, of a model. Named after a function: that function's alone.
VALUES: dict[str, Callable[[gptcore.GPT], Any]] = {
    "model": lambda model: model,
    "config": lambda model: model.config,
    "token_ids": lambda _: _TOKENS,
    "source_ids": lambda _: _TOKENS,
    "target_ids": lambda _: [3, 7, 4, 1, 9, 3, 6, 2],
    "token": lambda _: 4,
    "word_circuit.token": lambda _: Cases([4]),  # of token 0 two edges are equal, but for rounding
    "against": lambda _: 10,
    "layer": lambda _: 1,
    "head": lambda _: 1,
    "neuron": lambda _: 21,
    "depth": lambda _: 1,
    "n": lambda _: 3,
    "n_layer": lambda _: 3,
    "n_prompt": lambda _: 5,
    "n_new": lambda _: 4,
    "n_tokens": lambda _: 7,
    "n_texts": lambda _: 2,
    "batch_size": lambda _: 3,
    "bits": lambda _: 16,
    "first": lambda _: 2,
    "first_id": lambda _: 2,
    "at": lambda _: 4,
    "record_activations.at": lambda _: [1, 5],
    "most": lambda _: 6,
    "share": lambda _: 0.5,
    "seed": lambda _: 3,
    "max_bytes": lambda _: 2**20,
    "layers": lambda _: range(1, 3),
    "cells": _cells,
    "rows": lambda _: [
        [],
        [ModelPart(1, "head", 1)],
        [ModelPart(0, "mlp"), ModelPart(2, "attention")],
    ],
    "part": lambda _: ModelPart(1, "head", 1),
    "without": lambda _: [ModelPart(1, "head", 0)],
    "nodes": lambda _: analysis.word_circuit(model_of("gpt2"), _TOKENS, 4, 10).nodes[1:4],
    "maps": lambda _: iter(_maps()),
    "weights": lambda _: _maps(),
    "activations": lambda _: _random(8, 20),
    "best": lambda _: torch.tensor([[3, 1, 4], [2, 1, 5], [2, 1, 5]]),
    "written": lambda _: [2, 1, 4],
    "before": lambda _: _random(2, 13),
    "after": lambda _: _random(2, 13) ** 2,
    "direction": lambda _: _random(8),
    "stream": lambda _: _random(4, 8),
    "norm": lambda model: model.h[1].ln_2,
    "why": lambda _: "A reason.",
    "chance": lambda _: analysis.uniform_scores(_TOKENS),
    "x": lambda _: _random(2, 8),
    "weight": lambda _: _random(8),
    "bias": lambda _: 2 * _random(8),
    "epsilon": lambda _: 1e-3,
    "probe": lambda _: Probe(),
    "kinds": lambda _: ("residual", "attention", "mlp", "head"),
    "lm": lambda _: gptcore.load("induction"),
    "logits": lambda _: 2 * _random(13),
    "settings": lambda _: _SETTINGS,
    "penalised": lambda _: 2 * _random(13) - 0.5,
    "largest": lambda _: (2 * _random(13)).sort(descending=True),
    "temperature": lambda _: Cases([0.5, 1.0, 0.0]),
    "end_id": lambda _: 7,
    "without_token": lambda _: frozenset({9}),
    "struck_out.n_new": lambda _: 4,
    "penalise.n_new": lambda _: 4,
    "choices": lambda _: sampling.candidates(2 * _random(13), gptcore.SamplingSettings(top_k=6)),
    "uniform": lambda _: Cases([0.5, 0.0, 0.1, 0.9, 0.9999]),
    "generator": lambda _: torch.Generator().manual_seed(3),
    "text": lambda _: Cases(["kitten kitten", "m"]),
    "n_alternatives": lambda _: 2,
    "documents": lambda _: [
        ([3, 1, 4, 1], 9),
        ([5, 9], 4),
        ([2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8], 30),
    ],
    "start_id": lambda _: 12,
    "n_bytes": lambda _: 40,
    "scoring_windows.token_ids": lambda _: [*_TOKENS, *range(13), *_TOKENS],
    "scoring_windows.most": lambda _: 2,
    "n_positions": lambda _: 12,
    "previous_start": lambda _: Cases([0, 3, 8]),
    "context_start.n_tokens": lambda _: Cases([20, 4, 12, 13]),
    "replayed_start.n_tokens": lambda _: Cases([20, 4, 12, 13, 40]),
    "max_new_tokens": lambda _: Cases([5, 0, -1, True, 1.5, 10**9]),
    "check_seed.seed": lambda _: Cases([3, -1, 2**64]),
    "stop": lambda _: Cases([["a"], [], [""], ["x", "y"]]),
    "tokenizer": lambda _: gptcore.load("induction").tokenizer,
    "query": lambda _: _random(2, 3, 4, 8),
    "key": lambda _: _random(2, 3, 5, 8),
    "mask": lambda _: _random(4, 5),
    "n_query": lambda _: Cases([4, 1]),
    "n_key": lambda _: 5,
    "causal": lambda _: Cases([True, False]),
    "attention_mask": lambda _: Cases([None, torch.tensor([[0, 1, 1, 1, 1], [0, 0, 1, 1, 1]])]),
    "device": lambda _: torch.device("cpu"),
    "scores": lambda _: Cases([*_BEFORE, [1.0], [0.5], [1.0] * 9]),
    "difference.before": lambda _: _BEFORE,
    "difference.after": lambda _: Cases(
        [[1.0] * 7, [0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0], [0.9, 0.8, 0.3, 1.0, 0.6, 0.1, 0.2]]
    ),
    "reached.score": lambda _: Cases([0.5, 0.0, 1.0]),
    "n_items": lambda _: Cases([20, 1, 500]),
    "expected": lambda _: "The red cat sat on a mat",
    "answer": lambda _: Cases(["the red cat", "The red cat sat on a mat.", "a cat, red", ""]),
    "people": lambda _: ["Tom", "Lily"],
    "event": lambda _: ["ball", "lost"],
    "towards": lambda _: ["kitten kitten", "a b c"],
    "away": lambda _: ["q r s", "mat mat m", "x y"],
}
