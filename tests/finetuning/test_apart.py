"""What is held out shares nothing with what is learned from."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gptcore.training.data import split_without_overlap


@settings(deadline=None, max_examples=50)
@given(
    # Enough of them that one which is held out may take another with it.
    st.integers(1, 400).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, n), min_size=1, max_size=2), max_size=400)
    ),
    st.integers(0, 20),
    st.integers(0, 5),
)
def test_no_key_is_on_both_sides(keys, wanted, seed):
    train, held = split_without_overlap(keys, wanted, seed=seed)
    of = lambda places: [key for place in places for key in set(keys[place])]  # noqa: E731
    assert not set(of(train)) & set(of(held)) and len(of(held)) == len(set(of(held)))
    assert len(held) <= wanted and not set(train) & set(held)
    assert (train, held) == split_without_overlap(keys, wanted, seed=seed)


def test_as_many_are_held_out_as_wanted_and_what_many_share_is_learned_from():
    train, held = split_without_overlap([[index] for index in range(50)], 10, seed=1)
    assert len(held) == 10 and len(train) == 40
    train, held = split_without_overlap(
        [["hello"]] * 30 + [[index] for index in range(20)], 20, seed=1
    )
    assert held == list(range(30, 50)) and train == list(range(30))
    assert split_without_overlap([["a"], ["a"]], 1, seed=1) == ([0, 1], [])
