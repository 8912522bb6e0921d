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
from functools import partial
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import torch
from answers import DIGITS
from core_values import MODELS, OBJECTS, OF_PACKAGE, VALUES, Cases, model_of

import gptcore

# Modules that compute; others read and write files, or are the machine's.
_MODULES = (
    "analysis",
    "attention",
    "corpora",
    "finetuning",
    "formatting",
    "inference.generation",
    "inference.reference",
    "inference.sampling",
    "inference.scoring",
    "inference.sequence",
    "model",
    "inference.sampling_settings",
    "inference.steering",
    "tokenizers.base",
    "tokenizers.byte_bpe",
    "tokenizers.char",
    "tokenizers.gpt1",
    "tokenizers.merging",
    "tokenizers.vocabulary",
    "training.data",
    "training.optimizer",
    "weights.hf_format",
    "zero_shot",
)
# What says itself whether its figures are right, hangs on how 0 is rounded, prepares others' work,
# or takes no plain values.
_LEFT_OUT = (
    "verify",
    "activation_curves",
    "evaluating",
    "write_tokenizer_files",
    "corpus",
    "decoded",
    "blocks",
    "tie",
    "initialise",
    "save",
    "train",
    "from_hf",
    "to_hf",
    "model_from_tensors",
    "make_optimizers",
    "set_rate",
)
_OF_MODELS = ("GPT", "QueriesAndKeys", "TaskClassifier")  # objects that are made of any of them
_AT_LEAST_1 = ("batch", "batch_size", "n_texts", "vocab_size")
_MOST = 400  # numbers of an answer; of more every k-th is kept


@dataclass(frozen=True)
class CoreQuestion:
    """A function, and what it is asked with."""

    module: str
    function: str  # or a method or a property, behind the name of its class
    model: str  # its name
    changed: str  # the parameter that is not at its default, "" for none
    value: Any = None

    @property
    def name(self) -> str:
        """As `tests/recorded` knows it."""
        value = " ".join(str(self.value).split(" object at ")[0].split())[:200]
        changed = f", {self.changed} {value}" if self.changed else ""
        return f"{self.module}.{self.function} of {self.model}{changed}"


def functions() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """All public ones that take no file, and methods of `OBJECTS`: their modules and names."""
    for found in pkgutil.walk_packages(gptcore.__path__, "gptcore."):
        place = found.name.removeprefix("gptcore.")
        computes = any(f"{place}.".startswith(f"{module}.") for module in _MODULES)
        if not computes or place.endswith("__main__"):
            continue
        for name, item in vars(importlib.import_module(found.name)).items():
            if getattr(item, "__module__", "") != found.name or name.startswith("_"):
                continue
            if name in OBJECTS:
                yield from ((place, *method) for method in _methods(name, item))
            elif inspect.isfunction(item) and name not in _LEFT_OUT and not _takes_file(item):
                yield place, name, item


def _takes_file(function: Callable[..., Any]) -> bool:
    return "Path" in str(inspect.signature(function))


def _methods(name: str, kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Methods and properties of a class as functions of what they take besides an object."""
    for own, item in vars(kind).items():
        if own in _LEFT_OUT or (own.startswith("_") and own != "__call__"):
            continue
        if isinstance(item, property):
            yield f"{name}.{own}", lambda: None
        elif inspect.isfunction(item):
            yield f"{name}.{own}", partial(item, None)


def _called(question: CoreQuestion) -> Callable[..., Any]:
    """The function, or the method of an object."""
    own, _, method = question.function.partition(".")
    if not method:
        return getattr(importlib.import_module(f"gptcore.{question.module}"), own)
    found = getattr(OBJECTS[own](model_of(question.model)), method)
    return found if callable(found) else lambda: found


def questions() -> Iterator[CoreQuestion]:
    """All of them."""
    for module, name, function in functions():
        parameters = inspect.signature(function).parameters
        takes_model = parameters.keys() & {"model", "config"} or name.startswith(_OF_MODELS)
        for model in MODELS if takes_model else ("gpt2",):
            yield CoreQuestion(module, name, model, "")
            for parameter in parameters.values():
                for value in _others(module, name, function, parameter):
                    yield CoreQuestion(module, name, model, parameter.name, value)


def _others(
    module: str, name: str, function: Callable[..., Any], parameter: inspect.Parameter
) -> list[Any]:
    """Values of a parameter that are not its default."""
    model = model_of("gpt2")
    if not _may_be_left_out(parameter):
        value = _value(module, name, parameter.name)(model)
        return value[1:] if isinstance(value, Cases) else _none_of(parameter.name, value)
    if isinstance(parameter.default, bool):
        return [not parameter.default]
    hint = get_type_hints(getattr(function, "func", function))[parameter.name]
    if get_origin(hint) is Literal:
        return [option for option in get_args(hint) if option != parameter.default]
    value = _value(module, name, parameter.name)(model)
    return [*value] if isinstance(value, Cases) else [value, *_none_of(parameter.name, value)]


def _none_of(name: str, value: Any) -> list[int]:
    """0 beside another whole number, if it may be: it is neither left out nor false."""
    return [0] if type(value) is int and value and name not in _AT_LEAST_1 else []


def _may_be_left_out(parameter: inspect.Parameter) -> bool:
    """Whether it has a default; without a seed an answer is one of chance."""
    is_chance = parameter.name == "seed" and parameter.default is None
    return parameter.default is not parameter.empty and not is_chance


def _value(module: str, function: str, name: str) -> Callable[[gptcore.GPT], Any]:
    """The function's own value, that of its package, or that of all."""
    package = OF_PACKAGE.get(module.partition(".")[0], {})
    own = f"{function}.{name}"
    return package.get(own) or VALUES.get(own) or package.get(name) or VALUES[name]


def answer(question: CoreQuestion) -> Any:
    """Plain values, or what it is refused with."""
    function = _called(question)
    positional = list[Any]()
    named = dict[str, Any]()
    for name, parameter in inspect.signature(function).parameters.items():
        if name == question.changed:
            value = question.value
        elif _may_be_left_out(parameter):
            continue
        else:
            value = _value(question.module, question.function, name)(model_of(question.model))
            value = value[0] if isinstance(value, Cases) else value
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional = [*named.values(), *value]
            named.clear()
        elif parameter.kind is parameter.VAR_KEYWORD:
            named |= value
        else:
            named[name] = value
    taken = [model_of(question.model), *positional, *named.values()]
    modules = [item for item in taken if isinstance(item, torch.nn.Module)]
    before = [*map(_state, modules)]
    try:
        found = plain(function(*positional, **named))
    except gptcore.GPTCoreError as refusal:
        found = {"refused": str(refusal)}
    assert [*map(_state, modules)] == before, "a model is not left as it was"
    return thinned(found)


def _state(module: torch.nn.Module) -> list[Any]:
    """What a function may change for a while and must not leave so."""
    parts = [(part.training, len(part._forward_hooks)) for part in module.modules()]
    return [parts, [(p._version, p.requires_grad, p.grad is None) for p in module.parameters()]]


def plain(value: Any) -> Any:
    """Tensors, records and iterators as lists, numbers and texts."""
    if isinstance(value, torch.Tensor | np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, torch.Generator):
        return value.initial_seed()
    if isinstance(value, gptcore.Tokenizer):
        return [plain(value.encode("the cat")), value.vocab_size, value.end_id]
    if is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in fields(value)]
        names += [name for name, item in vars(type(value)).items() if isinstance(item, property)]
        return {name: plain(_of(value, name)) for name in names if not name.startswith("_")}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return dict(sorted((_key(key), plain(item)) for key, item in value.items()))
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if abs(value) < float("inf") else str(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, torch.nn.Module):
        return {name: plain(part.flatten()[::7]) for name, part in value.named_parameters()}
    return [plain(item) for item in value]


def _of(value: Any, name: str) -> Any:
    """What a property gives; of no token there is no mean."""
    try:
        return getattr(value, name)
    except ZeroDivisionError as error:
        return str(error)


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
