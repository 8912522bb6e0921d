"""A room of people: leading and following."""

import gradio as gr

from ui.shared.files import ServerFunctions, component


def hall_view(*, server_functions: ServerFunctions, elem_id: str) -> gr.HTML:
    """The component; it shows nothing until somebody leads or follows, and has no value. It triggers open, {"model"}.

    Args:
        server_functions: lead, follow and code, as in `ui.rooms.hall.payloads`.
    """
    return component(
        "",
        "<div></div>",
        "rooms/hall/view/hall_view.js",
        events=("open",),
        server_functions=server_functions,
        elem_id=elem_id,
    )
