"""Two answers of a model side by side, for an audience to choose the better one."""

import gradio as gr

from ui.shared.files import ServerFunctions, component

_HTML = """
<div class="du"><button type="button" data-do="begin">Choose answers yourself</button>
<div class="du-body" hidden><p class="du-prompt u-apart u-strong"></p>
<div class="du-two u-two"><div><p class="du-answer u-pane"></p><button type="button" data-choice="0">A is better</button></div>
<div><p class="du-answer u-pane"></p><button type="button" data-choice="1">B is better</button></div></div>
<button type="button" data-choice="">Neither: two others</button></div>
<p class="du-said u-apart u-muted" role="status"></p></div>
"""


def duel_view(*, server_functions: ServerFunctions, elem_id: str) -> gr.HTML:
    """The component; it has no value.

    Args:
        server_functions: duel, as in `ui.lenses.train.payloads`.
    """
    return component("", _HTML, "lenses/train/view/duel_view.js", server_functions=server_functions, elem_id=elem_id)
