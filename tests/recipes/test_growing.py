"""A model that is made deeper computes the same at first, and its new blocks can learn."""

import pytest
import torch

import gptcore
from gptcore.errors import TrainingError
from weights.recipes.growing import copied_from, grown, main


def test_added_layers_are_spread_evenly():
    assert copied_from(8, 6) == [
        (0, True),
        (1, True),
        (2, True),
        (2, False),
        (3, True),
        (4, True),
        (5, True),
        (5, False),
    ]
    assert [source for source, first in copied_from(12, 6) if not first] == list(range(6))
    for layers in (5, 13):
        with pytest.raises(TrainingError, match="from 6 to 12"):
            copied_from(layers, 6)


def test_it_computes_the_same_and_new_blocks_have_slopes():
    lm = gptcore.load("induction", offline=True)
    n_layer = lm.model.config.n_layer
    deeper = grown(lm, 2 * n_layer)
    assert deeper.model.config.n_layer == 2 * n_layer
    ids = torch.tensor([[1, 5, 3, 2]])
    assert torch.equal(lm.model(ids).logits, deeper.model(ids).logits)  # what is added is exactly 0
    deeper.model.requires_grad_(True)
    deeper.model(ids, ids).loss.backward()
    new = deeper.model.blocks[1].attn.c_proj.weight
    assert not new.any()
    assert new.grad is not None
    assert new.grad.any()


def test_the_command_writes_a_model(tmp_path, capsys):
    assert main(["induction", "--layers", "3", "--out", str(tmp_path / "deep")]) == 0
    assert gptcore.load(str(tmp_path / "deep")).model.config.n_layer == 3
    assert main(["induction", "--layers", "9", "--out", str(tmp_path / "deeper")]) == 1
    assert "9 layers out of 2" in capsys.readouterr().err
