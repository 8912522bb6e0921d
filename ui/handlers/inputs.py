"""Checks of raw values from the page and the API: the same for both, since any value can arrive by either."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

from gptcore.errors import GPTCoreError
from gptcore.generation import MAX_SEED
from gptcore.sampling import SamplingSettings
from ui.limits import Limits


class InputError(GPTCoreError):
    """A field whose value cannot be used; the message is meant for the visitor."""


def text(value: object, name: str, *, most: int, least: int = 0) -> str:
    """A string of allowed length."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, not {_kind(value)}.")
    if len(value) > most:
        raise InputError(f"{name} has {len(value):,} characters; {most:,} are allowed. Shorten it.")
    if len(value) < least or (least and not value.strip()):
        raise InputError(f"{name} is empty. Write something for the model to read.")
    return value


def number(value: object, name: str, *, low: float, high: float) -> float:
    """A finite number in a range."""
    if not _is_number(value):
        raise InputError(f"{name} is {_shown(value)}; it must be a number from {low:g} to {high:g}.")
    if not low <= value <= high:
        raise InputError(f"{name} is {value:g}; it must lie between {low:g} and {high:g}.")
    return float(value)


def whole(value: object, name: str, *, low: int, high: int) -> int:
    """A whole number in a range; 5.0 counts as one, since JSON does not tell them apart."""
    if not _is_number(value) or value != int(value):
        raise InputError(f"{name} is {_shown(value)}; it must be a whole number from {low:,} to {high:,}.")
    if not low <= value <= high:
        raise InputError(f"{name} is {value:,g}; it must lie between {low:,} and {high:,}.")
    return int(value)


def flag(value: object, name: str) -> bool:
    """True or False, nothing that merely looks like it."""
    if not isinstance(value, bool):
        raise InputError(f"{name} is {_shown(value)}; it must be true or false.")
    return value


def model_name(value: object) -> str:
    """A name for the model store."""
    name = text(value, "The model's name", most=300).strip()
    if not name:
        raise InputError("No model is chosen. Pick one from the list.")
    return name


def seed(value: object) -> int | None:
    """A seed, or None for a fresh one."""
    return None if value is None or value == "" else whole(value, "The seed", low=0, high=min(MAX_SEED, 2**53))


def stop_strings(value: object) -> tuple[str, ...]:
    r"""Stop strings, one a line; \n and \t stand for newline and tab."""
    lines = text(value, "The stop strings", most=500).split("\n")
    found = tuple(line.replace("\\n", "\n").replace("\\t", "\t") for line in lines if line)
    if len(found) > 8:
        raise InputError(f"There are {len(found)} stop strings; 8 are allowed.")
    return found


def settings(values: dict[str, Any], vocab_size: int) -> SamplingSettings:
    """Sampling controls by their names in SamplingSettings; 0 switches top_k and min_p off, 1 top_p.

    Raises:
        InputError or SamplingError: with the value and the range.
    """
    top_k = whole(values["top_k"], "Top-k", low=0, high=vocab_size)
    top_p = number(values["top_p"], "Top-p", low=0, high=1)
    min_p = number(values["min_p"], "Min-p", low=0, high=1)
    if top_p == 0:
        raise InputError("Top-p is 0; it must be more than 0 and at most 1. 1 switches it off.")
    return SamplingSettings(
        temperature=number(values["temperature"], "Temperature", low=0, high=100),
        top_k=top_k or None,
        top_p=None if top_p == 1 else top_p,
        min_p=min_p or None,
        repetition_penalty=number(values["repetition_penalty"], "Repetition penalty", low=0.1, high=10),
        no_repeat_ngram_size=whole(values["no_repeat_ngram_size"], "No-repeat n-grams", low=0, high=20),
        min_new_tokens=whole(values["min_new_tokens"], "Minimum length", low=0, high=100_000),
    )


@dataclass(frozen=True)
class Writing:
    """How a text is written: the checked controls that are not part of sampling."""

    max_new_tokens: int
    stop: tuple[str, ...]
    seed: int | None
    use_cache: bool
    tokens_per_second: float


def writing(values: dict[str, Any], limits: Limits) -> Writing:
    """Checks the controls around sampling; a speed limit under one token a second is none."""
    speed = number(values["tokens_per_second"], "The speed limit", low=0, high=10_000)
    return Writing(
        max_new_tokens=whole(values["max_new_tokens"], "New tokens", low=1, high=limits.max_new_tokens),
        stop=stop_strings(values["stop"]),
        seed=seed(values["seed"]),
        use_cache=flag(values["use_cache"], "KV cache"),
        tokens_per_second=speed if speed >= 1 else 0,
    )


def _is_number(value: object) -> TypeGuard[int | float]:
    """A finite number of a size that arithmetic can handle; JSON allows whole numbers of any length."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


def _shown(value: object) -> str:
    return repr(value)[:60]
