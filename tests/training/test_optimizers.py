"""The optimisers against torch's own: the same numbers, and states that either can go on from."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from gptcore.training.adamw import AdamW
from gptcore.training.muon import Muon

SETTINGS = {"lr": 0.01, "betas": (0.9, 0.95)}
TRAINED = """
import sys, torch
from gptcore import GPT, GPTConfig
from gptcore.training import RepeatedSequences, Trainer, TrainingConfig
model = GPT(GPTConfig(vocab_size=8, n_positions=8, n_embd=8, n_layer=1, n_head=1))
config = TrainingConfig(max_steps=2, batch_size=2, optimizer="muon", precision="bf16")
trainer = Trainer(model, config, RepeatedSequences(8, window=8, batch_size=2, periods=(2, 4)))
assert sum(1 for _ in trainer.events()) == 3 and trainer.step == 2
for optimizer in trainer.optimizers:
    optimizer.load_state_dict(optimizer.state_dict())
print("torch._dynamo" in sys.modules)
"""


def parameters():
    torch.manual_seed(1)
    return [torch.nn.Parameter(torch.randn(shape)) for shape in ((6, 4), (4,), (3, 3))]


def groups(tensors):
    return [{"params": tensors[:1], "weight_decay": 0.1}, {"params": tensors[1:], "weight_decay": 0.0}]


def updated(optimizer, tensors, seeds):
    """Some updates with gradients of these seeds; one parameter has none in every second."""
    for seed in seeds:
        generator = torch.Generator().manual_seed(seed)
        for place, tensor in enumerate(tensors):
            gradient = torch.randn(tensor.shape, generator=generator)
            tensor.grad = None if place == 2 and seed % 2 else gradient
        optimizer.step()
        optimizer.zero_grad()
        assert all(tensor.grad is None for tensor in tensors)
    return [tensor.detach().clone() for tensor in tensors]


@pytest.fixture
def pairs():
    """(ours, its parameters), (torch's, its parameters)."""
    mine, theirs = parameters(), parameters()
    return (AdamW(groups(mine), **SETTINGS), mine), (torch.optim.AdamW(groups(theirs), fused=True, **SETTINGS), theirs)


def test_adamw_moves_parameters_as_torchs_does(pairs):
    mine, theirs = (updated(*pair, range(5)) for pair in pairs)
    torch.testing.assert_close(mine, theirs, rtol=0, atol=0)
    assert pairs[0][0].state_dict().keys() == pairs[1][0].state_dict().keys()
    torch.testing.assert_close(pairs[0][0].state_dict()["state"], pairs[1][0].state_dict()["state"])


@pytest.mark.parametrize("first", [0, 1])
def test_either_goes_on_from_the_others_states(pairs, first):
    expected = updated(*pairs[1 - first], range(8))
    saved = updated(*pairs[first], range(5))
    of_first, tensors = pairs[first][0], parameters()
    other = AdamW(groups(tensors), lr=1.0) if first else torch.optim.AdamW(groups(tensors), lr=1.0, fused=True)
    other.load_state_dict(of_first.state_dict())
    with torch.no_grad():
        for tensor, value in zip(tensors, saved, strict=True):
            tensor.copy_(value)
    torch.testing.assert_close(updated(other, tensors, range(5, 8)), expected, rtol=0, atol=0)
    updated(*pairs[first], [9])  # the first one's states are its own


def test_states_of_other_groups_are_refused():
    tensors = parameters()
    for other in (AdamW(tensors, lr=0.1), Muon(tensors[::2], lr=0.1)):
        with pytest.raises(ValueError, match="groups of"):
            AdamW(groups(tensors), lr=0.1).load_state_dict(other.state_dict())
    assert len(AdamW([{"params": tensors[:1]}, {"params": tensors[1:]}], lr=0.1).param_groups) == 2


def test_a_run_loads_nothing_of_torchs_compiler():
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", TRAINED], cwd=root, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "False", done.stderr
