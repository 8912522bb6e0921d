"""Exercises beside the views that they are about: a bar with a question, a field and the page's own check."""

import gradio as gr

from ui.shared.files import ServerFunctions, component


def exercises_view(*, server_functions: ServerFunctions, elem_id: str) -> gr.HTML:
    """The component; it shows nothing until an exercise is opened, and has no value.

    Args:
        server_functions: exercises, check and solution, as in `ui.rooms.exercises.payloads`.
    """
    return component(
        "", "<div></div>", "rooms/exercises/view/exercises_view.js", server_functions=server_functions, elem_id=elem_id
    )
