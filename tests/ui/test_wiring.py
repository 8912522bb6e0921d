"""What is said of event wiring: an answer names what it fills."""

import gradio as gr
import pytest

from ui.shared.wiring import filling

OUTPUTS = {"a": "first", "b": "second"}


def skipped(value: object) -> bool:
    return value == gr.skip()


def test_an_answer_fills_what_it_names_and_leaves_the_rest():
    first, second = filling(lambda value: {"b": value}, OUTPUTS)(7)
    assert skipped(first) and second == 7
    assert all(map(skipped, filling(dict, OUTPUTS)()))
    assert filling(lambda: {"a": 1}, {"a": "only"})() == 1


def test_a_generator_fills_with_each_answer():
    def handler(n):
        for i in range(n):
            yield {"a": i}

    assert [row[0] for row in filling(handler, OUTPUTS)(3)] == [0, 1, 2]


def test_a_name_that_is_no_output_is_an_error():
    with pytest.raises(KeyError, match="no output 'c'"):
        filling(lambda: {"c": 1}, OUTPUTS)()
