"""Streamed text, coloured by token probability, with the alternatives of each token."""

from collections.abc import Sequence

import gradio as gr

from ui.shared.files import Asks, component
from ui.shared.view.save_menu import save_menu

_HTML = """
<div class="ts-legend u-row u-muted u-type-xs" aria-hidden="true"><span>expected: 1 in 4</span><span class="ts-ramp u-ramp"></span>
<span>surprising: 1 in 256</span></div>
<p class="conclusion" role="status"></p>
<div class="ts-text u-reading u-pane u-type-lg u-mono" tabindex="0" role="group" dir="auto"></div>
<div class="ts-stats u-line u-apart u-muted u-type-sm u-digits" role="status"></div>
<div class="ts-detail u-row u-type-sm" aria-live="polite"></div>
<div class="ts-tools u-row u-type-xs">
<button type="button" data-do="onward" hidden>Write on</button>
<button type="button" data-do="copy">Copy text</button>
KNEW
SAVE
<span class="ts-said u-muted" role="status"></span></div>
""".replace("SAVE", save_menu("txt", "json"))

_KNEW = """<button type="button" data-do="knew" title="by layer, for every word of this text">When did it know?</button>
"""


def token_stream(
    value: str = "",
    *,
    label: str,
    needs: Sequence[str],
    asks: Asks = "",
    compact: bool = False,
    branching: bool = False,
    tail: bool = False,
    elem_id: str,
) -> gr.HTML:
    """A token stream component.

    Its value is a serialised `ui.state.token_stream`, which is only ever appended to. Its event
    `pick` carries {"place": which generated token, "id": the alternative that was clicked};
    `onward` asks for more of the same text. The page keeps the text across a reload, in case the
    server no longer has it.

    Args:
        label: what a screen reader calls it.
        needs, asks: see `component`.
        compact: smaller, for several side by side.
        branching: a click on an alternative writes on from there, and a text that has ended can be
            gone on with.
        tail: scrolls to the end, even if the text appears all at once.
    """
    return component(
        value,
        _HTML.replace("KNEW\n", _KNEW if branching else ""),
        "shared/view/token_stream.js",
        needs=needs,
        asks=asks,
        events=("pick", "continue_text"),
        elem_classes=["token-stream", "compact"] if compact else ["token-stream"],
        given={"name": label, "branching": branching, "tail": tail},
        elem_id=elem_id,
    )
