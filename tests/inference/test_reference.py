"""The reference decoder, and that the engine writes what it writes."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

import gptcore
from gptcore.inference import reference
from gptcore.kv_cache import KVCache
from tests.tiny import make_model, random_ids

SETTINGS = (
    {"temperature": 0.0},
    {"top_k": 7},
    {"temperature": 1.5, "top_p": 0.9},
    {"temperature": 0.7, "top_k": 20, "top_p": 0.8},
)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("norm_position", ["pre", "post"])
def test_engine_and_reference_write_the_same(norm_position, settings):
    config = gptcore.GPTConfig(
        vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4, norm_position=norm_position
    )
    model, prompt = make_model(config), random_ids(config, 5).tolist()
    n_new = 60  # the window fills up several times
    by_engine = [token.id for token in gptcore.generate(
        model, prompt, max_new_tokens=n_new, seed=3, precision="exact", **settings
    )]  # fmt: skip
    assert list(reference.generate(model, prompt, n_new, seed=3, **settings)) == by_engine


def test_uncut_it_samples_from_the_softmax():
    logits = torch.tensor([2.0, -1.0, 0.5, 1.0])
    generator = torch.Generator().manual_seed(0)
    n = 4_000
    counts = Counter(reference.sample(logits, 1.0, 0, 1.0, generator) for _ in range(n))
    for token, p in enumerate(logits.softmax(dim=0).tolist()):
        assert abs(counts[token] / n - p) < 5 * (p * (1 - p) / n) ** 0.5


def test_one_token_at_a_time_is_one_pass():
    config = gptcore.GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4)
    model, ids = make_model(config), random_ids(config, 9).tolist()
    cache = KVCache(config)
    reference.prefill(model, ids[:4], cache)
    for token in ids[4:]:
        logits = reference.decode(model, token, cache)
    torch.testing.assert_close(logits, model(torch.tensor([ids])).logits[0, -1])
