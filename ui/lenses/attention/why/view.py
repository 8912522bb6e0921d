"""Lays out the view: its script asks the server itself."""

from ui.lenses.attention.handlers.example import AttentionExample
from ui.lenses.attention.why import attribution, circuit
from ui.lenses.attention.why.templates import WHY
from ui.shared.files import component
from ui.shared.site import Site
from ui.shared.wiring import served


def lay_out(site: Site[AttentionExample]) -> None:
    """Lays out the view."""
    asked = served(
        site.services, attribution.why, circuit.circuit, circuit.circuit_without, circuit.formed
    )
    component(
        "",
        WHY,
        "lenses/attention/why/view.js",
        needs=("model", "text"),
        asks="always",
        server_functions=asked,
        elem_id="why",
    )
