"""The recorded runs with the norm before and after each part, and the sentence about them."""

from dataclasses import replace

from ui.lenses.parameters.handlers import norms
from ui.lenses.train.handlers.presets import PRESETS


def test_the_sentence_changes_with_the_runs():
    made = norms.recorded()
    assert "is stuck at 3.08" in norms.verdict(made) and "100 updates of warm-up bring it to 2.60" in norms.verdict(
        made
    )
    same = replace(made, last=dict.fromkeys(made.last, made.last[norms.PRE]))
    assert norms.verdict(same) == "learns as well (2.39)"
    lost = replace(made, last={**made.last, norms.WARMED: made.last[norms.POST]})
    assert "so with one" in norms.verdict(lost)


def test_the_live_race_is_the_recorded_shape():
    preset, made = PRESETS["Norm before or after, no warm-up"], norms.recorded()
    shape = (preset["n_layer"], preset["n_embd"], preset["learning_rate"], preset["warmup_steps"], preset["rival"])
    assert shape == (made.layers, made.width, made.rate, 0, "norm")
