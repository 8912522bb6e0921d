"""The Start tab: one sentence that shows what the five other tabs are about."""

from __future__ import annotations

import gradio as gr

from ui.components.files import calling
from ui.components.start.start_view import start_view
from ui.errors import shown_to_visitor
from ui.handlers.start import sentence, story
from ui.handlers.start.film import film
from ui.tabs.lens import Event, Lens, TabContext
from ui.tabs.wiring import served


def start_tab(site: TabContext) -> Lens:
    """Lays out the tab and wires it."""
    services, example = site.services, site.example
    view = start_view(
        example.sentence,
        film=film(services),
        server_functions=served(services, sentence.guesses, sentence.typed, story.chapters),
        elem_id="start",
    )

    # The sentence that stands on the page, which only its script knows, comes in the place of the first input.
    held = gr.Textbox(visible=False)

    def opened(held: str, name: str) -> str:
        with shown_to_visitor():
            return sentence.opening(services, name, held)

    on_model: Event = {
        "fn": opened,
        "inputs": [held, site.model],
        "outputs": view,
        "js": calling("start/held.js", "[m.heldSentence(), ...args.slice(1)]"),
        **site.model_work,
    }
    return Lens(on_model=[on_model])
