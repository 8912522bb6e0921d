"""The Train tab: starting, steering and watching runs. What comes from a browser may be anything."""

from __future__ import annotations

import base64
import html
import math
import zlib
from typing import Any

from gptcore.errors import GPTCoreError
from gptcore.training import learning_rate
from gptcore.training.recording import Observation, score_lists
from ui.handlers import inputs
from ui.handlers.numbers import finite, significant
from ui.handlers.train import labels
from ui.handlers.train.labels import label_plan
from ui.handlers.train.plan import make_plan, tuning_plan
from ui.jobs import Bench
from ui.runs import FinishedRun, Run, remaining
from ui.services import Services

_PLANNED = 60  # points of the learning rate that lies ahead


def start(services: Services, bench_id: object, values: dict[str, Any], *, go: bool = True) -> Bench:
    """Starts a run from scratch on a visitor's bench. Raises GPTCoreError with what to change."""
    return services.jobs.start(bench_id, make_plan(services, services.texts, values), go=go)


def tune(services: Services, bench_id: object, model: object, values: dict[str, Any]) -> Bench:
    """Starts training the picked model further on a text. Raises GPTCoreError with what to change."""
    lm = services.models.get(inputs.model_name(model))
    return services.jobs.start(bench_id, tuning_plan(services, services.texts, lm, values))


def learn_labels(services: Services, bench_id: object, model: object, values: dict[str, Any]) -> Bench:
    """Starts a classifier around the picked model on labelled lines. Raises GPTCoreError with what to change."""
    lm = services.models.get(inputs.model_name(model))
    return services.jobs.start(bench_id, label_plan(services, lm, values))


def tell(services: Services, request: object) -> dict[str, Any] | None:
    """What a run's classifier says of a line: [bench, run, text]. None for nonsense."""
    bench_id, run_id, text = _parts(request, 3)
    run = _run(services, bench_id, run_id)
    return None if run is None else labels.tell(run, text)


def command(services: Services, request: object) -> dict[str, Any] | None:
    """Steers the current run: [bench, "pause" | "resume" | "step" | "stop" | "rate", value]. None for nonsense.

    Returns:
        {"said": a sentence or ""}.
    """
    bench_id, what, value = _parts(request, 3)
    bench = services.jobs.get(bench_id)
    run = bench.current if bench is not None else None
    if bench is None or run is None:
        return None
    try:
        if what == "pause":
            run.pause()
        elif what == "resume":
            services.jobs.check_place(bench)
            run.go()
        elif what == "step":
            services.jobs.check_place(bench)
            run.go(inputs.whole(value, "The number of steps", low=1, high=1000))
        elif what == "stop":
            run.stop()
        elif what == "rate":
            run.retune(inputs.number(value, "The learning rate", low=1e-9, high=1000.0))
        else:
            return None
    except GPTCoreError as error:
        return {"said": str(error)}
    return {"said": ""}


def poll(services: Services, request: object) -> dict[str, Any] | None:
    """What is new of the current run: [bench, run, version, rows, observations], the last four as last received.

    Returns:
        None when the bench is gone. Otherwise the run's id and state, and what the page has not seen: rows of the curve
        from `first`, observations from `looks_from`, the plan's facts when the run is new to the page, and the learning
        rate ahead.
    """
    bench_id, run_id, version, n_rows, n_looks = _parts(request, 5)
    bench = services.jobs.get(bench_id)
    run = bench.current if bench is not None else None
    if bench is None or run is None:
        return None
    return {**_news(run, run_id, version, n_rows, n_looks), "bench": bench.id, "runs": len(bench.runs)}


def _news(run: Run | FinishedRun, run_id: object, version: object, n_rows: object, n_looks: object) -> dict[str, Any]:
    with run.lock:
        same = run_id == run.id and version == run.version
        first = _count(n_rows, len(run.curve.rows)) if same else 0
        looks_from = _count(n_looks, len(run.observations)) if same else 0
        rows, looks = run.curve.rows[first:], run.observations[looks_from:]
        now, n_all = run.version, len(run.observations)
    config, elapsed = run.plan.config, run.watch()
    return {
        "run": run.id, "state": run.state, "reason": run.reason, "step": run.step, "elapsed": round(elapsed, 2),
        "left": finite(remaining(run)), "rate": round(run.rate, 1), "version": now, "first": first,
        "rows": [[int(row[0]), *(significant(value) for value in row[1:])] for row in rows], "looks_from": looks_from,
        "looks": [_look(seen) for seen in looks], "n_looks": n_all, "final": finite(run.final_loss),
        "final_accuracy": finite(run.final_accuracy),
        "peak": run.learning_rate, "ahead": _ahead(run, elapsed), "about": None if run_id == run.id else run.plan.about,
        "planned_peak": config.learning_rate, "next_look": finite(run.next_look),
        "busy": round(run.processor_share, 2) if run.alive and run.busy else None,
    }  # fmt: skip


def _ahead(run: Run | FinishedRun, elapsed: float) -> list[list[float]]:
    """[step, learning rate] from now to the end of the plan, as far as the present rate tells."""
    config = run.plan.config
    left = remaining(run)
    if not run.alive or (config.time_budget is not None and (left is None or run.rate <= 0)):
        return []  # nothing is known yet of how many updates the time allows
    steps = float(config.max_steps - run.step)
    if left is not None and run.rate > 0:
        steps = min(steps, left * run.rate / run.plan.about["tokens_per_step"])
    moved = run.learning_rate / config.learning_rate
    points = []
    for place in range(_PLANNED + 1):
        share = place / _PLANNED
        then = elapsed + share * left if left is not None else elapsed
        step = run.step + round(share * steps)
        points.append([step, significant(moved * learning_rate(config, step, then)) or 0.0])
    return points


def heads(services: Services, request: object) -> dict[str, Any] | None:
    """Attention maps and head scores at one look: [bench, run, which]. None for nonsense."""
    bench_id, run_id, which = _parts(request, 3)
    seen = _observation(_run(services, bench_id, run_id), which)
    if seen is None:
        return None
    packed = base64.b64encode(zlib.compress(seen.maps.tobytes(), 6)).decode()
    return {"step": seen.step, "T": int(seen.maps.shape[-1]), "maps": packed}


def chances(services: Services, request: object) -> dict[str, Any] | None:
    """The probability of a chosen next token at every look: [bench, run, text], where "" means the latest favourite.

    Returns:
        {"token": what was looked for, "points": [[step, probability]]}, or {"said": why not}.
    """
    bench_id, run_id, text = _parts(request, 3)
    run = _run(services, bench_id, run_id)
    if run is None or not isinstance(text, str):
        return None
    with run.lock:
        seen = list(run.observations)
    if not seen:
        return None
    try:
        token = run.plan.tokenizer.encode(text[:20])[0] if text else int(seen[-1].probabilities.argmax())
    except (GPTCoreError, IndexError):
        return {"said": "not in its vocabulary"}
    shown = run.plan.tokenizer.decode([token])
    return {"token": shown, "points": [[o.step, significant(float(o.probabilities[token])) or 0.0] for o in seen]}


def past(services: Services, request: object) -> list[dict[str, Any]] | None:
    """The runs of a bench for the table and the faded lines: [bench]. Curves are thinned; the newest has none."""
    (bench_id,) = _parts(request, 1)
    bench = services.jobs.get(bench_id)
    if bench is None:
        return None
    found, before = [], None
    kind = _kind(bench.runs[-1]) if bench.runs else None
    for run in bench.runs:
        settings = run.plan.about["settings"]
        changed = [
            f"{name} {value}" for name, value in settings.items() if before is not None and before.get(name) != value
        ]
        with run.lock:
            rows, looks = run.curve.rows, [(o.step, o.valid_loss) for o in run.observations]
        thin = rows[:: max(1, len(rows) // 200)]
        last = run.final_loss if math.isfinite(run.final_loss) else looks[-1][1] if looks else math.nan
        found.append(
            {
                "run": run.id, "title": run.plan.title, "changed": changed, "first": before is None, "state": run.state,
                "steps": run.step, "seconds": round(run.watch(), 1), "valid": finite(last),
                "tokens_per_character": run.plan.about["tokens_per_character"], "comparable": _kind(run) == kind,
                "curve": [] if run is bench.current else [[int(row[0]), significant(row[1])] for row in thin],
                "valid_curve": [] if run is bench.current else [[step, significant(loss)] for step, loss in looks],
            }
        )  # fmt: skip
        before = settings
    return found


def curves(services: Services, request: object) -> dict[str, Any] | None:
    """A run's curves for a slide: [bench, run]; what `ui.figures.train.picture` takes. None for nonsense."""
    bench_id, run_id = _parts(request, 2)
    run = _run(services, bench_id, run_id)
    if run is None:
        return None
    with run.lock:
        rows, looks = [list(row) for row in run.curve.rows], list(run.observations)
    return {
        "title": run.plan.title, "steps": [row[0] for row in rows], "loss": [row[1] for row in rows],
        "rate": [row[2] for row in rows], "valid": [(o.step, o.valid_loss) for o in looks],
        "lines": run.plan.about["lines"], "sample": run.plan.about["prompt"] + (looks[-1].text if looks else ""),
    }  # fmt: skip


def own_models(services: Services, bench_id: object) -> list[tuple[str, str]]:
    """(label, name) of a bench's models for the picker, the newest run first."""
    bench = services.jobs.get(bench_id)
    if bench is None:
        return []
    runs = [(f"{run.plan.title} · trained here, run {place}", run) for place, run in enumerate(bench.runs, 1)]
    trained = [(label, run.id) for label, run in reversed(runs) if run.language_model is not None]
    return trained + [(f"{lm.name} · uploaded", name) for name, lm in bench.models.items()]


def message(error: GPTCoreError) -> str:
    """A refusal for the page, as HTML."""
    return f'<p class="refused">{html.escape(str(error), quote=False)}</p>'


def _kind(run: Run | FinishedRun) -> tuple[Any, ...]:
    """What two runs must share for their losses to be comparable."""
    settings = run.plan.about["settings"]
    return run.plan.about["kind"], settings["text"], settings["tokenizer"], settings["vocabulary"]


def _look(seen: Observation) -> dict[str, Any]:
    scores = score_lists(seen.scores)
    return {
        "step": seen.step, "elapsed": round(seen.elapsed, 2), "valid": finite(seen.valid_loss),
        "accuracy": finite(seen.accuracy), "text": seen.text,
        "induction": scores["induction"], "previous": scores["previous"],
        "tasks": {task: round(share, 3) for task, share in seen.tasks.items()},
    }  # fmt: skip


def _run(services: Services, bench_id: object, run_id: object) -> Run | FinishedRun | None:
    bench = services.jobs.get(bench_id)
    return next((run for run in bench.runs if run.id == run_id), None) if bench is not None else None


def _observation(run: Run | FinishedRun | None, which: object) -> Observation | None:
    if run is None or isinstance(which, bool) or not isinstance(which, int):
        return None
    with run.lock:
        return run.observations[which] if 0 <= which < len(run.observations) else None


def _parts(request: object, n: int) -> list[Any]:
    """The request's first n parts; None for what is missing."""
    given = request if isinstance(request, list) else []
    return [*given[:n], *[None] * (n - len(given))]


def _count(value: object, most: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most else 0
