"""Training runs on the server: they learn, wait, step, stop, end, and are freed."""

import itertools
import json
import math
import threading
import time
from dataclasses import replace

import pytest
import torch

from gptcore.analysis import count_parameters
from gptcore.errors import GPTCoreError, TrainingError
from gptcore.training import Trainer
from helpers import LESSON, in_threads
from helpers import until as wait_until
from ui.lenses.parameters.reference import scaling
from ui.lenses.train.handlers import answering, watching
from ui.lenses.train.handlers.forms import train_form
from ui.lenses.train.handlers.plan import make_plan
from ui.runs.plan import Plan, Preparation
from ui.runs.run_manager import RunManager
from ui.runs.run_state import RunState
from ui.runs.training_run import TrainingRun
from ui.runs.workspaces import Busy, Workspace
from ui.shared.picker import own_models
from ui.state.limits import Limits

TEXT = "the cat sat on the mat and the dog ran to the cat. " * 60
SMALL = {**LESSON, "written": TEXT, "n_layer": 2, "max_steps": 12, "warmup_steps": 2}


def start(services, workspace, values, **options) -> Workspace:
    return watching.start(services, workspace, train_form(values, services.limits), **options)


def plan_of(services, **changes) -> Plan:
    return make_plan(services, train_form({**SMALL, **changes}, services.limits))


def finished(workspace: Workspace) -> Workspace:
    assert workspace.run is not None and all(
        run.wait(120.0) for run in (workspace.run, workspace.rival) if run
    )
    return workspace


def polled(services, workspace: str, run=None, rows=0, looks=0, **more):
    """What the page is told of a workspace's run beyond what it has."""
    seen = {"workspace": workspace, "run": run, "version": 0, "rows": rows, "looks": looks}
    return watching.poll(services, {**seen, **more})


def commanded(services, workspace: str, command: str, value=None):
    """What a command is answered."""
    return watching.command(services, {"workspace": workspace, "command": command, "value": value})


def preparing(plan, *, parts=3, gate=None, error=None) -> Preparation:
    """What makes a plan in so many parts; each waits for the gate."""

    def prepare():
        for part in range(parts):
            if gate is not None:
                gate.wait(60)
            yield f"part {part + 1}"
        if error is not None:
            raise error
        return plan

    return Preparation(replace(plan.facts, note="", n_train=0), prepare)


def test_a_run_that_makes_its_plan_says_how_far_it_is_and_then_learns(services):
    plan = plan_of(services)
    gate = threading.Event()
    workspace = services.run_manager.start(None, preparing(plan, gate=gate))
    news = polled(services, workspace.id)
    assert news["state"] == "starting" and news["about"]["n_train"] == 0 and not news["rows"]
    gate.set()
    run = finished(workspace).current
    assert (run.state, run.step, run.preparing, run.facts) == ("ended", 12, "", plan.facts)
    seen = {
        "workspace": workspace.id,
        "run": run.id,
        "version": news["version"],
        "rows": 0,
        "looks": 0,
    }
    # the page hears of new facts
    assert watching.poll(services, seen)["about"]["n_train"] == plan.facts.n_train
    assert watching.poll(services, {**seen, "version": run.version})["about"] is None


def test_a_preparation_can_be_paused_stopped_and_refused(services):
    plan = plan_of(services)
    gate = threading.Event()
    paused = services.run_manager.start(None, preparing(plan, gate=gate))
    paused.run.pause()
    gate.set()
    wait_until(lambda: paused.current.state == "ready")
    services.run_manager.resume(paused)
    assert finished(paused).current.step == 12
    gate.clear()
    stopped = services.run_manager.start(None, preparing(plan, gate=gate))
    stopped.run.stop()
    gate.set()
    run = finished(stopped).current
    assert (run.state, run.reason, run.step, run.preparing) == ("ended", "Stopped.", 0, "")
    refused = services.run_manager.start(
        None, preparing(plan, error=TrainingError("There are 0 pairs."))
    )
    assert finished(refused).current.reason == "There are 0 pairs."


def test_a_run_shows_the_untrained_model_learns_and_ends(services):
    workspace = finished(start(services, None, SMALL))
    run = workspace.current
    assert (run.state, run.step, run.reason) == ("ended", 12, "All steps are done.")
    assert run.snapshots[0].step == 0 and run.snapshots[-1].step == 12
    assert run.snapshots[0].valid_loss == pytest.approx(run.facts.lines["uniform"], abs=0.1)
    assert run.final_loss < run.snapshots[0].valid_loss
    assert [row[0] for row in run.curve.rows] == list(range(1, 13))


def test_the_first_update_does_not_wait_for_the_first_snapshot_which_shows_the_model_before_it(
    services, monkeypatch
):
    taken = list[tuple[int, int, float]]()
    add = RunState.add_observation

    def noted(record, seen, lm, **options):
        taken.append((record.step, seen.step, seen.elapsed))
        add(record, seen, lm, **options)

    monkeypatch.setattr(RunState, "add_observation", noted)
    run = finished(start(services, None, SMALL)).current
    assert taken[0] == (1, 0, 0.0) and taken[-1][:2] == (12, 12)
    assert run.snapshots[0].valid_loss == pytest.approx(run.facts.lines["uniform"], abs=0.1)
    taken.clear()
    waiting = start(services, None, SMALL, go=False)
    wait_until(lambda: taken)
    assert taken[0][:2] == (0, 0) and waiting.current.state == "ready"  # nobody waits for an update


def test_a_run_whose_first_update_fails_keeps_the_untrained_model(services, monkeypatch):
    def fails(_):
        raise TrainingError("It failed.")

    monkeypatch.setattr(Trainer, "_update", fails)
    run = finished(start(services, None, SMALL)).current
    assert [look.step for look in run.snapshots] == [0] and run.language_model is not None
    assert run.reason == "It failed. The model of step 0 is kept."


def test_a_run_whose_later_update_fails_names_the_model_that_it_keeps(services, monkeypatch):
    update = Trainer._update
    updates = itertools.count()

    def fails_later(trainer):
        if next(updates) == 3:
            raise TrainingError("It failed.")
        return update(trainer)

    monkeypatch.setattr(Trainer, "_update", fails_later)
    run = finished(start(services, None, SMALL)).current
    kept = run.snapshots[-1].step
    assert run.step == 3 > kept
    assert run.reason == f"It failed. The model of step {kept} is kept."


def test_a_run_that_is_paused_before_its_first_update_shows_the_untrained_model(
    services, monkeypatch
):
    ask = TrainingRun._next

    def paused(run):
        run.pause()
        return ask(run)

    monkeypatch.setattr(TrainingRun, "_next", paused)
    workspace = start(services, None, SMALL)
    wait_until(lambda: workspace.current.state == "ready")
    assert [look.step for look in workspace.current.snapshots] == [
        0
    ] and not workspace.current.curve.rows


def test_a_run_waits_steps_pauses_and_stops(services):
    workspace = start(services, None, {**SMALL, "length": "cap"}, go=False)
    run = workspace.current
    wait_until(lambda: run.snapshots and run.state == "ready")
    assert run.step == 0
    assert commanded(services, workspace.id, "step", 3) == {"said": ""}
    wait_until(lambda: run.step == 3 and run.state == "paused")
    assert run.snapshots[-1].step == 3  # a look at what the steps have made
    elapsed = run.seconds()
    now = time.perf_counter()
    wait_until(lambda: time.perf_counter() > now + 0.02)
    assert run.seconds() == elapsed  # a pause costs no time of the budget
    commanded(services, workspace.id, "resume")
    wait_until(lambda: run.step > 10)
    commanded(services, workspace.id, "pause")
    wait_until(lambda: run.state == "paused")
    for none in (math.nan, math.inf, -1, 0, "fast", None):
        assert "learning rate" in commanded(services, workspace.id, "rate", none)["said"]
    commanded(services, workspace.id, "rate", 1e-5)
    commanded(services, workspace.id, "step", 1)
    wait_until(lambda: run.state == "paused" and run.curve.rows[-1][2] <= 1e-5)
    step = run.step
    commanded(services, workspace.id, "stop")
    assert workspace.run.wait(60.0) and run.step <= step + 1
    assert run.reason == "Stopped." and run.language_model is not None


def test_a_page_receives_every_update_once_and_all_again_after_a_reload(services):
    workspace = start(services, None, SMALL)
    run = None
    seen = []
    looks = []
    while True:
        news = polled(services, workspace.id, run, len(seen), len(looks))
        assert news["first"] == len(seen) and news["looks_from"] == len(looks)
        run = news["run"]
        seen = seen + news["rows"]
        looks = looks + news["looks"]
        if news["state"] == "ended":
            break
        workspace.run.wait(0.01)  # a page that asked without a pause would leave the run no time
    news = polled(services, workspace.id, run, len(seen), len(looks))
    seen = seen + news["rows"]
    looks = looks + news["looks"]
    assert [row[0] for row in seen] == list(range(1, 13))
    again = polled(services, workspace.id)
    assert again["rows"] == seen and again["looks"] == looks and again["about"]["prompt"] == "the "
    asked = {"workspace": workspace.id, "run": run}
    maps = watching.heads(services, {**asked, "look": 0})
    assert maps["step"] == 0 and maps["T"] == 16
    chances = watching.token_probabilities(services, {**asked, "text": "c"})
    assert chances["token"] == "c" and [point[0] for point in chances["points"]] == [
        look["step"] for look in looks
    ]
    assert 0 < chances["points"][0][1] < 0.2
    assert "not" in watching.token_probabilities(services, {**asked, "text": "€"})["said"]
    assert watching.token_probabilities(services, {**asked, "text": ""})["token"]


def test_earlier_runs_stay_with_what_changed_at_most_six(services):
    workspace = finished(start(services, None, SMALL))
    for rate in (1e-3, 2e-3, 4e-3, 5e-3, 6e-3, 7e-3, 8e-3):
        finished(start(services, workspace.id, {**SMALL, "learning_rate": rate, "max_steps": 2}))
    table = watching.past(services, {"workspace": workspace.id})
    assert len(table) == 7
    assert table[-1]["changed"] == ["learning rate 0.008"] and table[-1]["curve"] == []
    assert (
        table[0]["changed"] == [] and len(table[0]["curve"]) == 2 and table[0]["valid"] is not None
    )


def test_the_model_is_in_the_picker_while_it_learns_and_after(services):
    workspace = start(services, None, SMALL)
    wait_until(lambda: own_models(services, workspace.id))
    (label, name), *_ = own_models(services, workspace.id)
    assert "trained here, run 1" in label
    lm = services.models.get(name)
    assert lm.model.config.n_embd == 16 and lm.tokenizer.encode("cat")
    finished(workspace)
    final = services.models.get(name).model
    assert not final.training and not any(p.requires_grad for p in final.parameters())
    with pytest.raises(GPTCoreError):
        services.models.get("run-unknown")


def test_starting_again_ends_the_run_before_and_other_workspaces_have_their_own(services):
    workspace = start(services, None, {**SMALL, "length": "cap"})
    first = workspace.current
    again = start(services, workspace.id, {**SMALL, "length": "cap"})
    assert again is workspace and first.state == "ended" and workspace.current is not first
    other = start(services, "a stranger's guess", {**SMALL, "length": "cap"})
    assert other is not workspace and polled(services, "a stranger's guess") is None
    services.run_manager.stop_all()
    finished(start(services, None, SMALL))


def test_a_page_draws_its_own_workspace_and_quick_presses_leave_one_live_run(services):
    drawn = "k3j5h2k1j4h5k6j7h8g9f0d1"
    workspaces: list[Workspace] = []
    in_threads(*[lambda: workspaces.append(start(services, drawn, {**SMALL, "length": "cap"}))] * 4)
    assert {workspace.id for workspace in workspaces} == {drawn} and len(services.workspaces) == 1
    assert sum(record.alive for record in workspaces[0].runs) == 1


def test_a_workspace_that_learns_or_waits_makes_room_for_nobody(services):
    jobs = RunManager(services.compute_thread, replace(Limits(), workspaces=3, training_runs=1))
    learning, waiting = (jobs.start(None, plan_of(services, length="cap")) for _ in range(2))
    ended = jobs.start(None, plan_of(services, max_steps=1), go=False)
    # in the place of the one that does nothing
    third = jobs.start(None, plan_of(services, max_steps=1))
    assert jobs.workspaces.get(ended.id) is None and jobs.queue.place(third)["number"] == 2
    with pytest.raises(Busy, match="All slots for runs are taken"):
        jobs.start(None, plan_of(services, max_steps=1))
    assert (
        len(jobs.workspaces) == 3
        and learning.run.learns
        and jobs.queue.place(waiting)["number"] == 1
    )
    jobs.stop_all()


def test_a_workspace_that_nobody_looks_at_is_freed_after_its_grace_and_leaves_the_queue(services):
    now = [0.0]
    limits = replace(Limits(), training_grace=100.0, training_runs=1)
    jobs = RunManager(services.compute_thread, limits, clock=lambda: now[0])
    learning, gone, waiting = (jobs.start(None, plan_of(services, length="cap")) for _ in range(3))
    now[0] = 90.0
    assert all(
        jobs.workspaces.get(item.id) is item for item in (learning, waiting)
    )  # somebody looks
    now[0] = 180.0
    jobs.reap()
    assert len(jobs.workspaces) == 2 and jobs.queue.place(waiting)["number"] == 1
    now[0] = 281.0
    jobs.reap()
    assert (
        len(jobs.workspaces) == 0
        and jobs.workspaces.get(gone.id) is None
        and learning.run.wait(10.0)
    )


def test_a_loss_that_is_no_number_ends_with_the_sentence_and_the_last_good_model(
    services, monkeypatch
):
    plan = plan_of(services)
    model = plan.model()
    bad = replace(plan, model=lambda: model)
    workspace = services.run_manager.start(None, bad, go=False)
    run = workspace.current
    wait_until(lambda: run.snapshots)
    with torch.no_grad():
        model.wte.weight[0, 0] = math.nan
    workspace.run.go()
    assert workspace.run.wait(10.0)
    assert "became nan at step 1" in run.reason and "The model of step 0 is kept." in run.reason
    assert all(torch.isfinite(p).all() for p in run.language_model.model.parameters())


class Turns:
    """A compute thread that goes on when it is told to."""

    def __init__(self):
        self.jobs = []

    def keep(self, turns, *, background):
        self.jobs.append(turns)

    def take(self, most: float = math.inf) -> int:
        """Takes turns; returns how many there were."""
        taken = 0
        while self.jobs and taken < most:
            try:
                next(self.jobs[0])
                taken += 1
            except StopIteration:
                self.jobs.pop(0)
        return taken


def test_a_step_that_is_asked_for_while_a_run_comes_to_rest_is_made(services):
    plan = plan_of(services)

    def stepped(moment: float) -> tuple[RunState, int]:
        """A run that is asked for a step, some turns after the step before; turns to its rest."""
        computing = Turns()
        run = TrainingRun(plan, computing)
        run.go(1)
        while run.record.step < 1:
            computing.take(1)
        taken = computing.take(moment)
        run.go(1)
        computing.take()
        return run.record, taken

    _, to_rest = stepped(math.inf)
    for moment in (0, 1, to_rest // 2, to_rest - 1, to_rest):
        record, _ = stepped(moment)
        assert (record.step, record.state) == (2, "paused"), moment


def test_a_run_that_has_been_started_never_says_that_it_waits_to_be_told(services):
    held = threading.Event()
    services.compute_thread.keep(iter(lambda: held.wait(0.2), True))  # the computing place is busy
    workspace = start(services, None, SMALL)
    assert polled(services, workspace.id)["state"] == "starting"
    held.set()
    finished(workspace)


def test_a_new_run_does_not_wait_for_the_score_of_the_one_before(services):
    plan = plan_of(services, max_steps=3)
    begun = threading.Event()

    def endless(model, whole):
        while whole:
            begun.set()
            yield
        yield
        return 1.0, math.nan

    jobs = services.run_manager
    first = jobs.start(None, replace(plan, evaluate=endless))
    assert begun.wait(60)
    again = jobs.start(first.id, plan)
    assert (
        again.runs[0].state == "ended" and finished(again).current.reason == "All steps are done."
    )


def test_who_has_the_viewing_id_sees_a_run_and_steers_nothing(services):
    workspace = start(services, None, {**SMALL, "length": "cap"})
    mine = polled(services, workspace.id)
    assert mine["steers"] and mine["viewing"] == workspace.viewing != workspace.id
    theirs = polled(services, workspace.viewing)
    assert theirs["run"] == mine["run"] and not theirs["steers"]
    assert workspace.id not in json.dumps(theirs)  # what they are told does not let them steer
    for command in ("pause", "stop", "rate", "longer", "again"):
        assert commanded(services, workspace.viewing, command, 1.0) is None
    duel = answering.duel(
        services, {"workspace": workspace.viewing, "chosen": None, "number": None}
    )
    assert duel["said"].startswith("First teach")
    # their own run is on a workspace of their own
    other = start(services, workspace.viewing, SMALL)
    assert other is not workspace and other.id != workspace.viewing and workspace.current.alive
    services.run_manager.stop_all()


def test_a_run_is_a_point_among_the_scaling_laws_once_it_has_ended_and_a_broken_one_is_none(
    services,
):
    workspace = finished(start(services, None, SMALL))
    finished(start(services, workspace.id, {**SMALL, "trick": "no_mask"}))
    (point,) = scaling.of_runs(services, workspace.id)
    run = workspace.runs[0]
    assert run.language_model is not None and point.own and point.unit == "character"
    assert point.parameters == count_parameters(run.language_model.model.config).without_embeddings
    assert (point.tokens, point.loss) == (12 * 4 * 16, run.final_loss) and scaling.of_runs(
        services, "nobody"
    ) == []
