"""What a field may hold, up to its limits and no further."""

import pytest

from helpers import form
from ui.shared import inputs
from ui.shared.inputs import InputError

# (a check, values at its limits, values beyond them and what is said)
CHECKS = {
    "text": (
        lambda value: inputs.text(value, "It", most=4, least=1),
        ["a", "abcd"],
        {"": "It is empty", "abcde": "has 5 characters; 4 are allowed"},
    ),
    "number": (
        lambda value: inputs.number(value, "It", low=-0.5, high=2.5),
        [-0.5, 2.5],
        {-0.51: "It is -0.51; it must lie between -0.5 and 2.5", 2.51: "It is 2.51;"},
    ),
    "whole": (
        lambda value: inputs.whole(value, "It", low=3, high=1_000),
        [3, 1_000],
        {
            2: "It is 2; it must lie between 3 and 1,000",
            1_001: "It is 1,001;",
            3.5: "a whole number from 3 to 1,000",
        },
    ),
    "model_name": (inputs.model_name, ["m", "m" * 300], {"m" * 301: "has 301", " ": "No model"}),
    "seed": (inputs.seed, [0, 2**53], {-1: "The seed is -1", 2**53 + 1: "The seed is"}),
    "stops": (
        lambda lines: inputs.stops(lines.split("|")),
        ["a|b|c|d|e|f|g|h", "x" * 500],
        {"a|b|c|d|e|f|g|h|i": "more than 8 stop strings", "x" * 501: "has 501", "a|": "is empty"},
    ),
    "stops, one a line": (
        inputs.stops,
        ["\n".join("abcdefgh"), "x" * 500],
        {"\n".join("abcdefghi"): "more than 8 stop strings", "x" * 501: "501 characters"},
    ),
}


@pytest.mark.parametrize("name", CHECKS)
def test_a_field_takes_what_is_at_its_limits_and_nothing_beyond(name):
    check, allowed, refused = CHECKS[name]
    for value in allowed:
        check(value)
    for value, said in refused.items():
        with pytest.raises(InputError, match=said):
            check(value)


def test_a_text_that_just_fits_the_window_is_read_whole_and_without_a_note(tiny_lm):
    window = tiny_lm.model.config.n_positions
    assert (inputs.first_read(tiny_lm, window), inputs.cut_note(tiny_lm, window)) == (0, "")
    assert inputs.first_read(tiny_lm, window + 1) == 1
    assert f"the last {window:,} of the text's {window + 1:,}" in inputs.cut_note(
        tiny_lm, window + 1
    )


def test_a_speed_limit_of_less_than_a_token_a_second_is_none():
    limits = {value: form(tokens_per_second=value).tokens_per_second for value in (0.99, 1, 7)}
    assert limits == {0.99: 0, 1: 1, 7: 7}
