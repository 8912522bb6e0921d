"""The Start tab: one sentence, and the whole machine at work on it."""

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.start.handlers import sentence, story
from ui.lenses.start.view.start_view import start_view
from ui.shared.files import calling
from ui.shared.lens import Event, Lens, TabContext
from ui.shared.wiring import served


def start_tab(site: TabContext[str]) -> Lens:
    """Lays out the tab and wires it."""
    services = site.services
    asked = served(services, sentence.guesses, sentence.typed, story.chapters)
    view = start_view(site.example, server_functions=asked)

    # The sentence that stands on the page, which only its script knows, comes in the place of the first input.
    held = gr.Textbox(visible=False)

    def opened(held: str, name: str) -> str:
        with shown_to_visitor():
            return sentence.opening(services, name, held)

    script = calling("lenses/start/view/start_view.js", "[m.heldSentence(), ...args.slice(1)]")
    on_model: Event = {"fn": opened, "inputs": [held, site.model], "outputs": view, "js": script, **site.model_work}
    return Lens(on_model=[on_model])
