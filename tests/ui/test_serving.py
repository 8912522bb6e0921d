"""What is changed of Gradio where the page is served."""

import asyncio

import gradio as gr
import pytest
from wire import apart

from ui.server.gradio_internals.queue_life import look_seldom


class Enough(Exception):
    """The queue has paused: the test has seen for how long."""


@pytest.mark.parametrize("looking", ["start_processing", "start_progress_updates"])
def test_a_queue_with_nothing_to_do_pauses_between_looks_for_as_long_as_it_is_told(looking):
    with gr.Blocks() as page:
        page.load(lambda: None)
    queue, pauses = page.queue()._queue, []

    class OnePause(asyncio.SelectorEventLoop):
        def call_later(self, delay, *rest, **options):
            pauses.append(delay)
            raise Enough

    def look():
        with asyncio.Runner(loop_factory=OnePause) as loop:
            loop.run(getattr(queue, looking)())

    look_seldom(queue)
    with pytest.raises(Enough):
        apart(look)
    assert pauses == [{"start_processing": 0.005, "start_progress_updates": 1.0}[looking]]
