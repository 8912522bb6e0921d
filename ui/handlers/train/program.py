"""Training for programs: what the endpoint /train answers."""

from __future__ import annotations

from typing import Any

from gptcore.corpora import CORPORA
from ui.handlers.inputs import InputError
from ui.handlers.numbers import finite, significant
from ui.handlers.train.plan import PRESETS
from ui.handlers.train.texts import REPEATED, YOURS
from ui.handlers.train.watching import start
from ui.runs import remaining
from ui.services import Services


def status(services: Services, run_id: object) -> dict[str, Any]:
    """A run by its id, for programs. Raises InputError when it is unknown."""
    run = services.jobs.find(run_id)
    if run is None:
        raise InputError(f"There is no run {str(run_id)[:60]!r} on this server. It may have been freed; start another.")
    with run.lock:
        last = run.observations[-1] if run.observations else None
        row = run.curve.rows[-1] if run.curve.rows else None
    left = remaining(run) if run.alive else 0.0
    return {
        "run": run.id, "title": run.plan.title, "state": run.state, "reason": run.reason, "step": run.step,
        "seconds": round(run.watch(), 2), "seconds_left": finite(left), "tokens_per_second": round(run.rate, 1),
        "loss": None if row is None else significant(row[1]), "learning_rate": None if row is None else significant(row[2]),
        "valid_loss": None if last is None else finite(last.valid_loss), "final_loss": finite(run.final_loss),
        "lines": run.plan.about["lines"], "sample": "" if last is None else last.text, "model": run.id,
    }  # fmt: skip


def by_program(
    services: Services, action: object, run_id: object, text: object, preset: object, given: dict[str, Any]
) -> dict[str, Any]:
    """What /train answers.

    Args:
        services: of the app.
        action: "start", "status" or "stop".
        run_id: which run, for the last two.
        text: a built-in one by name, or the text itself.
        preset: by name.
        given: length, max_steps, learning_rate (None for the preset's) and seed.

    Raises:
        GPTCoreError: with the value and what to give instead.
    """
    if action == "status":
        return status(services, run_id)
    if action == "stop":
        run = services.jobs.find(run_id)
        if run is not None:
            run.stop()
            run.wait(5.0)
        return status(services, run_id)
    if action != "start":
        raise InputError(f"The action is {str(action)[:40]!r}; choose start, status or stop.")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise InputError(f"There is no preset {str(preset)[:60]!r}. Choose {'; '.join(PRESETS)}.")
    values = {**PRESETS[preset], **{name: value for name, value in given.items() if value is not None}}
    if not (isinstance(text, str) and text in (*CORPORA, REPEATED)):
        text, values["written"] = YOURS, text
    bench = start(services, None, {**values, "corpus": text})
    assert bench.current is not None
    return status(services, bench.current.id)
