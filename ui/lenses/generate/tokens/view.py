"""Lays out the view of tokens: its script asks the server itself."""

from typing import Any

from ui.lenses.generate.tokens import cutting
from ui.lenses.generate.tokens.templates import EXAMPLES, TOKENS
from ui.shared.files import component
from ui.shared.site import Site
from ui.shared.wiring import served


def lay_out(site: Site[Any]) -> None:
    """Lays out the view."""
    component(
        "",
        TOKENS,
        "lenses/generate/tokens/view.js",
        needs=("model",),
        asks="always",
        given={"examples": [text for _, text in EXAMPLES]},
        server_functions=served(site.services, cutting.cut, cutting.steps, cutting.learned),
        elem_id="tokens",
    )
