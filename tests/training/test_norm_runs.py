"""The script that measures where the norm stands."""

import norms


def test_the_place_of_the_norm_is_measured_on_the_same_batches_for_all():
    found = norms.measure(10, seeds=(1,))
    assert set(found["runs"]) == {"pre", "post", "post, warm-up"} and found["warmup"] == 3
    assert all(len(run["curve"]) == 2 and len(run["last"]) == 1 for run in found["runs"].values())
    starts = [run["curve"][0] for run in found["runs"].values()]
    assert max(starts) - min(starts) < 1.5  # all begin near ln V
