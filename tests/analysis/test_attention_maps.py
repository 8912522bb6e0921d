import numpy as np
import pytest
import torch

import gptcore
from gptcore import GPTConfig
from gptcore.analysis import logit_lens, read_attention, trace, without_first_key
from gptcore.errors import ContextLengthError, HubError, MemoryLimitError, TokenIdError
from tiny import make_model, random_ids

SHAPE = GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4)


def test_maps_drawn_from_queries_and_keys_are_those_of_the_model(tiny_model):
    ids = random_ids(tiny_model.config, 20)
    reading = read_attention(tiny_model, ids)
    patterns = gptcore.attention_patterns(tiny_model, ids)
    # The fast path feeds later layers, the explicit one these: fp32 sums in two orders.
    torch.testing.assert_close(torch.stack(list(reading.layers())), patterns, atol=1e-5, rtol=0)
    torch.testing.assert_close(reading.head_weights(2, 3), patterns[2, 3], atol=1e-5, rtol=0)
    assert (reading.n_layer, reading.n_head, reading.n_tokens) == (3, 4, 20)
    assert reading.n_bytes == 3 * 2 * 20 * 32 * 4


def test_scores_are_the_dot_products_over_the_root_of_the_head_width(tiny_model):
    reading = read_attention(tiny_model, random_ids(tiny_model.config, 9))
    query = reading.queries[1][2]
    key = reading.keys[1][2]
    by_hand = sum(float(query[5, d]) * float(key[7, d]) for d in range(8)) / 8**0.5
    assert float(reading.scores(1, 2)[5, 7]) == pytest.approx(by_hand, rel=1e-4)


def test_a_model_without_a_causal_mask_shows_the_future_too():
    model = make_model(GPTConfig(**{**SHAPE.to_dict(), "causal": False}))
    ids = random_ids(model.config, 10)
    reading = read_attention(model, ids)
    assert not reading.causal and float(reading.weights(0).triu(1).max()) > 0
    patterns = gptcore.attention_patterns(model, ids)
    torch.testing.assert_close(torch.stack(list(reading.layers())), patterns, atol=1e-5, rtol=0)


def test_attention_ignores_dropout_and_leaves_training_mode_alone():
    model = make_model(SHAPE).train()
    first, second = (gptcore.attention_patterns(model, [1, 2, 3, 4]) for _ in range(2))
    # dropout would move a weight by a tenth
    torch.testing.assert_close(first, second, atol=1e-6, rtol=1e-5)
    assert model.training
    one, two = (read_attention(model, [1, 2, 3]).weights(0) for _ in range(2))
    torch.testing.assert_close(one, two, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("read", [gptcore.attention_patterns, read_attention, logit_lens, trace])
def test_nothing_too_much_and_several_texts_are_sentences(tiny_model, read):
    with pytest.raises(TokenIdError):
        read(tiny_model, [])
    with pytest.raises(ContextLengthError, match="reads 24"):
        read(tiny_model, [1] * 25)
    if read in (gptcore.attention_patterns, read_attention):
        with pytest.raises(TokenIdError, match="one text"):
            read(tiny_model, torch.ones(2, 5, dtype=torch.long))


def test_maps_that_would_fill_the_memory_are_refused_before_anything_is_computed():
    with torch.device("meta"):
        xl = gptcore.GPT(GPTConfig.from_preset("gpt2-xl"))
    with pytest.raises(
        MemoryLimitError, match=r"1,200 maps of 1,024 tokens take 5\.0 GB.*read_attention"
    ):
        gptcore.attention_patterns(xl, [0] * 1024)
    with pytest.raises(MemoryLimitError, match=r"take 629 MB.*Shorten the text to 406 tokens"):
        read_attention(xl, [0] * 1024, max_bytes=250_000_000)


def test_without_the_first_key_the_rest_sums_to_one_and_an_empty_row_is_not_a_number():
    weights = torch.tensor([[1.0, 0, 0], [0.75, 0.25, 0], [0.5, 0.3, 0.2]])
    expected = torch.tensor([[torch.nan] * 3, [0, 1.0, 0], [0, 0.6, 0.4]])
    torch.testing.assert_close(without_first_key(weights), expected, equal_nan=True)


@pytest.mark.network
def test_the_real_gpt2_attends_as_recorded(shared):
    """Recorded scores are q.k before the scaling by 1/8, of a model with exact-erf GELU: hence the
    tolerance.
    """
    try:
        lm = gptcore.load("gpt2", offline=True)
    except HubError as error:
        pytest.skip(f"needs the real GPT-2: {error}")
    with np.load(
        shared / "golden" / "gpt2_124M_logits_attention.npz", allow_pickle=False
    ) as recorded:
        for example in range(5):
            ids = recorded[f"ids_{example}"].tolist()
            theirs = recorded[f"attn_scores_{example}"]
            reading = read_attention(lm.model, ids)
            for layer in range(12):
                for head in range(12):
                    ours = reading.scores(layer, head).tril().numpy() * 8
                    np.testing.assert_allclose(
                        ours, np.tril(theirs[layer, head]), atol=0.5, rtol=0.02
                    )


def test_maps_of_a_16_bit_model_come_in_fp32_too():
    model = make_model(SHAPE).to(torch.bfloat16)
    patterns = gptcore.attention_patterns(model, [1, 2, 3, 4])
    assert patterns.dtype == torch.float32
    # bf16 keeps 8 bits of a weight.
    torch.testing.assert_close(patterns.sum(-1), torch.ones(2, 4, 4), atol=0.02, rtol=0)


def test_maps_that_fill_the_allowed_memory_exactly_are_read(tiny_model):
    config = tiny_model.config
    needed = 8 * config.n_layer * config.n_embd * 3  # bytes of queries and keys of three tokens
    assert read_attention(tiny_model, [1, 2, 3], max_bytes=needed) is not None
    with pytest.raises(MemoryLimitError):
        read_attention(tiny_model, [1, 2, 3], max_bytes=needed - 1)
