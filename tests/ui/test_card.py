"""A model's card on the page."""

import pytest

from gptcore import bundled_models
from gptcore.errors import GPTCoreError
from ui.frame.handlers.model import card


@pytest.mark.parametrize("name", list(bundled_models()))
def test_a_bundled_model_shows_the_card_beside_its_weights(name):
    text = card(name)
    assert "| parameters |" in text and not text.startswith("#") and "![" not in text


def test_a_moment_has_the_card_of_its_model_and_others_say_where_theirs_is():
    assert card("mini@512") == card("mini")
    assert "Hugging Face" in card("gpt2")
    with pytest.raises(GPTCoreError):
        card(3)
