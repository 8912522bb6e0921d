"""Scales presets to the machine, with a note: smaller models on a slow CPU, larger batches on
a GPU.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from gptcore.analysis import count_parameters
from gptcore.config import GPTConfig
from gptcore.machine import CPU, device_name
from gptcore.training.config import OptimizerName, TrainingConfig, faster_precision
from ui.lenses.train.handlers.forms import LENGTHS, train_form
from ui.lenses.train.handlers.presets import PRESETS, STORY_WRITER
from ui.lenses.train.handlers.rates import passes_rate, update_seconds
from ui.lenses.train.handlers.texts import REPEATED, find_text
from ui.services import Services

_FIRST = next(iter(PRESETS.values()))
FIRST_OPTIMIZER: OptimizerName = _FIRST["optimizer"]
_WRITER = PRESETS[STORY_WRITER]
# as all presets of letters and pieces have them
_SHAPE = ("n_layer", "n_head", "n_embd", "n_positions", "batch_size")
_SECONDS = frozenset(length for length in LENGTHS if length.isdigit())
_VOCABULARY = 74  # of the built-in text in letters; what it costs is little
# Tokens that the preset's shape needs to write words; with fewer, a smaller model with smaller
# batches does better. Held-out loss after 3, 6 and 12 s on one thread (AMX): 4 x 128 in batches of
# 32 2.55, 2.34, 2.13; 2 x 96 in batches of 8 2.28, 1.90, 1.65; 1 x 64 in batches of 8 2.06, 1.76,
# 1.62.
_ENOUGH = 450_000
_SOME = 200_000
_OF_PASSES = (
    0.85  # of the rate of passes alone: a run also steps, looks at itself and scores (0.84 to 0.94)
)
_CLEARLY = 2.0  # times enough: the measurement need not go on
_SMALLER: dict[str, Any] = {"n_layer": 2, "n_embd": 96, "batch_size": 8}
_SMALLEST: dict[str, Any] = {"n_layer": 1, "n_embd": 64, "batch_size": 8}
# On a GPU. Held-out loss after 28 s on an H200 (the anthology, 4 x 128): as on a CPU 3.28,
# after 190 passes; with the regularisation below 1.56, in batches of 128 1.46.
_ROWS = (32, 64, 128, 256, 512)
_STILL_LAUNCHES = (
    1.5  # times the smallest batch's seconds: below, an update is mostly the starting of kernels
)
_MANY_PASSES = 30
_REGULARISED: dict[str, Any] = {"dropout": 0.2, "noise": 0.15, "weight_decay": 1.0}
_LARGER: dict[str, Any] = {"n_layer": 6, "n_head": 8, "n_embd": 256}
_TOKENS_A_PARAMETER = 20  # Hoffmann et al. 2022: fewer, and a smaller model is better
_WRITER_TOKENS = 40_000_000  # read by the story writer in 28 s on an H200
_CHARACTERS_A_PIECE = 1.9


def first_shape() -> tuple[GPTConfig, int]:
    """The shape that the presets of letters and pieces share, and the rows of a batch."""
    sizes = {name: _FIRST[name] for name in _SHAPE[:-1]}
    dropout = _FIRST["dropout"]
    shape = GPTConfig(
        vocab_size=_VOCABULARY, attn_pdrop=0.0, embd_pdrop=dropout, resid_pdrop=dropout, **sizes
    )
    return shape, _FIRST["batch_size"]


def expected_run(seconds: float, device: torch.device = CPU) -> tuple[int, bool]:
    """(expected updates of a preset's run in this time at the present load, and whether it will
    write words).
    """
    shape, batch = first_shape()
    if device != CPU:
        updates = _OF_PASSES * seconds / update_seconds(shape, _config(batch, device), device)
        return round(updates), updates * batch * shape.n_positions >= _ENOUGH
    tokens = _OF_PASSES * seconds * passes_rate(shape, batch, faster_precision(), seconds=1.0)
    return round(tokens / (batch * shape.n_positions)), tokens >= _ENOUGH


def fitted(services: Services, values: Mapping[str, object]) -> tuple[dict[str, object], str]:
    """The form's values, scaled down if needed, and a sentence on what became smaller, or "".

    Only a preset's own shape, for so many seconds, is changed; what a visitor has chosen stays.
    What is broken on purpose shrinks like what is not, and the runs of a race have half of the
    CPU each.
    """
    given = dict(values)
    seconds = given.get("length")
    if services.device != CPU:
        return _grown(services, given)
    if (
        isinstance(seconds, str)
        and seconds in _SECONDS
        and all(given.get(name) == _WRITER[name] for name in _SHAPE)
    ):
        return given, _as_a_writer(services, int(seconds))
    own = all(given.get(name) == _FIRST[name] for name in _SHAPE)
    if not (isinstance(seconds, str) and seconds in _SECONDS and own):
        return given, ""
    shape, batch = first_shape()
    share = _OF_PASSES * (1.0 if given.get("rival") == "none" else 0.5)
    enough = _CLEARLY * _ENOUGH / (share * int(seconds))
    rate = services.now(partial(passes_rate, shape, batch, services.precision, enough=enough))
    tokens = share * rate * int(seconds)
    if tokens >= _ENOUGH:
        return given, ""
    less = _SMALLER if tokens >= _SOME else _SMALLEST
    size = "1 layer" if less["n_layer"] == 1 else f"{less['n_layer']} layers"
    return {**given, **less}, (
        f"This machine is slow or busy now: in {seconds} s it would make about "
        f"{round(tokens / (batch * shape.n_positions)):,} updates of the preset's "
        f"{shape.n_layer} layers × {shape.n_embd}, too few to learn words. So this run has "
        f"{size} × {less['n_embd']} in batches of {less['batch_size']}. For the preset's own "
        "shape choose a number of steps."
    )


def _as_a_writer(services: Services, seconds: int) -> str:
    """Explains how many tokens the story writer's preset would read on a CPU, and how long as many
    as on a GPU would take.
    """
    shape = GPTConfig(
        **{name: _WRITER[name] for name in _SHAPE[:-1]},
        vocab_size=_WRITER["vocab_size"],
        attn_pdrop=0.0,
    )
    rows = 4  # the rate is that of larger batches, and measured sooner
    rate = _OF_PASSES * services.now(partial(passes_rate, shape, rows, services.precision))
    return (
        f"With a graphics card this preset reads about {_WRITER_TOKENS / 1e6:.0f} million "
        "tokens in 30 s and then writes stories. This processor reads "
        f"{rate * seconds / 1e6:.1f} million in {seconds} s; for as many as a card it would "
        f"take about {_WRITER_TOKENS / rate / 60:,.0f} minutes."
    )


def _config(rows: int, device: torch.device) -> TrainingConfig:
    """Of the runs that are measured on a GPU."""
    return TrainingConfig(
        batch_size=rows, optimizer=FIRST_OPTIMIZER, precision=faster_precision(device)
    )


def _grown(services: Services, given: dict[str, object]) -> tuple[dict[str, object], str]:
    """Scales the form's values up on a GPU, with a sentence as in `fitted`: first the batch, while
    that costs little time, then the regularisation or the model.
    """
    form = train_form(given, services.limits)
    device = services.device
    own = all(given.get(name) == _FIRST[name] for name in _SHAPE)
    plain = form.rival == "none" and form.trick == "none" and form.corpus != REPEATED
    if not (own and plain and form.length in _SECONDS):
        return given, ""
    shape, _ = first_shape()
    text = find_text(services.limits, form)
    characters = sum(map(len, text.documents))
    n_tokens = characters / (1 if form.tokenizer == "char" else _CHARACTERS_A_PIECE)

    def measured(shape: GPTConfig, rows: int) -> float:
        return services.now(partial(update_seconds, shape, _config(rows, device), device))

    each = measured(shape, _ROWS[0])
    rows = _ROWS[0]
    for more in _ROWS[1:]:
        if measured(shape, more) > _STILL_LAUNCHES * each:
            break
        rows = more
    seconds = float(form.length)
    read = seconds / measured(shape, rows) * rows * shape.n_positions
    changes: dict[str, object] = {"batch_size": rows}
    parts = [f"batches of {rows} windows instead of {_ROWS[0]}"] if rows > _ROWS[0] else []
    if read > _MANY_PASSES * n_tokens:
        changes |= {
            name: max(value, float(str(given[name]))) for name, value in _REGULARISED.items()
        }
        parts.append(
            "more dropout, noise and decay, since it reads the text about "
            f"{read / n_tokens:,.0f} times"
        )
    else:
        larger = replace(shape, **_LARGER)
        of_larger = seconds / measured(larger, rows) * rows * shape.n_positions
        if of_larger >= _TOKENS_A_PARAMETER * count_parameters(larger).total:
            changes |= _LARGER
            parts.append(f"{larger.n_layer} layers of {larger.n_embd} channels")
    if not parts:
        return given, ""
    return {**given, **changes}, (
        f"{device_name(device)} makes about {1 / each:,.0f} updates of the preset's shape a "
        "second, most of it the starting of its kernels. So this run has "
        f"{' and '.join(parts)}. For the preset's own settings choose a number of steps."
    )
