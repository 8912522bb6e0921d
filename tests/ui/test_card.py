""" "About it" follows the model that is picked, while it is open."""

import gradio as gr
import pytest
from page_answers import name_of

from serving import built_page


@pytest.fixture(scope="module")
def events():
    """Those of the card by what they are of: its opening, its closing, another model."""
    with built_page() as (page, _):
        card = next(block for block in page.blocks.values() if name_of(block) == "card")
        text = next(block for block in page.blocks.values() if name_of(block) == "card-text")
        found = {}
        for event in page.fns.values():
            triggers = {trigger for target, trigger in event.targets if target == card._id}
            if text in event.outputs or triggers:
                found[next(iter(triggers), "another model")] = event.fn
        yield found


def test_the_card_is_that_of_the_model_picked_while_it_is_open(events):
    text, is_open = events["expand"]("mini")
    assert "mini" in text.lower() and is_open
    other = events["another model"]("world", is_open)
    assert "parameters" in other and other != text
    assert events["another model"]("world", events["collapse"]()) == gr.skip()
