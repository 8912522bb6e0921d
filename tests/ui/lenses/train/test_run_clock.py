"""The time of training runs: what counts, when the next snapshot is due, and more of it."""

from dataclasses import replace

import pytest
from test_runs import SMALL, commanded, plan_of, polled, start, wait_until

from gptcore.training import StepEvent
from ui.lenses.train.handlers import watching
from ui.runs import snapshot
from ui.runs.run_state import RunState, Stopwatch


def test_a_stopwatch_counts_only_while_it_is_on():
    now = [0.0]
    watch = Stopwatch(clock=lambda: now[0], processor=lambda: now[0])
    now[0] = 5.0
    assert watch() == 0.0
    watch.on()
    now[0] = 7.0
    watch.on()
    assert watch() == 2.0
    watch.off()
    now[0] = 100.0
    assert watch() == 2.0


def test_a_frozen_process_takes_no_time_of_a_run():
    now = [0.0]
    used = [0.0]
    watch = Stopwatch(clock=lambda: now[0], processor=lambda: used[0])

    def passes(seconds, processor):
        now[0] += seconds
        used[0] += processor
        return watch()

    watch.on()
    assert passes(5.0, 8.0) == 5.0  # two CPUs compute
    assert passes(20.0, 0.01) == pytest.approx(5.01)  # stopped
    assert passes(0.5, 0.0) == pytest.approx(5.51)  # too short to say
    watch.off()
    passes(60.0, 0.0)
    watch.on()
    assert passes(3.0, 1.5) == pytest.approx(8.51)


def test_a_busy_machine_is_told_from_a_slow_model(services, monkeypatch):
    workspace = start(services, None, {**SMALL, "length": "cap"})
    run = workspace.current
    wait_until(lambda: run.step > 20)
    commanded(services, workspace.id, "pause")
    wait_until(lambda: run.state == "paused")
    run.cpu_share = 0.45
    assert polled(services, workspace.id)["busy"] == 0.45
    run.cpu_share = 0.95
    assert polled(services, workspace.id)["busy"] is None
    # A clock of the CPU that stands still is a machine that is busy with other work.
    monkeypatch.setattr("ui.runs.training_run.time.thread_time", lambda: 1.0)
    commanded(services, workspace.id, "resume")
    before = run.step
    wait_until(lambda: run.step > before + 5 and run.cpu_share < 0.7, seconds=60.0)
    commanded(services, workspace.id, "stop")
    assert workspace.run.wait(10.0)


def test_a_timed_run_says_when_the_next_snapshot_is_due(services):
    workspace = start(services, None, {**SMALL, "length": "30"})
    run = workspace.current
    wait_until(lambda: len(run.snapshots) > 1)
    news = polled(services, workspace.id)
    assert news["next_look"] > run.snapshots[-1].elapsed
    assert news["next_look"] <= run.seconds() + 3.0  # a tenth of the time at most
    commanded(services, workspace.id, "stop")
    assert workspace.run.wait(10.0) and polled(services, workspace.id)["next_look"] is None


def test_a_run_by_the_clock_says_what_its_time_allows_and_can_be_given_more(services):
    facts = replace(
        plan_of(services).facts, config=replace(plan_of(services).facts.config, time_budget=30.0)
    )
    seconds = Stopwatch(2.0)
    record = RunState("run-x", facts, state="running", step=2, seconds=seconds)
    assert watching._slow(record) is None  # too early to tell
    record.seconds = Stopwatch(5.0)
    assert record.seconds_left() == pytest.approx(25.0)
    assert watching._slow(record) == {"updates": 12, "seconds": 30, "more": 30}
    record.prolonged = 30.0
    assert watching._slow(record)["updates"] == 24 and record.seconds_left() == pytest.approx(55.0)
    record.step = 500
    assert watching._slow(record) is None
    record.step = 2
    record.state = "ended"
    assert watching._slow(record) is None


def test_more_time_is_given_to_the_run_that_learns_and_never_more_than_the_server_allows(services):
    workspace = start(services, None, {**SMALL, "length": "30"})
    assert commanded(services, workspace.id, "longer") == {"said": ""}
    assert workspace.current.time_budget == 60.0
    for _ in range(500):
        commanded(services, workspace.id, "longer")
    assert workspace.current.time_budget == services.limits.training_seconds
    services.run_manager.stop_all()


def test_seconds_left_are_updates_over_the_speed_or_the_rest_of_the_time(services):
    facts = plan_of(services).facts
    config = replace(facts.config, time_budget=None, max_steps=100)
    facts = replace(facts, config=config, tokens_per_step=50)
    record = RunState("run-x", facts, state="running", step=20, seconds=Stopwatch(5.0))
    assert record.seconds_left() is None  # no speed yet
    record.rate = 200.0  # tokens a second: 80 updates of 50 tokens take 20 s
    assert record.seconds_left() == pytest.approx(20.0)
    in_time = replace(facts, config=replace(config, time_budget=12.0))
    timed = RunState("run-y", in_time, state="running", step=20, seconds=Stopwatch(5.0))
    timed.rate = 200.0
    assert timed.seconds_left() == pytest.approx(7.0)
    timed.rate = 2000.0
    assert timed.seconds_left() == pytest.approx(2.0)
    timed.state = "ended"
    assert timed.seconds_left() == 0.0


def test_learning_rates_are_foretold_to_the_end_of_a_run_and_not_beyond(services):
    facts = plan_of(services).facts
    config = replace(facts.config, time_budget=10.0, max_steps=1000)
    facts = replace(facts, config=config, tokens_per_step=50)
    record = RunState("run-x", facts, state="running", step=20, seconds=Stopwatch(5.0))
    record.learning_rate = config.learning_rate
    assert watching._ahead(record, 5.0) == []  # no speed yet
    record.rate = 200.0  # five seconds are left for 20 updates
    ahead = watching._ahead(record, 5.0)
    assert ahead[0][0] == 20 and ahead[-1][0] == 40
    assert all(rate >= 0 for _, rate, *_ in ahead)
    record.state = "ended"
    assert watching._ahead(record, 5.0) == []


def test_a_long_curve_is_merged_in_pairs(monkeypatch):
    monkeypatch.setattr(snapshot, "_MOST_ROWS", 4)
    curve = snapshot.Curve()
    for step in range(1, 9):
        terms = (3.0 * step, 7.0)
        curve.add(
            StepEvent(step, float(step), 0.1 * step, 2.0 * step, 50 * step, 10.0 * step, terms)
        )
        if step == 4:
            assert [row[:2] for row in curve.rows] == [[2, 1.5], [4, 3.5]] and curve.version == 1
        if step in (5, 6):
            assert len(curve.rows) == step - 3  # two updates make a row
    # step and time of the later, means of loss and norm and of the loss's terms
    assert [[round(value, 3) for value in row] for row in curve.rows] == [
        [4, 2.5, 0.4, 5.0, 40.0, 7.5, 7.0],
        [8, 6.5, 0.8, 13.0, 80.0, 19.5, 7.0],
    ]
    assert curve.version == 2
