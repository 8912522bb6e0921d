"""Byte-pair encoding step by step is what the tokenizers do at once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gptcore
from gptcore.errors import TokenizerError
from gptcore.tokenizers import ByteBPE
from gptcore.tokenizers.merging import learn_merges, merged, merges_of, split_words

STORY = (
    "the cat sat on the mat. the cat and the hat sat there, that cat! It's 1234 🙂 naïve aaaaaa\n"
    * 4
)


@pytest.fixture(scope="module")
def mini():
    return gptcore.load("mini").tokenizer


def parts(words):
    return [[bytes([byte]) for byte in word] for word in words]


def after(words, merges):
    cut = parts(words)
    for merge in merges:
        cut = [merged(word, (merge.left, merge.right)) for word in cut]
    return [part for word in cut for part in word]


@given(st.text(max_size=60))
@settings(max_examples=50, deadline=None)
def test_the_merges_of_a_text_end_at_its_tokens(mini, text):
    merges = merges_of(text, mini)
    assert after(split_words(text), merges) == [mini.token_bytes(i) for i in mini.encode(text)]
    ranks = [mini.encode((m.left + m.right).decode("latin-1")) for m in merges]
    assert all(m.count > 0 for m in merges) and len(ranks) == len(merges)


def test_learned_merges_are_those_of_the_library():
    n = 40
    learned = learn_merges(STORY, n)
    trained = ByteBPE.train([STORY], vocab_size=257 + n)
    assert [m.left + m.right for m in learned] == [
        trained.token_bytes(256 + index) for index in range(n)
    ]


def test_a_merge_is_counted_as_often_as_it_is_made():
    first, second = learn_merges("abab abab ab", 2)
    assert (first.left, first.right, first.count) == (b"a", b"b", 5)
    # of " ab" twice and "abab" twice, the pair whose tokens were there first
    assert second.count == 2


def test_learning_ends_when_every_word_is_one_token():
    text = "to be or not to be"
    assert after(split_words(text), learn_merges(text, 1000)) == split_words(text)
    assert learn_merges("", 5) == []


def test_broken_unicode_is_refused():
    with pytest.raises(TokenizerError, match="surrogate"):
        split_words("a\ud800")
