"""What is kept of an open page: its own values, no copy of the page."""

import gradio as gr
import pytest

from ui.server.gradio_internals.page_states import PageStates


@pytest.fixture
def page():
    with gr.Blocks() as page:
        gr.State([1])
        gr.Textbox("a")
    page.state_session_capacity = 2
    return page


def test_each_page_has_values_of_its_own_and_no_copy_of_the_configuration(page):
    states = PageStates(page)
    held, box = (one for one in page.blocks.values() if isinstance(one, (gr.State, gr.Textbox)))
    mine, other = states["mine"], states["other"]
    mine[held._id].append(2)
    assert (mine[held._id], other[held._id], held.value) == ([1, 2], [1], [1])
    mine[box._id] = gr.Textbox("b", render=False)
    mine._update_value_in_config(box._id, "c" * 1000)  # as Gradio calls it after every event
    assert other[box._id].value == "a" and not other.config_values
    assert "ccc" not in str(list(mine.components))
    assert states["mine"] is mine and page.state_holder is states


def test_the_page_that_was_used_longest_ago_makes_room(page):
    states = PageStates(page)
    for name in ("a", "b", "a", "c"):
        assert states[name] is states[name]
    assert set(states.session_data) == {"a", "c"}
