"""Lays out the view of layers: the logit lens, and a single neuron."""

from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers.example import AttentionExample
from ui.lenses.attention.layers import lens, neurons
from ui.lenses.attention.layers.templates import LENS, NEURONS
from ui.shared.files import component
from ui.shared.site import Asked, Site
from ui.shared.wiring import served

_READ = ("model", "text", "sink", "keep")  # what a text is read with
_ABOUT = (
    "What would the model say next if it stopped after each layer? Its final norm and output "
    "head read every layer’s state (nostalgebraist 2020, “the logit lens”)."
)


def lay_out(site: Site[AttentionExample]) -> None:
    """Lays out the view and wires it."""
    services = site.services
    gr.Markdown(_ABOUT, elem_classes="hint")
    layers = component(
        site.example.lens,
        LENS,
        "lenses/attention/layers/view.js",
        needs=_READ,
        asks="always",
        elem_id="lens",
    )
    title = "A single neuron: what excites it, what it writes"
    with gr.Accordion(title, open=False, elem_id="one-neuron"):
        component(
            "",
            NEURONS,
            "lenses/attention/layers/neurons.js",
            needs=("model", "text"),
            asks="always",
            server_functions=served(services, neurons.neurons, neurons.inner_sizes),
            elem_id="neurons",
        )

    def read(request: gr.Request, *values: object) -> dict[Any, Any]:
        with shown_to_visitor():
            form = maps.AttentionForm(*values)
            value = lens.lens(services, request.session_hash, form)
            is_cut = maps.is_cut(services, request.session_hash, form)
            return {layers: value, site.fields["keep"]: gr.Radio(visible=is_cut)}

    asked = Asked(read, _READ, [layers, site.fields["keep"]], options=site.model_work)
    site.fields.keep(layers, asked)
