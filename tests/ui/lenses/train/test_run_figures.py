"""Every figure that is told of a training run, worked out by hand for one that is made by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from gptcore.analysis import HeadScores
from gptcore.training import StepEvent, TrainingConfig
from ui.lenses.train.handlers import watching
from ui.runs.run_json import facts_json
from ui.runs.run_state import RunFacts, RunState, Stopwatch
from ui.runs.snapshot import Curve, Snapshot

# Linear to 0 at update 110 after ten updates of warm-up.
CONFIG = TrainingConfig(learning_rate=0.02, warmup_steps=10, max_steps=110, schedule="linear")
FACTS = RunFacts(
    title="A run",
    kind="text",
    settings={"layers": "3"},
    config=CONFIG,
    trick="none",
    vocab_size=61,
    n_layer=3,
    n_head=2,
    n_parameters=12_345,
    tokens_per_step=50,
    prompt="a",
    tokens=("a", "b"),
    lines={"uniform": 4.11, "unigram": None},
    tokens_per_character=0.25,
    n_train=900,
    n_valid=100,
    commonest=0.6,
)
NOT_TOLD = torch.zeros(3, 2)
SCORES = HeadScores(
    previous=torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]),
    first=NOT_TOLD,
    itself=NOT_TOLD,
    duplicate=NOT_TOLD,
    induction=torch.tensor([[0.7, 0.8], [0.9, 1.0], [0.0, math.nan]]),
    distance=NOT_TOLD,
    entropy=NOT_TOLD,
)
LOOKS = [
    Snapshot(
        step=step,
        elapsed=step / 4 + 0.004,
        valid_loss=4.0 - step / 10,
        text=f"text {step}",
        probabilities=np.array([1 - step / 100, step / 100], np.float16),
        scores=SCORES,
        maps=np.zeros((3, 2, 2, 2), np.uint8),
        accuracy=step / 40,
        tasks={"copy": step / 30},
    )
    for step in (0, 10, 20)
]


def at_update_20(**changed) -> RunState:
    """A run amid its training: 20 updates in 5 s."""
    curve = Curve()
    for step in range(1, 21):
        event = StepEvent(step, 4.0 - 0.1 * step, 0.001 * step, 2.0, 50 * step, step / 4)
        curve.add(event)
    state = {
        "state": "running",
        "step": 20,
        "seconds": Stopwatch(5.0),
        "rate": 225.36,
        "learning_rate": 0.01,
        "curve": curve,
        "snapshots": LOOKS,
        "next_look": 7.5,
        "cpu_share": 0.456,
    }
    return RunState("run-x", FACTS, **{**state, **changed})


def test_the_news_of_a_run_have_its_figures():
    news = watching._news(at_update_20(), None)
    assert news["step"] == 20 and news["elapsed"] == 5.0
    assert news["left"] == round(90 * 50 / 225.36, 4)  # 90 updates of 50 tokens
    assert news["rate"] == 225.4 and news["busy"] == 0.46 and news["next_look"] == 7.5
    assert news["peak"] == 0.01 and news["planned_peak"] == 0.02
    assert news["version"] == 0 and news["first"] == news["looks_from"] == 0
    assert news["rows"][4] == [5, 3.5, 0.005, 2.0, 1.25] and len(news["rows"]) == 20
    assert news["final"] is None and news["final_accuracy"] is None and news["kept"] is None


def test_the_rates_ahead_are_moved_as_the_rate_was():
    ahead = watching._news(at_update_20(), None)["ahead"]
    # at half the planned peak: a tenth of the way down at update 20, at 0 at the end
    assert ahead[0] == [20, pytest.approx(0.01 * 0.9)]
    assert ahead[30] == [65, pytest.approx(0.01 * 0.45)]
    assert ahead[-1] == [110, 0.0] and len(ahead) == 61


def test_a_page_gets_what_it_has_not_seen():
    record = at_update_20()
    seen = {"run": "run-x", "version": 0, "rows": 18, "looks": 2}
    news = watching._news(record, seen)
    assert news["first"] == 18 and [row[0] for row in news["rows"]] == [19, 20]
    assert news["looks_from"] == 2 and [look["step"] for look in news["looks"]] == [20]
    assert news["about"] is None
    for other in ({"run": "run-y"}, {"version": 1}, {"rows": 99, "looks": -1}):
        again = watching._news(record, {**seen, **other})
        assert again["first"] == again["looks_from"] == 0 and len(again["rows"]) == 20


def test_a_run_that_has_ended_has_its_final_figures_and_nothing_ahead():
    ended = at_update_20(state="ended", final_loss=2.5, final_accuracy=0.75, kept_step=15)
    news = watching._news(ended, None)
    assert news["final"] == 2.5 and news["final_accuracy"] == 0.75 and news["kept"] == 15
    assert news["left"] == 0.0 and news["ahead"] == [] and news["busy"] is None


def test_a_look_at_a_run_has_its_figures():
    look = watching._news(at_update_20(), None)["looks"][1]
    assert look["step"] == 10 and look["elapsed"] == 2.5 and look["valid"] == 3.0
    assert look["accuracy"] == 0.25 and look["tasks"] == {"copy": 0.333}
    assert look["induction"] == [[0.7, 0.8], [0.9, 1.0], [0.0, None]]
    assert look["previous"] == [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]


def test_the_facts_of_a_run_keep_their_figures():
    about = facts_json(FACTS)
    assert (about["V"], about["L"], about["H"], about["parameters"]) == (61, 3, 2, 12_345)
    assert about["tokens_per_step"] == 50 and about["tokens_per_character"] == 0.25
    assert (about["n_train"], about["n_valid"], about["commonest"]) == (900, 100, 0.6)
    assert about["lines"] == {"uniform": 4.11, "unigram": None}
    without = facts_json(replace(FACTS, tokens_per_character=math.nan, commonest=math.nan))
    assert without["tokens_per_character"] is None and without["commonest"] is None


def test_a_slow_run_is_told_how_far_it_will_come():
    record = at_update_20()
    record.facts = replace(FACTS, config=replace(CONFIG, time_budget=30.0))
    slow = watching._slow(record)
    assert slow == {"updates": 120, "seconds": 30, "more": 30}  # 20 in 5 s, so 120 in 30 s


def test_a_past_run_has_its_figures_and_its_curves():
    first = at_update_20(state="ended", final_loss=2.5)
    newest = at_update_20(state="ended", number=2)
    row = watching._row_of_past(first, None, newest)
    assert row["number"] == 1 and row["steps"] == 20 and row["seconds"] == 5.0
    assert row["valid"] == 2.5 and row["tokens_per_character"] == 0.25
    assert row["curve"][4] == (5, 3.5) and len(row["curve"]) == 20
    assert row["valid_curve"] == [(0, 4.0), (10, 3.0), (20, 2.0)]
    last = watching._row_of_past(newest, first, newest)
    assert last["number"] == 2 and last["valid"] == 2.0  # of its last look, without a final one
    assert last["curve"] == [] and last["valid_curve"] == []
