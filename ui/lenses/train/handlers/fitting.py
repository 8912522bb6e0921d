"""Scales presets to the machine: on a slow or busy one, a timed preset gets a smaller model, and a note."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from gptcore.config import GPTConfig
from gptcore.training.config import OptimizerName
from gptcore.training.precision import faster_precision, passes_rate
from ui.lenses.train.handlers.options import LENGTHS
from ui.lenses.train.handlers.presets import PRESETS
from ui.services import Services

_FIRST = next(iter(PRESETS.values()))
FIRST_OPTIMIZER: OptimizerName = _FIRST["optimizer"]
_SHAPE = ("n_layer", "n_head", "n_embd", "n_positions", "batch_size")  # as all presets of letters and pieces have them
_SECONDS = frozenset(length for length in LENGTHS if length.isdigit())
_VOCABULARY = 74  # of the built-in text in letters; what it costs is little
# Tokens that the preset's shape needs to write words; with fewer, a smaller model with smaller batches does better.
# Held-out loss after 3, 6 and 12 s on one thread (AMX): 4 x 128 in batches of 32 2.55, 2.34, 2.13; 2 x 96 in batches
# of 8 2.28, 1.90, 1.65; 1 x 64 in batches of 8 2.06, 1.76, 1.62.
_ENOUGH, _SOME = 450_000, 200_000
_OF_PASSES = 0.85  # of the rate of passes alone: a run also steps, looks at itself and scores (0.84 to 0.94)
_CLEARLY = 2.0  # times enough: the measurement need not go on
_SMALLER: dict[str, Any] = {"n_layer": 2, "n_embd": 96, "batch_size": 8}
_SMALLEST: dict[str, Any] = {"n_layer": 1, "n_embd": 64, "batch_size": 8}


def first_shape() -> tuple[GPTConfig, int]:
    """The shape that the presets of letters and pieces share, and the rows of a batch."""
    sizes = {name: _FIRST[name] for name in _SHAPE[:-1]}
    dropout = _FIRST["dropout"]
    shape = GPTConfig(vocab_size=_VOCABULARY, attn_pdrop=0.0, embd_pdrop=dropout, resid_pdrop=dropout, **sizes)
    return shape, _FIRST["batch_size"]


def expected_run(seconds: float) -> tuple[int, bool]:
    """(expected updates of a preset's run in this time at the present load, and whether it will write words)."""
    shape, batch = first_shape()
    tokens = _OF_PASSES * seconds * passes_rate(shape, batch, faster_precision(shape, batch), seconds=1.0)
    return round(tokens / (batch * shape.n_positions)), tokens >= _ENOUGH


def fitted(services: Services, values: Mapping[str, object]) -> tuple[dict[str, object], str]:
    """The form's values, scaled down if needed, and a sentence on what became smaller, or "".

    Only a preset's own shape, for so many seconds, is changed; what a visitor has chosen, and races, stay.
    """
    given = dict(values)
    seconds = given.get("length")
    alone = given.get("rival") == "none" and given.get("trick") == "none"
    if not (
        isinstance(seconds, str)
        and seconds in _SECONDS
        and alone
        and all(given.get(name) == _FIRST[name] for name in _SHAPE)
    ):
        return given, ""
    shape, batch = first_shape()
    enough = _CLEARLY * _ENOUGH / (_OF_PASSES * int(seconds))
    rate = services.now(partial(passes_rate, shape, batch, services.precision(shape, batch), enough=enough))
    tokens = _OF_PASSES * rate * int(seconds)
    if tokens >= _ENOUGH:
        return given, ""
    less = _SMALLER if tokens >= _SOME else _SMALLEST
    size = "1 layer" if less["n_layer"] == 1 else f"{less['n_layer']} layers"
    return {**given, **less}, (
        f"This machine is slow or busy now: in {seconds} s it would make about "
        f"{round(tokens / (batch * shape.n_positions)):,} updates of the preset's {shape.n_layer} layers × "
        f"{shape.n_embd}, too few for words. So this run has {size} × {less['n_embd']} in batches of "
        f"{less['batch_size']}. For the preset's own shape choose a number of steps."
    )
