"""Every picture of the Parameters tab is what it was when it was recorded
(`python -m tests.tools.record --figures`).
"""

import pytest
from answers import differences, load
from figure_answers import drawn, pictures

KEPT = load("figures")
PICTURES = dict(pictures())


def test_every_picture_is_recorded():
    assert set(PICTURES) == set(KEPT)


@pytest.mark.parametrize("name", KEPT)
def test_a_picture_is_drawn_as_it_was(name):
    assert list(differences(KEPT[name], drawn(PICTURES[name]))) == []
