import pytest

from gptcore import GPTConfig
from gptcore.errors import ConfigError


@pytest.mark.parametrize(("changes", "words"), [
    ({"n_embd": 100, "n_head": 12}, ["100", "12", "108"]), ({"n_layer": 0}, ["n_layer", "0", "at least 1"]),
    ({"vocab_size": -5}, ["vocab_size", "-5"]), ({"n_positions": 2.5}, ["n_positions", "2.5"]),
    ({"n_head": True}, ["n_head", "True"]), ({"n_inner": 0}, ["n_inner"]),
    ({"activation_function": "swish"}, ["swish", "gelu_new"]), ({"norm_position": "middle"}, ["middle", "pre"]),
    ({"resid_pdrop": 1.0}, ["resid_pdrop", "[0, 1)"]), ({"embd_pdrop": float("nan")}, ["embd_pdrop"]),
    ({"causal": "yes"}, ["causal", "True or False"]), ({"layer_norm_epsilon": 0.0}, ["layer_norm_epsilon"]),
])  # fmt: skip
def test_a_shape_that_no_model_can_have_is_refused_with_value_and_limit(changes, words):
    with pytest.raises(ConfigError) as error:
        GPTConfig(**changes)
    assert all(word in str(error.value) for word in words)


def test_an_unknown_preset_names_the_known_ones():
    with pytest.raises(ConfigError, match="gpt2-xl"):
        GPTConfig.from_preset("gpt5")


def test_a_config_survives_its_dictionary():
    config = GPTConfig.from_preset("char-day19", n_inner=96, use_positions=False)
    assert GPTConfig.from_dict({**config.to_dict(), "unknown": 1}) == config
