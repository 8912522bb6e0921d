"""Measurements on one text: the ancestors of a GPT, and MLPs of several sizes.

Recorded by `tests/tools/ladder.py` of this project's commit d530147, with which its models left the
tree.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("ancestors.json")
# How wide the inside of the MLP is -> its name in the file.
_SIZES = {
    "none": "attention",
    "½": "inner ½",
    "1": "inner 1",
    "2": "inner 2",
    "4": "gpt",
    "8": "inner 8",
}


@dataclass(frozen=True)
class Measured:
    """One model: held-out loss in nats a character, and its parameters."""

    loss: float
    parameters: int


@cache
def ancestors() -> dict[str, Measured]:
    """By name: "bigram", "mlp", "wavenet", "attention" (a GPT without MLPs), "gpt"."""
    recorded = _recorded()
    return {
        name: Measured(**recorded[name])
        for name in ("bigram", "mlp", "wavenet", "attention", "gpt")
    }


@cache
def inner_sizes() -> dict[str, Measured]:
    """The same GPT by the inner width of its MLPs, in multiples of its width."""
    recorded = _recorded()
    return {size: Measured(**recorded[name]) for size, name in _SIZES.items()}


def how() -> str:
    """Describes how the losses were measured, as a sentence."""
    recorded = _recorded()
    each = recorded["characters"] // recorded["updates"]
    return (
        f"Measured here on the built-in anthology: {recorded['updates']:,} updates of {each:,} "
        "characters each, the same ones for every model, held-out loss in nats a character."
    )


def _recorded() -> dict[str, Any]:
    return json.loads(_FILE.read_text(encoding="utf-8"))
