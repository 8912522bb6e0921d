"""A text that names one token."""

import pytest

from ui.lenses.attention.handlers.single_token import LONGEST_TOKEN, token_id
from ui.shared.inputs import InputError


def test_a_text_of_one_token_is_its_id(tiny_lm):
    for token in (*range(256), 261):
        text = tiny_lm.tokenizer.decode([token])
        if tiny_lm.tokenizer.encode(text) == [token]:
            assert token_id(tiny_lm, text) == token


def test_a_text_of_several_is_refused_with_what_they_are(tiny_lm):
    with pytest.raises(InputError, match=r"'xy' is 2 tokens here \('x', 'y'\); give one"):
        token_id(tiny_lm, "xy")
    with pytest.raises(InputError, match="is 9 tokens here") as refused:
        token_id(tiny_lm, "x" * 9)
    assert str(refused.value).count("'x'") == 8  # of many the first
    for text, said in (("", "is empty"), (None, "must be text"), ("x" * 201, "201 characters")):
        with pytest.raises(InputError, match=said):
            token_id(tiny_lm, text)
    assert LONGEST_TOKEN == 200
