"""What happens just at a limit, where a comparison that is off by one would show."""

import pytest

from gptcore import GPTConfig, generate
from gptcore.errors import ContextLengthError
from gptcore.zero_shot.metrics import difference
from tiny import NO_DROPOUT, make_model


def test_one_item_shows_no_clear_difference_and_several_do_where_they_agree():
    assert not difference([0.25], [0.75]).is_clear
    assert difference([0.25, 0.25, 0.2], [0.75, 0.75, 0.7]).is_clear
    assert not difference([0.2, 0.5, 0.3], [0.3, 0.4, 0.35]).is_clear


def test_a_prompt_may_fill_the_window_and_not_be_longer():
    model = make_model(
        GPTConfig(vocab_size=9, n_positions=8, n_embd=8, n_layer=1, n_head=1, **NO_DROPOUT)
    )
    assert len(list(generate(model, [1] * 8, max_new_tokens=1, seed=1))) == 1
    with pytest.raises(ContextLengthError, match="9 tokens; this model reads 8"):
        list(generate(model, [1] * 9, max_new_tokens=1, seed=1))
