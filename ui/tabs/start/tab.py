"""The Start tab: one sentence that shows what the five other tabs are about."""

from __future__ import annotations

from ui.components.start.start_view import start_view
from ui.errors import shown_to_visitor
from ui.handlers.start import sentence, story
from ui.handlers.start.film import film
from ui.tabs.controls import served
from ui.tabs.lens import Event, Lens, Site


def start_tab(site: Site) -> Lens:
    """Lays out the tab and wires it."""
    services, example = site.services, site.example
    view = start_view(
        example.sentence,
        film=film(services),
        server_functions=served(services, sentence.guesses, story.chapters),
        elem_id="start",
    )

    def opened(name: str) -> str:
        with shown_to_visitor():
            return sentence.opening(services, name, example.document.prompt)

    on_model: Event = {"fn": opened, "inputs": site.model, "outputs": view, **site.model_work}
    return Lens(on_model=[on_model])
