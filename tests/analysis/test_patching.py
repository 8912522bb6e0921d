"""Patching grids equal runs that are patched one by one, and their edges are known."""

from dataclasses import replace

import pytest
import torch

from gptcore.analysis import patched_logits, patching_grid
from gptcore.errors import ConfigError, TokenIdError
from gptcore.probe import Probe
from tiny import POST, SMALL, make_model, random_ids

SHAPES = {
    "gpt2": SMALL,
    "post-norm": POST,
    "attention only": replace(SMALL, n_layer=2, use_mlp=False),
}


class _One(Probe):
    """Keeps all values of a run, or puts one of another run's in its place."""

    def __init__(self, patch=None) -> None:
        self.kept: dict[tuple[str, int], torch.Tensor] = {}
        self.patch = patch or {}

    def _seen(self, kind: str, layer: int, value: torch.Tensor) -> torch.Tensor:
        self.kept[kind, layer] = value.clone()
        if (kind, layer) not in self.patch:
            return value
        place, theirs = self.patch[kind, layer]
        value = value.clone()
        value[0, place] = theirs[0, place]
        return value

    def heads(self, layer, found):
        return self._seen("head", layer, found)

    def attention_output(self, layer, output):
        return self._seen("attention", layer, output)

    def mlp_output(self, layer, output):
        return self._seen("mlp", layer, output)


def pair(config):
    source = random_ids(config, 7).tolist()
    target = [*source]
    target[2], target[5] = (target[2] + 11) % 40, (target[5] + 3) % 40
    return source, target


def answer(model, ids, probe=None):
    with torch.no_grad():
        logits = model(torch.tensor([ids]), **({"probe": probe} if probe else {})).logits[0, -1]
    return float(logits[3] - logits[7])


@pytest.mark.parametrize("name", list(SHAPES))
@pytest.mark.parametrize("kind", ["attention", "mlp", "head"])
def test_every_cell_equals_a_run_that_is_patched_alone(name, kind):
    model = make_model(SHAPES[name])
    source, target = pair(model.config)
    if kind == "mlp" and not model.config.use_mlp:
        with pytest.raises(ConfigError, match="no MLP to patch"):
            patching_grid(model, source, target, 3, 7, kind)
        return
    grid = patching_grid(model, source, target, 3, 7, kind)
    assert grid.shape == (model.config.n_layer, model.config.n_head if kind == "head" else 7)
    kept = _One()
    from_source = answer(model, source, kept)
    from_target = answer(model, target)
    for layer in range(grid.shape[0]):
        for index in range(grid.shape[1]):
            patched = answer(model, target, _One({(kind, layer): (index, kept.kept[kind, layer])}))
            expected = (patched - from_target) / (from_source - from_target)
            assert float(grid[layer, index]) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("name", list(SHAPES))
def test_the_stream_carries_the_difference_from_the_changed_tokens_to_the_last(name):
    model = make_model(SHAPES[name])
    source, target = pair(model.config)
    grid = patching_grid(model, source, target, 3, 7)
    assert grid.shape == (model.config.n_layer + 1, 7)
    same = [index for index in range(7) if source[index] == target[index]]
    assert grid[0, same].abs().max() < 1e-4  # before the first block only changed tokens differ
    # behind the last block the last place is the answer
    assert float(grid[-1, -1]) == pytest.approx(1, abs=1e-4)
    assert grid[-1, :-1].abs().max() < 1e-4
    assert grid[:, :2].abs().max() < 1e-4  # before the first change nothing differs at all


def test_pairs_that_cannot_be_patched_are_refused_in_a_sentence():
    model = make_model(SMALL)
    with pytest.raises(TokenIdError, match="3 and 2 tokens"):
        patching_grid(model, [1, 2, 3], [1, 2], 3, 7)
    with pytest.raises(TokenIdError, match="same logit difference"):
        patching_grid(model, [1, 2, 3], [1, 2, 3], 3, 7)
    with pytest.raises(ConfigError, match="choose residual, attention, mlp, head"):
        patching_grid(model, [1, 2, 3], [1, 2, 4], 3, 7, "neuron")
    with pytest.raises(TokenIdError, match="outside this model's vocabulary"):
        patching_grid(model, [1, 2, 3], [1, 2, 4], 3, 70)


def test_patching_leaves_the_model_as_it_was():
    model = make_model(SMALL)
    source, target = pair(SMALL)
    before = answer(model, target)
    patching_grid(model, source, target, 3, 7, "head")
    assert answer(model, target) == before and all(p.grad is None for p in model.parameters())


@pytest.mark.parametrize("name", SHAPES)
def test_single_cells_give_the_grid_and_all_cells_of_a_depth_give_the_source(name):
    model = make_model(SHAPES[name])
    source, target = pair(model.config)
    grid = patching_grid(model, source, target, 3, 7)
    ends = [answer(model, ids) for ids in (target, source)]
    for depth in range(model.config.n_layer + 1):
        for place in (0, 2, 6):
            logits = patched_logits(model, source, target, [(depth, place)])
            share = (float(logits[3] - logits[7]) - ends[0]) / (ends[1] - ends[0])
            assert share == pytest.approx(float(grid[depth, place]), abs=1e-3)
        whole = patched_logits(model, source, target, [(depth, index) for index in range(7)])
        assert float(whole[3] - whole[7]) == pytest.approx(ends[1], abs=1e-4)
    own = patched_logits(model, source, target, [])
    assert float(own[3] - own[7]) == pytest.approx(ends[0], abs=1e-4)
    # A later cell is patched in a run that an earlier one has changed: the last position's stream
    # is all that counts.
    both = patched_logits(model, source, target, [(0, 2), (model.config.n_layer, 6)])
    assert float(both[3] - both[7]) == pytest.approx(ends[1], abs=1e-4)
    with pytest.raises(TokenIdError, match="no cell"):
        patched_logits(model, source, target, [(9, 0)])
    with pytest.raises(TokenIdError, match="same number"):
        patched_logits(model, source, target[:-1], [])
