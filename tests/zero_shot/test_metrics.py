"""Whether an answer is the expected one, and how near it is, in any script and with any
typewriter.
"""

import pytest

from gptcore.zero_shot.metrics import exact_match, rouge


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("café", "cafe\u0301"),
        ("Don't", "don\u2019t"),
        ("很好", "很好。"),
        ("बिल्ली", "बिल्ली।"),
        ("a - b", "a \u2013 b"),
        ('he said "no" twice', "he said \u201cno\u201d twice"),
        ("Straße", "STRASSE"),
        ("¿qué?", "Qué"),
    ],
)
def test_what_is_the_same_to_a_reader_is_the_same_answer(expected, answer):
    assert exact_match(expected, answer, articles=True) == 1.0 and rouge(expected, answer) == 1.0


def test_what_differs_stays_different():
    for expected, answer in (
        ("5", "-5"),
        ("50", "50%"),
        ("résumé", "resume"),
        ("बिल्ली", "बिल्ला"),
        ("今天", "明天"),
    ):
        assert exact_match(expected, answer) == 0.0


def test_words_of_any_script_count_by_themselves():
    # signs, in a script without spaces
    assert rouge("今天天气很好", "今天天气很坏") == pytest.approx(5 / 6)
    # words, marks and all
    assert rouge("यह एक बिल्ली है", "यह एक बिल्ला है") == pytest.approx(3 / 4)
    assert rouge("สวัสดี", "สวัสดี") == 1.0 and rouge("GPT模型", "gpt 模型") == 1.0
    assert rouge("the cat sat", "the dog sat") == pytest.approx(2 / 3)
