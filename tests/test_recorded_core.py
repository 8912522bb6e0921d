"""The functions of the core that compute answer as it did when it was recorded
(`python -m tests.tools.record --core`), on a pre-norm and a post-norm model.
"""

import pytest
from core_answers import answer, questions
from page_answers import differences, load

KEPT = load("core")
QUESTIONS = {question.name: question for question in questions()}


def test_every_function_is_recorded():
    assert set(QUESTIONS) == set(KEPT)


@pytest.mark.parametrize("name", KEPT)
def test_a_function_answers_as_it_did(name):
    assert list(differences(KEPT[name], answer(QUESTIONS[name]))) == []
