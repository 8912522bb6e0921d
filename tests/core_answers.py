"""Questions to the public functions of the core that compute, and their answers as plain values.

A function is asked with values by the names of its parameters, then with another value of each that
has several, or a default. One that takes a parameter without a value here fails: give it one in
`VALUES`.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import torch
from page_answers import DIGITS

import gptcore
from gptcore import analysis
from gptcore.analysis.ablation import ModelPart
from gptcore.inference import sampling
from gptcore.probe import Probe

# Besides all of `gptcore.analysis`: what takes and gives numbers.
_MODULES = (
    "attention",
    "inference.sampling",
    "inference.scoring",
    "inference.sequence",
    "zero_shot.metrics",
)
# The first says itself whether its figures are right; a slope at a kink hangs on how 0 is rounded.
_LEFT_OUT = ("verify", "activation_curves")
_SHAPE = {"vocab_size": 13, "n_positions": 12, "n_embd": 8, "n_layer": 3, "n_head": 2}
# Two that follow each other are the same, some come again, and the last one is not the largest.
_TOKENS = [3, 7, 1, 1, 9, 3, 7, 2]
_MOST = 400  # numbers of an answer; of more every k-th is kept


@cache
def _model(preset: str) -> gptcore.GPT:
    """A model whose parameters are all random: no gain is 1, no bias 0."""
    dropout = {"embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}
    model = gptcore.GPT(gptcore.GPTConfig.from_preset(preset, **_SHAPE, **dropout)).eval()
    draw = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            drawn = torch.randn(parameter.shape, generator=draw)
            is_gain = ".ln_" in f".{name}" and name.endswith("weight")
            parameter.copy_(1 + 0.3 * drawn if is_gain else 0.4 * drawn)
    return model


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
        {"no_repeat_ngram_size": 3, "min_new_tokens": 3, "top_k": 3},
    )
)
_BEFORE = Cases([[0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0], [0.2, 0.7, 0.1, 1.0, 0.4, 0.0, 0.3]])


def _cells(model: gptcore.GPT) -> list[tuple[int, int]]:
    return [(0, 2), (model.config.n_layer - 1, 5)]


# Parameter -> its value, of a model. Named after a function: that function's alone.
VALUES: dict[str, Callable[[gptcore.GPT], Any]] = {
    "model": lambda model: model,
    "config": lambda model: model.config,
    "token_ids": lambda _: _TOKENS,
    "source_ids": lambda _: _TOKENS,
    "target_ids": lambda _: [3, 7, 4, 1, 9, 3, 6, 2],
    "token": lambda _: 4,
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
    "nodes": lambda _: analysis.word_circuit(_model("gpt2"), _TOKENS, 4, 10).nodes[1:4],
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
    "away": lambda _: ["q r s", "mat mat m"],
}


@dataclass(frozen=True)
class CoreQuestion:
    """A function, and what it is asked with."""

    module: str
    function: str
    preset: str  # of the model
    changed: str  # the parameter that is not at its default, "" for none
    value: Any = None

    @property
    def name(self) -> str:
        """As `tests/recorded` knows it."""
        value = " ".join(str(self.value).split())[:200]
        changed = f", {self.changed} {value}" if self.changed else ""
        return f"{self.module}.{self.function} of {self.preset}{changed}"


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All public ones, with the names of their modules."""
    within = [f"analysis.{found.name}" for found in pkgutil.iter_modules(analysis.__path__)]
    for place in (*within, *_MODULES):
        module = importlib.import_module(f"gptcore.{place}")
        for name, function in vars(module).items():
            is_own = inspect.isfunction(function) and function.__module__ == module.__name__
            if is_own and not name.startswith("_") and name not in _LEFT_OUT:
                yield place, function


def questions() -> Iterator[CoreQuestion]:
    """All of them."""
    for module, function in functions():
        parameters = inspect.signature(function).parameters
        for preset in ("gpt2", "gpt1") if parameters.keys() & {"model", "config"} else ("gpt2",):
            yield CoreQuestion(module, function.__name__, preset, "")
            for parameter in parameters.values():
                for value in _others(function, parameter):
                    yield CoreQuestion(module, function.__name__, preset, parameter.name, value)


def _others(function: Callable[..., Any], parameter: inspect.Parameter) -> list[Any]:
    """Values of a parameter that are not its default."""
    if parameter.default is inspect.Parameter.empty:
        value = _value(function, parameter.name)(_model("gpt2"))
        return value[1:] if isinstance(value, Cases) else []
    if isinstance(parameter.default, bool):
        return [not parameter.default]
    hint = get_type_hints(function)[parameter.name]
    if get_origin(hint) is Literal:
        return [option for option in get_args(hint) if option != parameter.default]
    value = _value(function, parameter.name)(_model("gpt2"))
    return value if isinstance(value, Cases) else [value]


def _value(function: Callable[..., Any], name: str) -> Callable[[gptcore.GPT], Any]:
    return VALUES.get(f"{function.__name__}.{name}") or VALUES[name]


def answer(question: CoreQuestion) -> Any:
    """Plain values, or what it is refused with."""
    module = importlib.import_module(f"gptcore.{question.module}")
    function = getattr(module, question.function)
    positional = list[Any]()
    named = dict[str, Any]()
    for name, parameter in inspect.signature(function).parameters.items():
        if name == question.changed:
            value = question.value
        elif parameter.default is not parameter.empty:
            continue
        else:
            value = _value(function, name)(_model(question.preset))
            value = value[0] if isinstance(value, Cases) else value
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += value
        else:
            named[name] = value
    try:
        if positional:
            given = [named.pop(name) for name in list(named) if name in ("model", "token_ids")]
            return thinned(plain(function(*given, *positional, **named)))
        return thinned(plain(function(**named)))
    except gptcore.GPTCoreError as refusal:
        return {"refused": str(refusal)}


def plain(value: Any) -> Any:
    """Tensors, records and iterators as lists, numbers and texts."""
    if isinstance(value, torch.Tensor):
        return plain(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if abs(value) < float("inf") else str(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, torch.nn.Module):
        return plain(dict(value.named_parameters()))
    return [plain(item) for item in value]


def _key(key: Any) -> str:
    return str(tuple(asdict(key).values())) if is_dataclass(key) else str(key)


def thinned(value: Any) -> Any:
    """An answer, of whose long lists of numbers every k-th is kept."""
    if isinstance(value, dict):
        return {key: thinned(item) for key, item in value.items()}
    if isinstance(value, list) and all(isinstance(item, int | float) for item in value):
        return value[:: len(value) // _MOST + 1]
    if isinstance(value, list):
        return [thinned(item) for item in value]
    return value
