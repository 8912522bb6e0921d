"""The optimisers of a run: torch's AdamW, which decays matrices alone, and states that fit the same groups only."""

import pytest
import torch

from gptcore.training.muon import Muon


def test_states_of_other_groups_are_refused():
    tensors = [torch.nn.Parameter(torch.randn(shape)) for shape in ((6, 4), (3, 3))]
    with pytest.raises(ValueError, match="group"):
        Muon(tensors, lr=0.1).load_state_dict(Muon(tensors[:1], lr=0.1).state_dict())
