"""The functions of the core that compute answer as it did when it was recorded
(`python -m tests.tools.record --core`), on a pre-norm, a post-norm and a bidirectional model.
"""

import pytest
from answers import differences, load
from core_answers import answer, questions
from core_values import model_of

KEPT = load("core")
# each of a model once
OF_A_MODEL = [name for name in KEPT if name.endswith((" of gpt1", " of both ways"))]
QUESTIONS = {question.name: question for question in questions()}


def test_every_function_is_recorded():
    assert set(QUESTIONS) == set(KEPT)


@pytest.mark.parametrize("name", KEPT)
def test_a_function_answers_as_it_did(name):
    assert list(differences(KEPT[name], answer(QUESTIONS[name]))) == []


@pytest.mark.parametrize("name", OF_A_MODEL)
def test_a_function_gives_the_same_of_a_model_in_training_and_leaves_it_there(name):
    model = model_of(QUESTIONS[name].model).train()
    try:
        assert list(differences(KEPT[name], answer(QUESTIONS[name]))) == []
    finally:
        model.eval()
