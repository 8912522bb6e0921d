"""A model that reads the little world's words, and the services with it."""

from dataclasses import replace

import pytest

from gptcore import GPTConfig, LanguageModel
from gptcore.tokenizers import ByteBPE
from tiny import make_model
from ui.state.model_store import ModelStore
from weights.recipes.world.documents import documents


@pytest.fixture(scope="module")
def reader() -> LanguageModel:
    """A random model with a window that holds a story and the words of the little world."""
    tokenizer = ByteBPE.train(list(documents(300)), vocab_size=700)
    shape = GPTConfig(vocab_size=700, n_positions=320, n_embd=32, n_layer=2, n_head=4)
    return LanguageModel(make_model(shape), tokenizer, "tiny")


@pytest.fixture
def asking(services, reader):
    store = ModelStore(
        services.limits, offline=True, default="tiny", loader=lambda *_, **__: reader
    )
    return replace(services, models=store, limits=replace(services.limits, max_prompt_chars=5_000))
