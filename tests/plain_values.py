"""Values as JSON, and back: what functions take and give, for `tests/recorded`."""

import importlib
import random
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

import gptcore
from gptcore.language_model import MOMENT, LanguageModel, bundled_models, load
from tiny import ROOT, drawn_at_random

_WIDEST = 128  # residual stream of a model that is made anew
_PACKAGES = ("ui.", "gptcore.")
_KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "deque": deque,
}
# What stands for itself, made anew.
_MADE: dict[str, Callable[[], Any]] = {
    "lock": threading.Lock,
    "rlock": threading.RLock,
    "condition": threading.Condition,
    "event": threading.Event,
    "random": lambda: random.Random(5),
}
_KIND_OF = {type(make()): kind for kind, make in _MADE.items()}


class NotPlain(Exception):
    """A value that cannot stand in a record."""


@cache
def model_named(name: str) -> LanguageModel:
    """A bundled model, as its training left it or as it was at a moment of it."""
    return load(name, offline=True)


@cache
def _model_like(config: gptcore.GPTConfig) -> gptcore.GPT:
    return drawn_at_random(gptcore.GPT(config).eval(), 5)


def _name_of(kind: Any) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def item_named(name: str) -> Any:
    """A function, a class, or a method of one, by its module and name.

    Raises:
        AttributeError, ModuleNotFoundError: there is none of that name.
    """
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def encoded(value: Any, most: int) -> Any:
    """A value as JSON.

    Args:
        value: numbers, texts, tensors, containers, objects of the project, and its models.
        most: numbers of a tensor.

    Raises:
        NotPlain: it is or holds something else.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    for kinds, encode in _ENCODED:
        if isinstance(value, kinds):
            return encode(value, most)
    return _encoded_object(value, most)


def _encoded_model(lm: LanguageModel, most: int) -> Any:
    is_bundled = lm.name.partition(MOMENT)[0] in bundled_models()
    return {"model": lm.name} if is_bundled else _encoded_object(lm, most)


def _encoded_gpt(model: gptcore.GPT, most: int) -> Any:
    if model.config.n_embd > _WIDEST:
        raise NotPlain
    return {"gpt": encoded(model.config, most)}


def _encoded_mapping(items: Mapping[Any, Any], most: int) -> Any:
    if all(type(key) is str for key in items):
        return {"dict": {key: encoded(item, most) for key, item in items.items()}}
    return {"pairs": [[encoded(key, most), encoded(item, most)] for key, item in items.items()]}


def _encoded_items(items: Any, most: int) -> Any:
    """A list, or another container by its kind; a named tuple by its name."""
    own = [encoded(item, most) for item in items]
    if isinstance(items, set | frozenset):
        own.sort(key=str)
    if hasattr(items, "_asdict"):
        return {"row": _name_of(type(items)), "of": own}
    kinds = [kind for kind, made in _KINDS.items() if isinstance(items, cast(type, made))]
    return {kinds[0]: own} if kinds else own


def _encoded_path(path: Path, _: int) -> Any:
    if not path.is_relative_to(ROOT):
        raise NotPlain
    return {"path": path.relative_to(ROOT).as_posix()}


def _encoded_numbers(value: torch.Tensor | np.ndarray, most: int) -> Any:
    size = value.numel() if isinstance(value, torch.Tensor) else value.size
    if size > most:
        raise NotPlain
    kind = "tensor" if isinstance(value, torch.Tensor) else "array"
    return {kind: str(value.dtype).removeprefix("torch."), "of": value.tolist()}


def _encoded_object(value: Any, most: int) -> Any:
    """An object of the project: what it holds; a function or class of it: its name."""
    if type(value) in _KIND_OF:
        return {"made": _KIND_OF[type(value)]}
    if isinstance(value, type) or hasattr(value, "__qualname__"):
        name = _name_of(value)
        if not name.startswith(_PACKAGES) or "<" in name:
            raise NotPlain
        return {"named": name}
    if not type(value).__module__.startswith(_PACKAGES) or isinstance(value, torch.nn.Module):
        raise NotPlain
    if is_dataclass(value):
        held = {item.name: getattr(value, item.name) for item in fields(value)}
    elif hasattr(value, "__dict__"):
        held = vars(value)
    else:
        raise NotPlain
    own = {name: encoded(item, most) for name, item in held.items()}
    return {"object": _name_of(type(value)), "of": own}


_ENCODED: tuple[tuple[Any, Callable[[Any, int], Any]], ...] = (
    (LanguageModel, _encoded_model),
    (gptcore.GPT, _encoded_gpt),
    (Path, _encoded_path),
    ((torch.Tensor, np.ndarray), _encoded_numbers),
    (Mapping, _encoded_mapping),
    ((tuple, list, range, set, frozenset, deque), _encoded_items),
)


def decoded(value: Any) -> Any:
    """The value that `encoded` has made JSON of."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind, what = next(iter(value.items()))
    if kind in _KINDS:
        return _KINDS[kind]([decoded(item) for item in what])
    return _DECODED[kind](what, value.get("of"))


def _decoded_object(name: str, held: Mapping[str, Any]) -> Any:
    made = object.__new__(item_named(name))
    for attribute, item in held.items():
        object.__setattr__(made, attribute, decoded(item))
    return made


# What the value of each other kind is, of its name and of what stands below "of".
_DECODED: dict[str, Callable[[Any, Any], Any]] = {
    "object": _decoded_object,
    "row": lambda name, items: item_named(name)(*map(decoded, items)),
    "tensor": lambda dtype, numbers: torch.tensor(numbers, dtype=getattr(torch, dtype)),
    "array": lambda dtype, numbers: np.array(numbers, dtype=dtype),
    "dict": lambda items, _: {key: decoded(item) for key, item in items.items()},
    "pairs": lambda items, _: {decoded(key): decoded(item) for key, item in items},
    "model": lambda name, _: model_named(name),
    "gpt": lambda config, _: _model_like(decoded(config)),
    "path": lambda name, _: ROOT / name,
    "named": lambda name, _: item_named(name),
    "made": lambda kind, _: _MADE[kind](),
}
