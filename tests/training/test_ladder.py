"""The script that measures a GPT's ancestors."""

import json

import ladder
import pytest
import torch

from gptcore.training.ancestors import ContextMLP, WaveNet


@pytest.mark.slow
def test_it_measures_every_model_and_goes_on_where_it_was_stopped(tmp_path):
    found, saved = {}, []
    ladder.measure(1, found, lambda: saved.append(json.dumps(found)))
    assert len(saved) == 8 and all(found[name]["loss"] > 0 for name in ("bigram", "mlp", "wavenet", "gpt", "inner 8"))
    ladder.measure(1, found, lambda: saved.append(""))
    assert len(saved) == 8


def test_the_place_of_the_norm_is_measured_on_the_same_batches_for_all():
    found = ladder.measure_norms(10, seeds=(1,))
    assert set(found["runs"]) == {"pre", "post", "post, warm-up"} and found["warmup"] == 3
    assert all(len(run["curve"]) == 2 and len(run["last"]) == 1 for run in found["runs"].values())
    starts = [run["curve"][0] for run in found["runs"].values()]
    assert max(starts) - min(starts) < 1.5  # all begin near ln V


def test_no_model_sees_the_character_that_it_predicts():
    ids = torch.randint(10, (2, 12), generator=torch.Generator().manual_seed(0))
    changed = ids.clone()
    changed[:, 7] = (changed[:, 7] + 1) % 10
    for model in (ContextMLP(10), WaveNet(10)):
        model.eval()
        before, after = model(ids), model(changed)
        assert torch.equal(before[:, :7], after[:, :7])
        assert not torch.equal(before[:, 7 : 7 + model.context], after[:, 7 : 7 + model.context])
        assert torch.equal(before[:, 7 + model.context :], after[:, 7 + model.context :])
