"""What `tests/tools/ladder.py` measured: the ancestors of a GPT, and MLPs of several sizes, on one text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("ladder.json")
# How wide the inside of the MLP is -> its name in the file.
_SIZES = {"none": "attention", "½": "inner ½", "1": "inner 1", "2": "inner 2", "4": "gpt", "8": "inner 8"}


@dataclass(frozen=True)
class Rung:
    """One model: held-out loss in nats a character, and its parameters."""

    loss: float
    parameters: int


@cache
def rungs() -> dict[str, Rung]:
    """By name: "bigram", "mlp", "wavenet", "attention" (a GPT without MLPs), "gpt"."""
    found = _recorded()
    return {name: Rung(**found[name]) for name in ("bigram", "mlp", "wavenet", "attention", "gpt")}


@cache
def inner_sizes() -> dict[str, Rung]:
    """The same GPT by the inner width of its MLPs, in multiples of its width."""
    found = _recorded()
    return {size: Rung(**found[name]) for size, name in _SIZES.items()}


def how() -> str:
    """How it was measured, as a sentence."""
    found = _recorded()
    each = found["characters"] // found["updates"]
    return (
        f"Measured here on the built-in anthology: {found['updates']:,} updates of {each:,} characters each, the "
        "same ones for every model, held-out loss in nats a character."
    )


def _recorded() -> dict[str, Any]:
    return json.loads(_FILE.read_text(encoding="utf-8"))
