"""The recorded runs with the norm before and after each part, and the sentence about them."""

from ui.lenses.parameters.handlers import norms
from ui.lenses.train.handlers.presets import PRESETS


def test_the_sentence_changes_with_the_runs():
    made = norms.recorded()
    said, runs = norms.verdict(made), made["runs"]
    assert "is stuck at 3.08" in said and "100 updates of warm-up bring it to 2.60" in said
    assert norms.verdict({**made, "runs": dict.fromkeys(runs, runs[norms.PRE])}) == "learns as well (2.39)"
    lost = {**made, "runs": {**runs, norms.WARMED: runs[norms.POST]}}
    assert "so with one" in norms.verdict(lost)


def test_the_live_race_is_the_recorded_shape():
    preset, made = PRESETS["Norm before or after, no warm-up"], norms.recorded()
    shape = (preset["n_layer"], preset["n_embd"], preset["learning_rate"], preset["warmup_steps"], preset["rival"])
    assert shape == (made["layers"], made["width"], made["rate"], 0, "norm")
