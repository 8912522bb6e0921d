"""Fixtures: tiny models on fixed seeds, and the data folder for tests that need it."""

import os
from pathlib import Path

import pytest

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
# Before torch is imported, here and in the processes that tests start: its threads otherwise spin
# while they wait, and several workers on two cores wait for each other's spinning.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import gptcore
from gptcore.machine import avoid_hidden_tiles
from tiny import NO_DROPOUT, make_model

avoid_hidden_tiles()
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
    shape = {"vocab_size": 61, "n_positions": 24, "n_embd": 32, "n_layer": 3, "n_head": 4}
    return gptcore.GPTConfig.from_preset(request.param, **shape, **NO_DROPOUT)


@pytest.fixture
def tiny_model(tiny_config) -> gptcore.GPT:
    return make_model(tiny_config)


SLOW_FOLDERS = ("e2e", "abuse")
# Begun first, so that no worker is left with one of their long files at the end.
LONG_FOLDERS = ("e2e", "recipes", "training", "finetuning", "abuse")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever drives a browser or attacks a served page is slow; folders of long files come
    first.
    """
    items.sort(key=lambda item: not set(LONG_FOLDERS) & set(item.path.parts))
    for item in items:
        if any(part in SLOW_FOLDERS for part in item.path.parts):
            item.add_marker(pytest.mark.slow)
