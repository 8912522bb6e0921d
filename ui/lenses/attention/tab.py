"""The Attention tab: where every head looks, what it does, and what it matters."""

from collections.abc import Callable
from importlib import import_module

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers.example import AttentionExample
from ui.lenses.attention.handlers.forms import HeadsFields
from ui.services import Services
from ui.shared import inputs
from ui.shared.controls import sentence_strip
from ui.shared.files import calling
from ui.shared.form_controls import control
from ui.shared.lens import Event, Lens
from ui.shared.own_text import REPEATING, TEXT, text_to_read
from ui.shared.site import Site
from ui.shared.wiring import QUIET, filling
from ui.views import TABS

TAB = next(tab for tab in TABS if tab.name == "attention")


def attention_tab(site: Site[AttentionExample]) -> Lens:
    """Lays out the strip and every view of the tab."""
    with gr.Column(elem_id="attention-head"):
        text = site.add(
            "text",
            sentence_strip(
                site.example.text,
                label="Text",
                placeholder="A text for the model to read, at least two words",
                elem_id="attention-text",
            ),
        )
        with gr.Row(elem_classes="attention-more"):
            site.add("keep", control(HeadsFields, "", "keep", visible=False))
    on_model = list[Event]()
    with gr.Tabs(elem_id="attention-views"):
        for view in TAB.views:
            with gr.Tab(view.title, id=view.name):
                on_model += (
                    import_module(f"ui.lenses.attention.{view.name}.view").lay_out(site) or []
                )
    is_linked = gr.State(False)  # whether a link has set the text, which then is no example
    default_text: Event = {
        "fn": filling(
            _default_text(site.services, site.example.text), {"linked": is_linked, "text": text}
        ),
        "inputs": [site.model, is_linked, text],
        "outputs": [is_linked, text],
        **QUIET,
    }
    refilled: Event = {
        "fn": None,
        "inputs": None,
        "js": calling("shared/view/text_boxes.js", "(m.refill(), [])"),
        **QUIET,
    }
    return Lens(linked={"linked": is_linked}, on_model=[default_text, refilled, *on_model])


def _default_text(services: Services, first: str) -> Callable[..., dict[str, object]]:
    """Replaces the page's text with the default of a newly opened model; keeps the visitor's.

    Args:
        services: of the server.
        first: the text with which the page opens.
    """

    def on_model(
        request: gr.Request, name: object, is_linked: bool, text: object
    ) -> dict[str, object]:
        given = services.sessions.get(request.session_hash).own_texts
        with shown_to_visitor():
            model = inputs.model_name(name)
            own = text_to_read(services, model, services.models.get(model))
        stays = is_linked or text not in {first, TEXT, REPEATING, *given}
        given.add(own)
        return {"linked": False} if stays else {"linked": False, "text": own}

    return on_model
