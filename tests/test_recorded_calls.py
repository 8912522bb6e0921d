"""Functions of the project answer calls as they did when these were recorded
(`python -m tests.tools.record_calls`).
"""

from collections import defaultdict

import pytest
from answers import load
from called_functions import answer, asked, unlike

KEPT = load("calls")
OF_FUNCTION = defaultdict(list)
for name in KEPT:
    OF_FUNCTION[name.partition(" ")[0]].append(name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", OF_FUNCTION)
def test_a_function_answers_as_it_did(function):
    for name in OF_FUNCTION[function]:
        assert unlike(KEPT[name], answer(*asked(KEPT, name))) == [], name
