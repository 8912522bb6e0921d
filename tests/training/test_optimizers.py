"""The optimisers of a run: torch's AdamW, which decays matrices alone, and states that fit the same groups only."""

import pytest
import torch

from gptcore.training import TrainingConfig
from gptcore.training.muon import Muon
from gptcore.training.optimizer import make_optimizers


def test_adamw_is_torchs_fused_one_and_decays_matrices_alone(tiny_model):
    (adamw,) = make_optimizers(tiny_model, TrainingConfig(weight_decay=0.1, beta1=0.8, beta2=0.95, learning_rate=3e-3))
    assert type(adamw) is torch.optim.AdamW
    assert all(group["fused"] and group["betas"] == (0.8, 0.95) for group in adamw.param_groups)
    for decay, matrices in ((0.1, True), (0.0, False)):
        (group,) = (one for one in adamw.param_groups if one["weight_decay"] == decay)
        assert group["params"] and all((one.dim() >= 2) == matrices for one in group["params"])


def test_states_of_other_groups_are_refused():
    tensors = [torch.nn.Parameter(torch.randn(shape)) for shape in ((6, 4), (3, 3))]
    with pytest.raises(ValueError, match="group"):
        Muon(tensors, lr=0.1).load_state_dict(Muon(tensors[:1], lr=0.1).state_dict())
