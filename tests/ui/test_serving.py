"""What is changed of Gradio where the page is served."""

import asyncio

import gradio as gr
import pytest

from ui.serving import look_seldom


class Enough(Exception):
    """The queue has paused: the test has seen for how long."""


@pytest.mark.parametrize("looking", ["start_processing", "start_progress_updates"])
def test_a_queue_with_nothing_to_do_pauses_between_looks_for_as_long_as_it_is_told(looking, monkeypatch):
    with gr.Blocks() as page:
        page.load(lambda: None)
    queue = page.queue()._queue
    asyncio_of_the_queue, pauses = gr.queueing.asyncio, []

    async def pause(seconds):
        pauses.append(seconds)
        raise Enough

    look_seldom(queue)
    monkeypatch.setattr(asyncio_of_the_queue, "sleep", pause)
    with pytest.raises(Enough):
        asyncio.run(getattr(queue, looking)())
    assert pauses == [{"start_processing": 0.005, "start_progress_updates": 1.0}[looking]]
