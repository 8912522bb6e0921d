"""The reference decoder, and that the engine writes what it writes."""

import pytest

import gptcore
from gptcore.inference import reference
from tests.tiny import make_model, random_ids

SETTINGS = (
    {"temperature": 0.0}, {"top_k": 7}, {"temperature": 1.5, "top_p": 0.9},
    {"temperature": 0.7, "top_k": 20, "top_p": 0.8},
)  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("norm_position", ["pre", "post"])
def test_engine_and_reference_write_the_same(norm_position, settings):
    config = gptcore.GPTConfig(
        vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4, norm_position=norm_position
    )
    model = make_model(config)
    prompt = random_ids(config, 5).tolist()
    n_new = 60  # the window fills up several times
    by_engine = [token.id for token in gptcore.generate(
        model, prompt, max_new_tokens=n_new, seed=3, precision="exact", **settings
    )]  # fmt: skip
    assert list(reference.generate(model, prompt, n_new, seed=3, **settings)) == by_engine
