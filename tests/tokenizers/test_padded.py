"""A tokenizer for a model that has more ids than it has tokens."""

from gptcore.tokenizers import CharTokenizer, describe_token
from gptcore.tokenizers.base import for_model


class WithGap(CharTokenizer):
    """One of whose ids stands for nothing."""

    without_token = frozenset({1})


def test_ids_of_a_gap_and_of_the_padding_have_no_token():
    padded = for_model(WithGap("abc"), 5)
    assert padded.vocab_size == 5
    assert padded.without_token == {1, 3, 4}
    assert [padded.token_bytes(token) for token in range(5)] == [b"a", b"", b"c", b"", b""]
    assert padded.decode([0, 1, 2, 3, 4]) == "ac"
    assert [describe_token(padded, token) for token in (0, 1, 4)] == [
        "a", "(no token 1)", "(no token 4)"
    ]  # fmt: skip


def test_a_model_of_as_many_ids_takes_the_tokenizer_as_it_is():
    tokenizer = CharTokenizer("abc")
    assert for_model(tokenizer, 3) is tokenizer
