"""Fixtures: tiny models on fixed seeds, and the data folder for tests that need it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

import gptcore

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def shared() -> Path:
    """Corpora, tokenizer files and golden values that are not part of this repository."""
    if not SHARED.is_dir():
        pytest.skip("the data folder ../shared/data is not there")
    return SHARED


@pytest.fixture(params=["gpt2", "gpt1"])
def tiny_config(request) -> gptcore.GPTConfig:
    """A pre-norm and a post-norm model small enough to compute by the dozen, with no dropout."""
    preset = {"gpt2": "gpt2", "gpt1": "gpt1"}[request.param]
    return gptcore.GPTConfig.from_preset(
        preset, vocab_size=61, n_positions=24, n_embd=32, n_layer=3, n_head=4,
        embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0,
    )  # fmt: skip


@pytest.fixture
def tiny_model(tiny_config) -> gptcore.GPT:
    return make_model(tiny_config)


def make_model(config: gptcore.GPTConfig, seed: int = 0) -> gptcore.GPT:
    """A model with larger weights than at initialisation, so that its predictions differ clearly."""
    torch.manual_seed(seed)
    model = gptcore.GPT(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() >= 2:
                parameter.mul_(6)
            elif ".ln_" not in f".{name}":
                parameter.normal_(std=0.1)
    return model


def random_ids(config: gptcore.GPTConfig, *shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, config.vocab_size, shape, generator=torch.Generator().manual_seed(seed))
