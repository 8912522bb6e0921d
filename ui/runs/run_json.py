"""Training runs as JSON: for the page, for files that visitors save, and for the disk."""

import base64
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, cast

import numpy as np
import torch
from pydantic import BaseModel

from gptcore.analysis import HeadScores
from gptcore.language_model import LanguageModel
from gptcore.training import TrainingConfig
from ui.runs.payloads import RunAbout
from ui.runs.run_state import RunFacts, RunState, Stopwatch
from ui.runs.snapshot import Curve, Snapshot

_FACTS = tuple(field.name for field in fields(RunFacts) if field.name != "config")
# Names of a fact on the page, where they are shorter.
_SHORT = {"vocab_size": "V", "n_layer": "L", "n_head": "H", "n_parameters": "parameters"}


class _WrittenLook(BaseModel, strict=True):
    """A snapshot of the model in JSON, as far as its types can be told."""

    step: int
    elapsed: float
    valid_loss: float | None
    text: str
    scores: dict[str, Any]
    maps: str
    probabilities: str
    tasks: dict[str, Any] = {}
    accuracy: float | None = None


class _WrittenRun(BaseModel, strict=True):
    """A run in JSON, as far as its types can be told."""

    about: dict[str, Any]
    config: dict[str, Any]
    reason: str
    step: int
    seconds: float
    tokens_per_second: float
    final_loss: float | None
    rows: list[list[int | float]]
    looks: list[_WrittenLook]
    number: int = 1
    final_accuracy: float | None = None
    kept_step: int | None = None
    plain_losses: list[float | None] = []


def facts_json(facts: RunFacts) -> RunAbout:
    """The facts of a run as JSON, for the page and for recordings."""
    fields = {_SHORT.get(name, name): _plain(getattr(facts, name)) for name in _FACTS}
    return cast(RunAbout, fields)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    return _number(value) if isinstance(value, float) else value


def write_run(record: RunState) -> str:
    """A run as JSON, which read_run takes back."""
    rows, looks = record.so_far()
    return json.dumps(
        {
            "title": record.facts.title,
            "about": facts_json(record.facts),
            "config": asdict(record.facts.config),
            "number": record.number,
            "reason": record.reason,
            "step": record.step,
            "seconds": round(record.seconds(), 2),
            "tokens_per_second": round(record.rate, 1),
            "final_loss": _number(record.final_loss),
            "final_accuracy": _number(record.final_accuracy),
            "kept_step": record.kept_step,
            "plain_losses": [_number(plain_loss) for plain_loss in record.plain_losses],
            "rows": [[int(row[0]), *(float(f"{value:.5g}") for value in row[1:])] for row in rows],
            "looks": [_look_json(look) for look in looks],
        },
        ensure_ascii=False,
    )


def read_run(text: str, lm: LanguageModel | None, name: str = "") -> RunState:
    """A run from its recording, with the model that it made, if there is one; else under a name.

    Raises ValueError, or whatever a damaged content makes its readers raise, for another JSON.
    """
    written = _WrittenRun.model_validate_json(text)
    config = TrainingConfig(**written.config)
    curve = Curve()
    curve.rows = written.rows
    return RunState(
        lm.name if lm is not None else name,
        _facts(written.about, config),
        number=written.number,
        state="ended",
        reason=written.reason,
        step=written.step,
        seconds=Stopwatch(written.seconds),
        rate=written.tokens_per_second,
        learning_rate=config.learning_rate,
        curve=curve,
        snapshots=[
            _observation(look, written.about["L"], written.about["H"]) for look in written.looks
        ],
        final_loss=_or_nan(written.final_loss),
        final_accuracy=_or_nan(written.final_accuracy),
        kept_step=written.kept_step,
        plain_losses=tuple(_or_nan(loss) for loss in written.plain_losses),
        language_model=lm,
    )


def _facts(about: dict[str, Any], config: TrainingConfig) -> RunFacts:
    """The facts of a run from JSON; what an older one lacks has its default."""
    given: dict[str, Any] = {
        name: about[short] for name in _FACTS if (short := _SHORT.get(name, name)) in about
    }
    given = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    numbers = {name: _or_nan(given.get(name)) for name in ("commonest", "tokens_per_character")}
    return RunFacts(**{**given, **numbers, "config": config})


def _look_json(look: Snapshot) -> dict[str, Any]:
    return {
        "step": look.step,
        "elapsed": round(look.elapsed, 2),
        "valid_loss": _number(look.valid_loss),
        "accuracy": _number(look.accuracy),
        "text": look.text,
        "scores": look.scores.lists(),
        "maps": _packed(look.maps),
        "probabilities": _packed(look.probabilities),
        "tasks": look.tasks,
    }


def _observation(look: _WrittenLook, n_layer: int, n_head: int) -> Snapshot:
    scores = {
        field.name: torch.tensor(
            [[_or_nan(score) for score in row] for row in look.scores[field.name]]
        )
        for field in fields(HeadScores)
    }
    maps = np.frombuffer(_unpacked(look.maps), dtype=np.uint8)
    side = math.isqrt(maps.size // (n_layer * n_head))
    return Snapshot(
        look.step,
        look.elapsed,
        _or_nan(look.valid_loss),
        look.text,
        np.frombuffer(_unpacked(look.probabilities), dtype=np.float16),
        HeadScores(**scores),
        maps.reshape(n_layer, n_head, side, side),
        tasks=look.tasks,
        accuracy=_or_nan(look.accuracy),
    )


def _packed(values: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(values.tobytes(), 9)).decode()


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def _number(value: float) -> float | None:
    return round(value, 5) if math.isfinite(value) else None


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
