"""What is said of a run follows its numbers."""

import math
from dataclasses import replace

import pytest

from gptcore.training import TrainingConfig
from ui.lenses.train.handlers.verdicts import verdict
from ui.runs.run_state import RunFacts, RunState
from ui.runs.snapshot import Curve, Snapshot

FACTS = RunFacts(
    title="t",
    kind="text",
    settings={},
    config=TrainingConfig(batch_size=10, max_steps=100),
    trick="none",
    vocab_size=10,
    n_layer=1,
    n_head=1,
    n_parameters=1,
    tokens_per_step=1,
    prompt="",
    tokens=(),
    lines={},
    tokens_per_character=1.0,
    n_train=100,
    n_valid=48,
)


FALLING = [[step, 3.0 - step / 50, 0.0, 0.0, 0.0] for step in range(1, 101)]


def run(losses=(), *, rows=(), accuracy=math.nan, kept=None, plain=(), ended=True, **facts):
    looks = [Snapshot(step, 0.0, loss, "", None, None, None) for step, loss in losses]
    curve = Curve()
    curve.rows = [list(row) for row in rows]
    return RunState(
        "r",
        replace(FACTS, **facts),
        state="ended" if ended else "running",
        step=100,
        snapshots=looks,
        final_accuracy=accuracy,
        kept_step=kept,
        plain_losses=plain,
        curve=curve,
    )


LABELS = {"kind": "labels", "commonest": 0.6}


@pytest.mark.parametrize(
    ("record", "said", "unsaid"),
    [
        (run(), "", "held-out"),
        (run([(0, 2.0), (50, 1.0), (100, 0.9)]), "", "risen"),
        (run([(0, 2.0), (50, 1.0), (100, 1.005)]), "", "risen"),
        (
            run([(0, 2.0), (20, 1.0), (100, 4.3)]),
            "lowest at update 20, 1.000, and has risen to 4.300 since.",
            "kept",
        ),
        (
            run([(0, 2.0), (20, 1.0), (100, 4.3)], rows=FALLING),
            "the training loss fell: it is memorising",
            "kept",
        ),
        (
            run([(0, 2.0), (20, 1.0), (100, 4.3)], rows=[[s, s] for s in range(100)]),
            "to 4.300 since.",
            "alone",
        ),
        (run([(0, 2.0), (20, 1.0), (100, 4.3)], kind="instructions"), "", "risen"),
        (run([(0, 2.0), (20, 1.0), (100, 4.3)], kept=20), "The model of update 20 is kept.", ""),
        (
            run([(0, 2.0), (20, math.nan), (100, 4.3)], kept=0),
            "The model of the start is kept.",
            "",
        ),
        (run(accuracy=1.0, **LABELS), "48 of 48 lines right, 100%", "not learned"),
        (run(accuracy=1.0, **LABELS), "so the figure flatters it a little. It has learned", "few"),
        (run(accuracy=28 / 48, **LABELS), "That settles nothing: always saying", "has not learned"),
        (
            run(accuracy=10 / 48, **LABELS),
            "It has not learned the labels: always saying",
            "settles",
        ),
        (
            run(accuracy=28 / 48, kept=0, **LABELS),
            "This is its best snapshot, before the first update",
            "after 0.0",
        ),
        (
            run(accuracy=1.0, n_valid=2, **LABELS),
            "2 held-out lines are too few to tell",
            "has not learned",
        ),
        (
            run(accuracy=0.5, n_valid=2, **LABELS),
            "2 held-out lines are too few to tell",
            "has not learned",
        ),
        (run(accuracy=1.0, ended=False, **LABELS), "", "right"),
        (
            run(accuracy=0.75, kind="preferences"),
            "in 36 of 48 held-out pairs (95% interval 61% to 85%): more than",
            "lost",
        ),
        (
            run(accuracy=10 / 14, n_valid=14, kind="preferences"),
            "in 10 of 14 held-out pairs (95% interval",
            "more than",
        ),
        (run(accuracy=0.0, kind="preferences"), "less than chance", "maybe"),
        (
            run(plain=(1.31, 1.38), kind="instructions"),
            "from 1.310 to 1.380 nats per token: 0.070 lost.",
            "",
        ),
        (run(plain=(1.31, 1.312), kind="instructions"), "nothing is lost", "0.002"),
        (run(plain=(1.31, 1.2), kind="preferences"), "0.110 gained", "lost"),
        (run(plain=(1.31,), kind="preferences"), "", "nobody asked"),
    ],
)
def test_what_is_said_follows_the_numbers(record, said, unsaid):
    found = verdict(record)
    assert said in found and (not unsaid or unsaid not in found), found
    assert bool(found) == bool(said)
