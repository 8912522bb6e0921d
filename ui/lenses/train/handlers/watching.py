"""Handlers that start, steer and watch training runs. Browser input is untrusted."""

import base64
import html
import math
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypeVar, get_args

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from gptcore.training import learning_rate
from ui.lenses.train import payloads
from ui.lenses.train.handlers import labels
from ui.lenses.train.handlers.forms import TRICKS, TrainForm, train_form, tune_form
from ui.lenses.train.handlers.plan import copy_of, make_plan, tuning_plan, with_facts
from ui.lenses.train.handlers.verdicts import verdict
from ui.payloads import Said, fields, finite, significant
from ui.runs.payloads import RunAbout
from ui.runs.plan import Plan, Preparation
from ui.runs.run_json import facts_json, write_run
from ui.runs.run_state import RunFacts, RunState
from ui.runs.snapshot import Snapshot
from ui.runs.workspaces import Workspace
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError

F = TypeVar("F")  # a form
_FEW_TOKENS = 250_000  # after which the smallest presets still write noise
_MORE_SECONDS = 30
_TOLD_AFTER = 3.0  # seconds of training before updates are extrapolated
# A training thread is CPU-bound; below this share of CPU time, other work is competing for the
# CPU.
_BUSY_BELOW = 0.7
# of the peak, at which a run goes on at least; updates of its warm-up
_LEAST_RATE = 0.1
_SOFT_START = 20
_LEARNS = {
    "text": "learns a text",
    "repeated": "learns what repeats",
    "labels": "learns labels",
    "instructions": "learns to answer",
    "preferences": "learns preferences",
}
_PLANNED = 60  # points of the learning rate that lies ahead


def start(
    services: Services,
    workspace_id: object,
    form: TrainForm,
    *,
    rival: TrainForm | None = None,
    go: bool = True,
    note: str = "",
) -> Workspace:
    """Starts a run from scratch on a visitor's workspace, or a race of two. Raises GPTCoreError
    with what to change.

    Args:
        note: what else is to be said of the run.
    """
    plan = with_facts(
        make_plan(services, form), lambda facts: replace(facts, note=f"{facts.note} {note}".strip())
    )
    try:
        against = None if rival is None else make_plan(services, rival)
    except GPTCoreError as error:
        raise InputError(f"The rival cannot run: {error}") from None
    return services.run_manager.start(workspace_id, plan, rival=against, go=go)


def further(
    services: Services,
    workspace_id: object,
    model: object,
    form: F,
    plan: Callable[[Services, LanguageModel, F], Plan | Preparation],
) -> Workspace:
    """Starts training the picked model further, by a form and its plan. Raises GPTCoreError with
    what to change.
    """
    lm = services.models.get(inputs.model_name(model))
    return services.run_manager.start(workspace_id, plan(services, lm, form))


def recording(services: Services, request: Annotated[object, payloads.RunRequest]) -> str | None:
    """A run with its curve and looks as a data URL of JSON. None for an invalid request."""
    record, _ = _asked(services, request)
    return (
        record
        and f"data:application/json;base64,{base64.b64encode(write_run(record).encode()).decode()}"
    )


def classify(
    services: Services, request: Annotated[object, payloads.TextOfRunRequest]
) -> payloads.Classified | None:
    """Classifies a line with a run's classifier. None for an invalid request."""
    record, (text,) = _asked(services, request, "text")
    return None if record is None else services.now(lambda: labels.classify(record, text))


def can_go_on(record: RunState) -> bool:
    """Whether an ended run can be resumed from its last snapshot."""
    known = (
        record.form is not None
        and record.form[0] in ("scratch", "tune")
        and record.facts.kind == "text"
    )
    return known and not record.alive and record.language_model is not None and record.step > 0


def go_on(services: Services, workspace: Workspace) -> Workspace:
    """Resumes the workspace's newest ended run in a new one: same weights and text, at its final
    learning rate.

    A run stopped early gets its remaining time or updates, a finished one the same again. Raises
    GPTCoreError.
    """
    record = workspace.current
    if (
        record is None
        or record.form is None
        or record.language_model is None
        or not can_go_on(record)
    ):
        raise InputError(
            "This run cannot continue: it has not ended, or its model or its settings are gone."
        )
    kind, values = record.form
    lm = record.language_model
    given = {"file": None, "written": "", "labelled": "", **values}
    if kind == "scratch":
        plan = make_plan(services, replace(train_form(given, services.limits), rival="none"))
    else:
        plan = tuning_plan(services, lm, tune_form(given, services.limits))
    plan = with_facts(plan, partial(_continuing, record, lm), model=copy_of(lm))
    begun = services.run_manager.start(workspace.id, plan)
    if begun.current is not None:
        begun.current.form = record.form
    return begun


def _continuing(record: RunState, lm: LanguageModel, facts: RunFacts) -> RunFacts:
    """Returns the facts of a run that goes on after `record`, from those of the same form."""
    if facts.vocab_size != lm.model.config.vocab_size:
        raise InputError(
            "The text of this run has changed, and with it the tokens. Start a new run."
        )
    before = record.facts.config
    rows, _ = record.so_far()
    planned = facts.config.learning_rate
    share = max(_LEAST_RATE, rows[-1][2] / planned if rows else 1.0)
    left = (record.time_budget or 0.0) - record.seconds()
    config = replace(
        facts.config,
        time_budget=None
        if before.time_budget is None
        else left
        if left > 1.0
        else before.time_budget,
        max_steps=before.max_steps - record.step
        if record.step < before.max_steps
        else before.max_steps,
        learning_rate=planned * share,
        muon_learning_rate=facts.config.muon_learning_rate * share,
        warmup_steps=min(_SOFT_START, facts.config.warmup_steps),
    )
    note = (
        f"Continues from update {record.step:,} of the last run, with its weights. New are the "
        "count of updates, the optimizer's moments and the warm-up."
    )
    return replace(facts, config=config, note=note, title=record.facts.title, continues=True)


def command(services: Services, request: Annotated[object, payloads.CommandRequest]) -> Said | None:
    """Steers the current run. None for an invalid request, and for somebody who may not."""
    workspace_id, what, value = fields(request, "workspace", "command", "value")
    workspace = services.workspaces.steered(workspace_id)
    if workspace is None or workspace.current is None or what not in get_args(payloads.Command):
        return None
    try:
        _steer(services, workspace, what, value)
    except GPTCoreError as error:
        return {"said": str(error)}
    return {"said": ""}


def _steer(services: Services, workspace: Workspace, what: str, value: object) -> None:
    """Does what is asked of the workspace's run, or of both runs of a race; a recording has ended
    for good.
    """
    if what == "again":
        go_on(services, workspace)
    elif workspace.run is None:
        return
    elif what == "rate":
        workspace.run.retune(inputs.number(value, "The learning rate", low=1e-9, high=1000.0))
    elif what == "longer":
        most = max(
            0.0, services.limits.training_seconds - (workspace.run.record.time_budget or 0.0)
        )
        for run in workspace.live:
            run.prolong(min(float(_MORE_SECONDS), most))
    elif what in ("resume", "step"):
        once = (
            inputs.whole(value, "The number of steps", low=1, high=1000)
            if what == "step"
            else math.inf
        )
        services.run_manager.resume(workspace, once)
    else:
        services.run_manager.queue.leave(workspace)
        for run in workspace.live:
            run.pause() if what == "pause" else run.stop()


def poll(
    services: Services, request: Annotated[object, payloads.PollRequest]
) -> payloads.WorkspaceNews | None:
    """Returns the news of the current run, and of its rival in a race. None when the workspace is
    gone or has no run.
    """
    workspace_id, rival, run_id = fields(request, "workspace", "rival", "run")
    workspace = services.workspaces.get(workspace_id)
    record = workspace.current if workspace is not None else None
    if workspace is None or record is None:
        return None
    news = _news(record, request)
    racing = (
        workspace.rival is not None and workspace.run is not None and workspace.run.record is record
    )
    known = rival if run_id == record.id else None  # a page that knows the run knows its rival
    raced = _news(workspace.rival.record, known) if racing and workspace.rival is not None else None
    queue = services.run_manager.queue.place(workspace)
    mine = workspace.id == workspace_id
    viewing = workspace.viewing if mine else workspace_id
    return {
        **news,
        "rival": raced,
        "workspace": workspace_id,
        "viewing": viewing,
        "steers": mine,
        "queue": queue,
    }


def _news(record: RunState, seen: object) -> payloads.RunNews:
    """Returns the news of a run for a page, beyond what it has `seen`: a `SeenOfRun`, untrusted."""
    run_id, version, n_rows, n_looks = fields(seen, "run", "version", "rows", "looks")
    with record.lock:
        same = run_id == record.id and version == record.version
        first = _count(n_rows, len(record.curve.rows)) if same else 0
        looks_from = _count(n_looks, len(record.snapshots)) if same else 0
        rows = record.curve.rows[first:]
        looks = record.snapshots[looks_from:]
        now = record.version
    elapsed = record.seconds()
    return {
        "run": record.id,
        "state": record.state,
        "reason": record.reason,
        "step": record.step,
        "elapsed": round(elapsed, 2),
        "left": finite(record.seconds_left()),
        "rate": round(record.rate, 1),
        "version": now,
        "first": first,
        "rows": [[int(row[0]), *(significant(value) for value in row[1:])] for row in rows],
        "looks_from": looks_from,
        "looks": [_described(look) for look in looks],
        "final": finite(record.final_loss),
        "final_accuracy": finite(record.final_accuracy),
        "kept": record.kept_step,
        "verdict": verdict(record),
        "preparing": record.preparing,
        "peak": record.learning_rate,
        "planned_peak": record.facts.config.learning_rate,
        "ahead": _ahead(record, elapsed),
        "about": None if same else _about(record.facts),
        "next_look": finite(record.next_look),
        "busy": round(record.cpu_share, 2)
        if record.alive and record.cpu_share < _BUSY_BELOW
        else None,
        "slow": _slow(record),
        "again": can_go_on(record),
    }


def _slow(record: RunState) -> payloads.SlowRun | None:
    """Warning for a run whose time will end before its model has learned words, with a suggested
    time.
    """
    seconds = record.seconds()
    budget = record.time_budget
    facts = record.facts
    learns_words = facts.kind != "labels" and not facts.tuned  # a trained model writes them already
    if (
        not record.alive
        or budget is None
        or not learns_words
        or not _TOLD_AFTER <= seconds < budget
    ):
        return None
    expected = round(record.step * budget / seconds)
    few = expected * facts.tokens_per_step < _FEW_TOKENS
    return {"updates": expected, "seconds": round(budget), "more": _MORE_SECONDS} if few else None


def _about(facts: RunFacts) -> RunAbout:
    """The facts of a run for the page, with why it is broken."""
    label, why = TRICKS.get(facts.trick, ("", ""))
    return {**facts_json(facts), "why": f"Broken on purpose, {label}: {why}" if why else ""}


def _ahead(record: RunState, elapsed: float) -> list[list[float]]:
    """Projected [step, learning rate] up to the end of the plan, at the present speed."""
    config = replace(record.facts.config, time_budget=record.time_budget)
    left = record.seconds_left()
    if not record.alive or (config.time_budget is not None and (left is None or record.rate <= 0)):
        return []  # the number of updates is not known yet
    steps = float(config.max_steps - record.step)
    if left is not None:
        steps = min(steps, left * record.rate / record.facts.tokens_per_step)
    moved = record.learning_rate / config.learning_rate
    points = []
    for index in range(_PLANNED + 1):
        share = index / _PLANNED
        then = elapsed + share * left if left is not None else elapsed
        step = record.step + round(share * steps)
        points.append([step, significant(moved * learning_rate(config, step, then)) or 0.0])
    return points


def heads(
    services: Services, request: Annotated[object, payloads.LookRequest]
) -> payloads.HeadsOfRun | None:
    """Attention maps of one snapshot of a run, bytes [L][H][T][T], compressed. None for an
    invalid request.
    """
    record, (which,) = _asked(services, request, "look")
    looks = record.so_far()[1] if record is not None else []
    if record is None or type(which) is not int or not 0 <= which < len(looks):
        return None
    seen = looks[which]
    packed = base64.b64encode(zlib.compress(seen.maps.tobytes(), 6)).decode()
    return {"step": seen.step, "T": int(seen.maps.shape[-1]), "maps": packed}


def token_probabilities(
    services: Services, request: Annotated[object, payloads.TextOfRunRequest]
) -> payloads.TokenProbabilities | None:
    """The probability of a next token at every snapshot, or why there is none. None for an
    invalid request.
    """
    record, (text,) = _asked(services, request, "text")
    if record is None or not isinstance(text, str):
        return None
    if record.language_model is None:
        return (
            {"said": "not stored for this recorded run", "points": []} if not record.alive else None
        )
    (_, seen), tokenizer = record.so_far(), record.language_model.tokenizer
    try:
        token = tokenizer.encode(text[:20])[0] if text else int(seen[-1].probabilities.argmax())
    except (GPTCoreError, IndexError):
        return {"said": "not in its vocabulary", "points": []}
    points = [(o.step, significant(float(o.probabilities[token])) or 0.0) for o in seen]
    return {"token": tokenizer.decode([token]), "points": points}


def past(
    services: Services, request: Annotated[object, payloads.WorkspaceRequest]
) -> list[payloads.PastRun] | None:
    """The runs of a workspace for the table and the faded lines. Curves are thinned; the newest has
    none.
    """
    (workspace_id,) = fields(request, "workspace")
    workspace = services.workspaces.get(workspace_id)
    if workspace is None:
        return None
    pairs = zip([None, *workspace.runs], workspace.runs, strict=False)
    return [_row_of_past(record, before, workspace.runs[-1]) for before, record in pairs]


def _row_of_past(record: RunState, before: RunState | None, newest: RunState) -> payloads.PastRun:
    facts = record.facts
    rows, looks = record.so_far()
    known = before.facts.settings if before is not None else facts.settings
    last = (
        record.final_loss
        if math.isfinite(record.final_loss)
        else looks[-1].valid_loss
        if looks
        else math.nan
    )
    thin = [] if record is newest else rows[:: max(1, len(rows) // 200)]
    valid_curve = [(item.step, significant(item.valid_loss)) for item in looks]
    if record is newest:  # the page has its curve
        valid_curve = []
    return {
        "run": record.id,
        "number": record.number,
        "title": facts.title,
        "steps": record.step,
        "changed": [
            *(
                [_LEARNS[facts.kind]]
                if before is not None and before.facts.kind != facts.kind
                else []
            ),
            *(["starts from the last run's weights"] if facts.continues else []),
            *(
                f"{name} {value}"
                for name, value in facts.settings.items()
                if known.get(name) != value
            ),
            *_moved(record),
        ],
        "seconds": round(record.seconds(), 1),
        "valid": finite(last),
        "tokens_per_character": finite(facts.tokens_per_character),
        "comparable": facts.compared_by == newest.facts.compared_by,
        "curve": [(int(row[0]), significant(row[1])) for row in thin],
        "valid_curve": valid_curve,
    }


def _moved(record: RunState) -> list[str]:
    """The learning rate, where it was moved while the run was on."""
    planned = record.facts.config.learning_rate
    if not record.learning_rate or math.isclose(record.learning_rate, planned, rel_tol=1e-6):
        return []
    return [f"learning rate moved to {record.learning_rate:.2g}"]


def message(error: GPTCoreError) -> str:
    """An error message for the page, as HTML."""
    return f'<p class="refused">{html.escape(str(error), quote=False)}</p>'


def _described(seen: Snapshot) -> payloads.RunLook:
    scores = seen.scores.lists()
    return {
        "step": seen.step,
        "elapsed": round(seen.elapsed, 2),
        "valid": finite(seen.valid_loss),
        "accuracy": finite(seen.accuracy),
        "text": seen.text,
        "induction": scores["induction"],
        "previous": scores["previous"],
        "tasks": {task: round(share, 3) for task, share in seen.tasks.items()},
    }


def _asked(services: Services, request: object, *names: str) -> tuple[RunState | None, list[Any]]:
    """The run that a request is about, None if there is none, and further fields of the request."""
    workspace_id, run_id, *others = fields(request, "workspace", "run", *names)
    workspace = services.workspaces.get(workspace_id)
    runs = [] if workspace is None else workspace.runs
    return next((record for record in runs if record.id == run_id), None), others


def _count(value: object, most: int) -> int:
    return value if type(value) is int and 0 <= value <= most else 0  # True is no count
