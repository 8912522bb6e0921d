"""Two runs side by side: the same from the same seed on the same batches, but for one thing."""

from dataclasses import replace

import pytest
import torch
from test_runs import SMALL, commanded, finished, plan_of, polled

from gptcore.errors import GPTCoreError
from helpers import until
from ui.lenses.train.handlers import watching
from ui.lenses.train.handlers.forms import rival_of, train_form
from ui.lenses.train.handlers.plan import make_plan
from ui.runs.run_manager import RunManager
from ui.shared.inputs import InputError
from ui.shared.picker import own_models
from ui.state.limits import Limits

# What each rival changes, by the names of the settings on the page.
CHANGED = {
    "optimizer": {"optimiser"}, "rate": {"learning rate"}, "norm": {"norm"}, "no_mlp": {"MLPs"},
    "deeper": {"layers", "width"},
}  # fmt: skip


def race(services, **changes):
    form = train_form({**SMALL, "rival": "optimizer", **changes}, services.limits)
    return watching.start(services, None, form, rival=rival_of(form))


@pytest.mark.parametrize("name", list(CHANGED))
def test_a_rival_differs_in_one_thing_and_reads_the_same_batches(services, name):
    values = {**SMALL, "rival": name}
    mine = make_plan(services, train_form(values, services.limits))
    rival = rival_of(train_form(values, services.limits))
    assert rival is not None
    theirs = make_plan(services, rival)
    ours = mine.facts.settings
    other = theirs.facts.settings
    assert {key for key in ours if ours[key] != other[key]} == CHANGED[name]
    for number in range(3):
        assert torch.equal(mine.data.draw(number, 1)[0], theirs.data.draw(number, 1)[0])
    size = [plan.facts.n_parameters for plan in (mine, theirs)]
    assert name != "deeper" or 0.7 < size[1] / size[0] < 1.4


def test_what_is_broken_races_against_the_same_unbroken(services):
    values = {**SMALL, "trick": "no_mask", "rival": "healthy"}
    broken = train_form(values, services.limits)
    rival = rival_of(broken)
    assert (
        rival is not None
        and rival == replace(broken, trick="none")
        and "causal" not in rival.switches
    )
    assert rival_of(train_form({**values, "rival": "none"}, services.limits)) is None
    both = rival_of(
        train_form({**SMALL, "trick": "no_positions", "rival": "norm"}, services.limits)
    )
    assert both is not None and both.switches["use_positions"] is False
    assert both.switches["norm_position"] == "post"


@pytest.mark.parametrize(
    "changes",
    [
        {"rival": "healthy"},
        {"trick": "post_norm", "rival": "norm"},
        {"corpus": "repeated", "rival": "no_mlp"},
    ],
)
def test_a_run_never_races_against_its_twin(changes):
    with pytest.raises(InputError, match="would compare two equal runs"):
        rival_of(train_form({**SMALL, **changes}, Limits()))


def test_a_race_holds_its_place_until_both_have_ended(services):
    workspace = race(services, max_steps=3)
    assert workspace.rival is not None
    finished(workspace)
    jobs = RunManager(services.compute_thread, replace(services.limits, training_runs=1))
    other = jobs.start(None, plan_of(services, max_steps=1), rival=plan_of(services, length="cap"))
    assert other.run is not None and other.run.wait(60.0) and other.rival is not None
    waiting = jobs.start(None, plan_of(services, max_steps=1))
    assert (
        jobs.queue.place(waiting) is not None and waiting.run is not None and not waiting.run.learns
    )
    other.rival.stop()
    assert other.rival.wait(60.0) and waiting.run.wait(60.0)  # it has begun by itself
    assert jobs.queue.place(waiting) is None
    jobs.stop_all()


def test_both_runs_learn_at_once_and_the_page_receives_both(services):
    workspace = race(services, max_steps=40)
    until(lambda: all(run.record.step > 2 for run in workspace.live))
    assert len(workspace.live) == 2 and workspace.runs == [run.record for run in workspace.live]
    news = polled(services, workspace.id)
    rival = news["rival"]
    assert (
        rival["about"]["settings"]["optimiser"] == "AdamW" != news["about"]["settings"]["optimiser"]
    )
    assert all(len(row) == 5 and row[4] > 0 for row in news["rows"] + rival["rows"])
    seen = {
        "run": rival["run"],
        "version": rival["version"],
        "rows": len(rival["rows"]),
        "looks": len(rival["looks"]),
    }
    finished(workspace)
    more = polled(services, workspace.id, news["run"], version=news["version"], rival=seen)["rival"]
    assert (
        more["first"] == len(rival["rows"]) and more["about"] is None and more["state"] == "ended"
    )
    assert (rival["rows"] + more["rows"])[-1][0] == 40 and more["final"] is not None
    # A page that knows another run is told all of the rival.
    seen = {"run": workspace.rival.record.id, "version": 0, "rows": 1, "looks": 1}
    assert polled(services, workspace.id, "run-before", rival=seen)["rival"]["about"] is not None
    assert (
        polled(services, workspace.id, workspace.current.id, rival=seen)["rival"]["about"] is None
    )


def test_a_race_is_steered_as_one_and_both_models_can_be_opened(services):
    workspace = race(services, length="cap")
    until(lambda: all(run.record.step > 0 for run in workspace.live))
    commanded(services, workspace.id, "pause")
    until(lambda: all(run.record.state == "paused" for run in workspace.live))
    steps = [run.record.step for run in workspace.live]
    commanded(services, workspace.id, "step", 2)
    until(lambda: [run.record.step for run in workspace.live] == [step + 2 for step in steps])
    commanded(services, workspace.id, "stop")
    assert all(run.wait(60.0) for run in workspace.live)
    assert [label.rpartition(", ")[2] for label, _ in own_models(services, workspace.id)] == [
        "run 2",
        "run 1",
    ]
    # a run without a model keeps its number
    workspace.runs[0].language_model = None
    ((label, _),) = own_models(services, workspace.id)
    assert label.endswith("trained here, run 2")
    assert [row["changed"] for row in watching.past(services, {"workspace": workspace.id})] == [
        [],
        ["optimiser Muon"],
    ]


def test_the_next_run_ends_a_race_and_stands_alone(services):
    workspace = race(services, length="cap")
    before = workspace.live
    services.run_manager.start(workspace.id, plan_of(services, max_steps=2))
    assert all(not run.record.alive for run in before) and workspace.rival is None
    assert polled(services, workspace.id)["rival"] is None
    finished(workspace)


def test_a_shape_whose_rival_cannot_be_made_is_a_sentence(services):
    with pytest.raises(GPTCoreError):
        race(services, rival="deeper", n_layer=24, n_embd=1024, n_head=8)
