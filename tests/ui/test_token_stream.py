"""A stream of tokens, written and read."""

import pytest

from ui.state.token_stream import Line, parse, serialise

# every character at which Python's `splitlines` ends a line
SEPARATORS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


@pytest.mark.parametrize("separator", SEPARATORS, ids=ascii)
def test_a_stream_is_read_as_it_was_written_whatever_its_texts_hold(separator):
    texts = [separator, f"a{separator}b", "", f"{separator}{separator}"]
    lines = tuple(Line("prompt", {"text": text}) for text in texts)
    assert parse(serialise(lines)) == lines


def test_a_stream_without_a_text_has_no_line():
    assert parse("") == ()


@pytest.mark.parametrize("stream", ["\n", '{"kind":"note"}\n\n{"kind":"note"}\n', "{}\n", "x"])
def test_what_is_no_stream_is_refused(stream):
    with pytest.raises((ValueError, KeyError)):
        parse(stream)
