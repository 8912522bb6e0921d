"""What just fits is taken by the core, and one more is refused: of every refusal at a limit
(derived).
"""

import json
import math
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gptcore import GPT, LanguageModel, SamplingSettings, analysis
from gptcore.analysis import ablation, attribution, circuits, neurons
from gptcore.analysis.experiments import layer_norm_example
from gptcore.corpora import decoded
from gptcore.finetuning import answering, preference, supervised
from gptcore.finetuning.classification import (
    EncodedExample,
    SpecialTokens,
    TaskClassifier,
    _joined,
    evaluate_classifier,
    multiple_choice,
)
from gptcore.inference import generation, scoring, sequence
from gptcore.inference.engine import DecodeEngine
from gptcore.inference.steering import Steering
from gptcore.kv_cache import KVCache
from gptcore.model import check_token_ids
from gptcore.tokenizers import ByteBPE, CharTokenizer
from gptcore.tokenizers.base import check_id
from gptcore.tokenizers.fast import FastTokenizer
from gptcore.training import __main__ as command
from gptcore.training import data
from gptcore.weights import hf_format
from gptcore.zero_shot import evaluation, items, likelihood, templates
from tests.tools.refusals import refusals, what_is_said
from tiny import ROOT, SMALL, make_model

N_LAYER = SMALL.n_layer
N_HEAD = SMALL.n_head
WINDOW = SMALL.n_positions
N_TOKENS = SMALL.vocab_size
IDS = [3, 1, 4, 1, 5]
OTHER_IDS = [3, 2, 4, 1, 5]
TOKENS = SpecialTokens.after(N_TOKENS)
MAPS = N_LAYER * N_HEAD * len(IDS) ** 2 * 4  # bytes
QUERIES_AND_KEYS = 8 * N_LAYER * SMALL.n_embd * len(IDS)
# Worked out by hand: of each layer and token 4 heads' rows of 5, 3 * 96 of the MLP, 4 * 24; four
# bytes each.
KEPT_OF_CIRCUIT = 3 * 5 * (4 * 5 + 3 * 96 + 4 * 24) * 4


@dataclass(frozen=True)
class Given:
    """What a refusal is tried with."""

    model: GPT
    monkeypatch: pytest.MonkeyPatch
    folder: Path  # an empty one

    @property
    def lm(self) -> LanguageModel:
        """One whose tokens are the letters that it reads."""
        letters = CharTokenizer([chr(ord("a") + i) for i in range(N_TOKENS)])
        return LanguageModel(self.model, letters, "letters")

    def set(self, module: object, name: str, value: object) -> None:
        self.monkeypatch.setattr(module, name, value)

    def lines(self, n: int) -> Path:
        path = self.folder / "lines.txt"
        path.write_text("a line\n" * n, encoding="utf-8")
        return path

    def held_out(self, share: float) -> None:
        """Divides a text as `python -m gptcore.training --hold-out` does."""
        self.set(command, "_tokenizer", None)  # what follows
        self.set(command.data, "split", lambda documents, share: (documents, documents))
        options = Namespace(
            repeated="",
            corpus=[str(self.lines(9))],
            from_beginnings=None,
            valid="",
            hold_out=share,
            tokenizer="bpe",
        )
        command._texts(options, None)

    def full(self, step: str, n_read: int) -> None:
        """Decodes one more token after some have been read."""
        engine = DecodeEngine(self.model)
        engine.read_together([[1] * n_read])
        if step == "step":
            engine.step([1])
        else:
            engine.step_and_choose([1], [])

    def circuit_within(self, n_bytes: int) -> None:
        self.set(circuits, "_MOST_BYTES", n_bytes)
        circuits._check_memory(self.model, len(IDS))

    def vocabulary_up_to(self, largest: int) -> FastTokenizer:
        """Ten tokens, the last of which has the id `largest`."""
        vocabulary = {letter: i for i, letter in enumerate("abcdefghi")} | {"j": largest}
        whole = ByteBPE.train(["a"], vocab_size=257)
        whole.save(self.folder)
        parsed = json.loads((self.folder / "tokenizer.json").read_text(encoding="utf-8"))
        parsed["model"] |= {"vocab": vocabulary, "merges": []}
        parsed["added_tokens"] = []
        return FastTokenizer(json.dumps(parsed), self.folder)


def direction(model: GPT, token: int) -> object:
    return attribution.logit_direction(model, token, None), attribution.logit_direction(
        model, 1, token
    )


def preferred(given: Given, weight: float) -> None:
    """An objective, with a number at each of its weights."""
    for name in ("beta", "own_weight", "plain_weight"):
        preference.DirectPreference(given.model, **{name: weight})


def patched_apart(given: Given, gap: float) -> object:
    """Patches between two texts whose answers are that far apart."""
    answers = iter([gap, 0.0])
    module = analysis.patching
    given.set(module, "_answers", lambda *_: [next(answers, 0.0)])
    return next(module.patching_rows(given.model, IDS, OTHER_IDS, 1, 2))


def cut_to(given: Given, room: int) -> object:
    """Cuts an input behind an instruction of three letters and before a cue of two."""
    parts = (("instruction", "abc"), ("input", "ddddd"), ("cue", "ef"))
    prompt = templates.Prompt(tuple(templates.Part(*part) for part in parts))  # type: ignore[arg-type]
    return templates._cut(given.lm, prompt, room)


Limits = Sequence[tuple[object, object]]
# A refusal -> words of its sentence, a call with a value, the last value that fits with the first
# that does not.
REFUSALS: dict[str, tuple[str, Callable[[Given, Any], object], Limits]] = {
    "ablation.check_part: not 0 <= part.layer < config.n_layer": (
        "There is no layer",
        lambda given, n: ablation.check_part(given.model, ablation.ModelPart(n, "attention")),
        [(0, -1), (N_LAYER - 1, N_LAYER)],
    ),
    "ablation.check_part: part.kind == 'head' and "
    "(part.head is None or not 0 <= part.head < config.n_head)": (
        "There is no head",
        lambda given, n: ablation.check_part(given.model, ablation.ModelPart(0, "head", n)),
        [(0, -1), (N_HEAD - 1, N_HEAD), (1, None)],
    ),
    "attention.attention_patterns: config.n_positions >= T and heads * T * T * 4 > max_bytes": (
        "are allowed",
        lambda given, n: analysis.attention_patterns(given.model, IDS, max_bytes=n),
        [(MAPS, MAPS - 1)],
    ),
    "attention.read_attention: ids.shape[1] * per_token > max_bytes": (
        "are allowed",
        lambda given, n: analysis.read_attention(given.model, IDS, max_bytes=n),
        [(QUERIES_AND_KEYS, QUERIES_AND_KEYS - 1)],
    ),
    "attribution.logit_direction: item is not None and (not 0 <= item < model.config.vocab_size)": (
        "outside this model's vocabulary",
        lambda given, n: direction(given.model, n),
        [(0, -1), (N_TOKENS - 1, N_TOKENS)],
    ),
    "attribution.check_head: not (0 <= layer < config.n_layer and 0 <= head < config.n_head)": (
        "There is no layer",
        lambda _, place: attribution.check_head(SMALL, *place),
        [
            ((0, 0), (-1, 0)),
            ((N_LAYER - 1, 0), (N_LAYER, 0)),
            ((1, 0), (1, -1)),
            ((1, N_HEAD - 1), (1, N_HEAD)),
        ],
    ),
    "circuits.word_circuit: not 0 < share <= 1 or most < 1": (
        "a share is above 0 and at most 1",
        lambda given, n: analysis.word_circuit(given.model, IDS, 1, 2, share=n[0], most=n[1]),
        [((0.1, 1), (0.0, 1)), ((1.0, 1), (1.1, 1)), ((0.5, 1), (0.5, 0))],
    ),
    "circuits._check_memory: kept > _MOST_BYTES": (
        "are allowed",
        lambda given, n: given.circuit_within(n),
        [(KEPT_OF_CIRCUIT, KEPT_OF_CIRCUIT - 1)],
    ),
    "experiments.layer_norm_example: not 0 <= layer < model.config.n_layer": (
        "There is no layer",
        lambda given, n: layer_norm_example(given.model, IDS, n),
        [(0, -1), (N_LAYER - 1, N_LAYER)],
    ),
    "lens.logit_lens: not 0 <= first < max(1, len(token_ids))": (
        "The first position is",
        lambda given, n: analysis.logit_lens(given.model, IDS, first=n),
        [(0, -1), (4, 5)],
    ),
    "neurons.neuron_writes: not 0 <= neuron < weight.shape[1]": (
        "There is no neuron",
        lambda given, n: analysis.neuron_writes(given.model, 0, n),
        [(0, -1), (4 * SMALL.n_embd - 1, 4 * SMALL.n_embd)],
    ),
    "neurons._block: not 0 <= layer < model.config.n_layer": (
        "There is no layer",
        lambda given, n: neurons._block(given.model, n),
        [(0, -1), (N_LAYER - 1, N_LAYER)],
    ),
    "patching.patching_rows: abs(end - start) < _LEAST": (
        "the same logit difference",
        patched_apart,
        [
            (analysis.patching._LEAST, 0.99 * analysis.patching._LEAST),
            (-analysis.patching._LEAST, 0.0),
        ],
    ),
    "patching.patched_logits: not (0 <= depth <= n_layer and 0 <= position < len(target_ids))": (
        "There is no cell",
        lambda given, cell: analysis.patched_logits(given.model, IDS, OTHER_IDS, [cell]),
        [((0, 0), (-1, 0)), ((N_LAYER, 0), (N_LAYER + 1, 0)), ((1, 0), (1, -1)), ((1, 4), (1, 5))],
    ),
    "steering.steering_vector: not 1 <= depth <= n_layer": (
        "The depth is",
        lambda given, n: analysis.steering_vector(given.lm, ["ab"], ["cd"], n),
        [(1, 0), (N_LAYER, N_LAYER + 1)],
    ),
    "trace.trace: not -n_tokens <= at < n_tokens": (
        "The position is",
        lambda given, n: analysis.trace(given.model, IDS, n),
        [(-5, -6), (4, 5)],
    ),
    "__init__.decoded: strange > _MOST_CONTROLS * len(text)": (
        "are control characters",
        lambda _, n: decoded(b"\x01" * n + b"\xe9" + b"a" * (199 - n), "a file"),
        [(2, 3)],
    ),
    "answering._check_counts: value < 1": (
        "it must be 1 or more",
        lambda given, n: [
            *answering.answers(
                given.lm, ["the cat"], n_each=n[0], batch_size=n[1], max_new_tokens=1
            )
        ],
        [((1, 1), (0, 1)), ((1, 1), (1, 0))],
    ),
    "classification.evaluate_classifier: batch_size < 1": (
        "it must be 1 or more",
        lambda given, n: evaluate_classifier(
            TaskClassifier(given.model, 2), [EncodedExample(((1, 2),), 0)], batch_size=n
        ),
        [(1, 0)],
    ),
    "scoring.token_logprobs: batch_size < 1": (
        "it must be 1 or more",
        lambda given, n: scoring.token_logprobs(given.model, IDS, batch_size=n),
        [(1, 0)],
    ),
    "evaluation.evaluate: batch < 1": (
        "it must be 1 or more",
        lambda given, n: [
            *evaluation.evaluate(given.lm, evaluation.Trial("none", None, ()), batch=n)  # type: ignore[arg-type]
        ],
        [(1, 0)],
    ),
    "classification.multiple_choice: len(answers) < 2 or not 0 <= label < len(answers)": (
        "it must be one of at least two",
        lambda _, n: multiple_choice(IDS, [[1]] * n[0], n[1], tokens=TOKENS, window=WINDOW),
        [((2, 0), (1, 0)), ((2, 1), (2, 2)), ((2, 0), (2, -1))],
    ),
    "classification._joined: room < 1": (
        "nothing is left for the first",
        lambda _, n: _joined([[1], [2] * n], TOKENS, WINDOW),
        [(WINDOW - 4, WINDOW - 3)],
    ),
    "preference.__init__: n_plain < 0": (
        "it must be 0 or more",
        lambda _, n: preference.PreferenceBatches([None], batch_size=1, n_plain=n),  # type: ignore[list-item]
        [(0, -1)],
    ),
    "preference.__init__: "
    "not all((0 <= number < math.inf for number in (beta, own_weight, plain_weight)))": (
        "they must be 0 or more, and finite",
        preferred,
        [(0.0, -1e-9), (1e9, math.inf), (1.0, math.nan)],
    ),
    "supervised.answer_examples: not 0 <= plain_share < math.inf": (
        "it must be 0 or more, and finite",
        lambda given, n: supervised.answer_examples(
            given.lm.tokenizer, [], [], WINDOW, plain_share=n
        ),
        [(0.0, -1e-9), (1e9, math.inf), (1.0, math.nan)],
    ),
    "engine.step: max(self.cache.lengths) >= self.cache.capacity": (
        "a row is full",
        lambda given, n: given.full("step", n),
        [(WINDOW - 1, WINDOW)],
    ),
    "engine.step_and_choose: max(self.cache.lengths) >= self.cache.capacity": (
        "a row is full",
        lambda given, n: given.full("step_and_choose", n),
        [(WINDOW - 1, WINDOW)],
    ),
    "generation.prompt_ids: len(ids) > limit": (
        "Shorten it",
        lambda given, n: generation.prompt_ids(given.model, [1] * n),
        [(WINDOW, WINDOW + 1)],
    ),
    "sampling_settings.check_vocabulary: self.top_k is not None and self.top_k > vocab_size": (
        "Top-k is",
        lambda _, n: SamplingSettings(top_k=n).check_vocabulary(N_TOKENS),
        [(N_TOKENS, N_TOKENS + 1), (None, N_TOKENS + 1)],
    ),
    "scoring.token_logprobs: ids.dim() != 1 or len(ids) < 2": (
        "a prediction needs at least two",
        lambda given, ids: scoring.token_logprobs(given.model, ids),
        [([1, 2], [1]), ([1, 2], [[1, 2]])],
    ),
    "sequence.check_length: isinstance(max_new_tokens, bool) or "
    "not isinstance(max_new_tokens, int) or max_new_tokens < 1": (
        "it must be a whole number of at least 1",
        lambda _, n: sequence.check_length(n),
        [(1, 0), (2, True), (2, 2.0)],
    ),
    "sequence.check_seed: isinstance(seed, bool) or not isinstance(seed, int) or "
    "(not 0 <= seed <= MAX_SEED)": (
        "it must be a whole number from 0",
        lambda _, n: sequence.check_seed(n),
        [(0, -1), (2**63 - 1, 2**63), (1, True), (None, 1.0)],
    ),
    "steering.applied: not 1 <= self.depth <= config.n_layer": (
        "The depth is",
        lambda given, n: Steering(n, torch.zeros(SMALL.n_embd)).applied(given.model),
        [(1, 0), (N_LAYER, N_LAYER + 1)],
    ),
    "kv_cache.write: end > self.capacity": (
        "was asked to hold",
        lambda _, n: KVCache(SMALL).write(0, *[torch.zeros(1, N_HEAD, n, SMALL.head_dim)] * 2),
        [(WINDOW, WINDOW + 1)],
    ),
    "model.check_token_ids: n_tokens > limit": (
        "Shorten it",
        lambda _, n: check_token_ids(torch.ones(1, n, dtype=torch.long), 3, SMALL),
        [(WINDOW - 3, WINDOW - 2)],
    ),
    "model.check_token_ids: low < 0 or high >= config.vocab_size": (
        "outside this model's vocabulary",
        lambda _, n: check_token_ids(torch.tensor([[1, n, 2]]), 0, SMALL),
        [(0, -1), (N_TOKENS - 1, N_TOKENS)],
    ),
    "base.check_id: not 0 <= token_id < vocab_size": (
        "There is no token",
        lambda _, n: check_id(n, 7),
        [(0, -1), (6, 7)],
    ),
    "byte_bpe._check_size: vocab_size < 257": (
        "needs at least 257 entries",
        lambda _, n: ByteBPE.train(["a"], vocab_size=n),
        [(257, 256)],
    ),
    "fast.__init__: self.vocab_size > 2 * len(self._bytes)": (
        "most ids below it would stand for nothing",
        lambda given, n: given.vocabulary_up_to(n),
        [(19, 20)],
    ),
    "__main__._texts: not 0 < options.hold_out <= 0.5": (
        "give a share above 0 and at most 0.5",
        lambda given, n: given.held_out(n),
        [(0.5, 0.51), (0.01, 0.0)],
    ),
    "data.__init__: len(source.tokens) <= window": (
        "Give more text or choose a shorter window",
        lambda _, n: data.RandomWindows([data.Source(np.arange(n))], window=8, batch_size=1),
        [(9, 8)],
    ),
    "data.__init__: not 1 <= shortest <= longest <= window // 2": (
        "must rise",
        lambda _, periods: data.RepeatedSequences(20, window=17, batch_size=1, periods=periods),
        [((1, 8), (0, 8)), ((2, 8), (2, 9)), ((4, 4), (5, 4))],
    ),
    "data.__init__: not 0 <= share < 1": (
        "it must lie in [0, 1)",
        lambda _, n: data.UnigramNoise(
            data.RandomWindows([data.Source(np.arange(20))], window=8, batch_size=1), share=n
        ),
        [(0.0, -0.1), (0.9, 1.0)],
    ),
    "hf_format.config_from_hf: isinstance(value, int) and value > _LARGEST_SIZE": (
        "is read",
        lambda _, n: hf_format.config_from_hf({"model_type": "gpt2", "n_inner": n}),
        [(1 << 24, (1 << 24) + 1), (None, 1 << 25)],
    ),
    "hf_format.check_shapes: len(shapes) > most": (
        "layers has fewer",
        lambda _, n: hf_format.check_shapes(SMALL, {f"{i}": [1] for i in range(n)}),
        [(40 * (N_LAYER + 1), 40 * (N_LAYER + 1) + 1)],
    ),
    "items.make_trial: not 0 <= n_examples <= 32 or not 1 <= n_items <= 400": (
        "are possible",
        lambda _, n: items.make_trial("sentiment", n_examples=n[0], n_items=n[1]),
        [((0, 1), (-1, 1)), ((32, 1), (33, 1)), ((0, 1), (0, 0)), ((0, 400), (0, 401))],
    ),
    "items.parallel: len(made) <= n_examples": (
        "examples are needed",
        lambda given, n: items.parallel(given.lines(3), given.lines(3), n_examples=n),
        [(2, 3)],
    ),
    "likelihood.score_labels: len(cleaned) < 2": (
        "at least two different ones",
        lambda given, labels: likelihood.score_labels(given.lm, [1], labels, lead=""),
        [(["a", "b"], ["a"]), (["a", "b"], [])],
    ),
    "templates._cut: index is None or n_rest > room": (
        "even without examples and input",
        cut_to,
        [(5, 4)],
    ),
}
# Of chance, and of settings.
ELSEWHERE = {
    "instruction.instructions: not stories or tries > 20 * n + 1000": (
        "tests/finetuning/test_instruction.py"
    ),
    "sampling_settings._check_number: isinstance(value, bool) or "
    "not isinstance(value, (int, float)) or (not abs(value) < 1e+300) or (not holds(value))": (
        "tests/test_settings.py"
    ),
    "sampling_settings.__post_init__: isinstance(value, bool) or not isinstance(value, int) or "
    "value < 0": "tests/test_settings.py",
}


def test_every_refusal_of_the_core_is_tried_here_or_in_a_test_that_is_named():
    assert set(refusals(ROOT / "gptcore")) == {*REFUSALS, *ELSEWHERE}
    assert all((ROOT / file).is_file() for file in ELSEWHERE.values())


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_just_fits_is_taken_and_one_more_is_refused(refusal, monkeypatch, tmp_path):
    said, call, limits = REFUSALS[refusal]
    given = Given(make_model(SMALL), monkeypatch, tmp_path)
    for last, first in limits:
        assert said not in what_is_said(lambda last=last: call(given, last)), last
        assert said in what_is_said(lambda first=first: call(given, first)), first
