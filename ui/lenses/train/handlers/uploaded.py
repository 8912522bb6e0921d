"""A model from a file as a run: what it learned from, its curve and what it writes, so that it can go on learning."""

import math
from collections.abc import Generator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from gptcore.model import evaluating
from gptcore.observation import Curve, Observation, observe
from ui.lenses.train.handlers.forms import TrainForm, TuneForm, train_form, tune_form
from ui.lenses.train.handlers.plan import make_plan, tuning_plan
from ui.runs.run_state import RunState, Stopwatch
from ui.runs.training_run import Plan
from ui.services import Services
from ui.shared.fields import fields_of, values_of

T = TypeVar("T")
_FORMS = {"scratch": TrainForm, "tune": TuneForm}
_NOT_SAVED = {"file": None, "rival": "none"}  # what a visitor's file was is not known any more; a race is over
_ROWS, _COLUMNS, _MOST_STEPS, _MOST_SECONDS = 400, 5, 10**9, 10**7


def run_of(record: RunState) -> dict[str, Any]:
    """What a model folder keeps of its run, for config.json: the form, the curve and the peak of the rate."""
    rows, _ = record.so_far()
    every = max(1, math.ceil(len(rows) / _ROWS))
    kept = [[float(f"{value:.5g}") for value in row[:_COLUMNS]] for row in rows[::-every][::-1]]
    kind, values = record.form or ("", {})
    plain = {name: value for name, value in values.items() if isinstance(value, (str, int, float, bool))}
    return {"form": kind, "values": plain, "rows": [row for row in kept if all(map(math.isfinite, row))]}


def record(services: Services, name: str, lm: LanguageModel, made: object) -> RunState:
    """The run of an uploaded model, ended.

    Args:
        name: its id, by which tabs open the model.
        lm: the model.
        made: what its folder says of how it was made, untrusted; where that is nothing, or does not fit the model, the
            run is one of fine-tuning that has not begun.

    Raises:
        GPTCoreError: a model that cannot read the text of its form, nor the built-in one.
    """
    told = made if isinstance(made, Mapping) else {}
    run = found if isinstance(found := told.get("run"), Mapping) else {}
    kind, values, plan, known = _plan(services, lm, run)
    curve = Curve()
    curve.rows = _rows(run.get("rows")) if known else []
    step = _number(told.get("steps"), _MOST_STEPS) if known else 0
    seconds = _number(told.get("seconds"), _MOST_SECONDS) if known else 0
    seen, loss = services.measure(lambda: _observed(lm, plan, int(step), seconds))
    facts = replace(plan.facts, title=lm.name, note="")
    return RunState(
        name,
        facts,
        state="ended",
        reason="Opened from a file.",
        step=int(step),
        seconds=Stopwatch(seconds),
        learning_rate=facts.config.learning_rate,
        curve=curve,
        observations=[seen],
        final_loss=loss,
        language_model=lm,
        form=(kind, values),
        from_file=True,
    )


def _plan(services: Services, lm: LanguageModel, run: Mapping[str, Any]) -> tuple[str, dict[str, Any], Plan, bool]:
    """(form, its values, its plan, True) of what made a model; of fine-tuning on the built-in text, and False, where
    that cannot be told. A path of a file is never taken from an upload."""
    kind, given = run.get("form"), run.get("values")
    if isinstance(kind, str) and kind in _FORMS and isinstance(given, Mapping):
        try:
            values = {name: given[name] for name in fields_of(_FORMS[kind]) if name in given} | _NOT_SAVED
            if kind == "tune":
                return kind, values, tuning_plan(services, lm, tune_form(values, services.limits)), True
            plan = make_plan(services, train_form(values, services.limits))
            facts, shape = plan.facts, lm.model.config
            if (facts.vocab_size, facts.n_layer, facts.n_head) == (shape.vocab_size, shape.n_layer, shape.n_head):
                return kind, values, plan, True
        except (GPTCoreError, KeyError):
            pass  # a text that is gone, or a form of another version
    form = TuneForm(length="30", learning_rate=1e-3, n_positions=min(256, lm.model.config.n_positions))
    return "tune", values_of(form), tuning_plan(services, lm, form), False


def _observed(lm: LanguageModel, plan: Plan, step: int, seconds: float) -> tuple[Observation, float]:
    with evaluating(lm.model):
        loss, accuracy = _result(plan.evaluate(lm.model, True))
        seen = observe(lm, plan.watched, step=step, elapsed=seconds, valid_loss=loss, accuracy=accuracy)
        return _result(seen), loss


def _result(steps: Generator[None, None, T]) -> T:
    """What a computation in steps returns."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            return ended.value


def _rows(rows: object) -> list[list[float]]:
    """A curve that a file holds, or [] for anything else: finite numbers, updates and seconds ascending."""
    if not isinstance(rows, list) or len(rows) > _ROWS:
        return []
    whole = all(isinstance(row, list) and len(row) == _COLUMNS and all(map(_is_finite, row)) for row in rows)
    rising = whole and all(a[0] < b[0] and a[4] <= b[4] for a, b in pairwise(rows))
    return [[float(value) for value in row] for row in rows] if rising else []


def _number(value: object, most: float) -> float:
    return min(float(value), most) if _is_finite(value) and value >= 0 else 0.0  # type: ignore[operator, arg-type]


def _is_finite(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e12
