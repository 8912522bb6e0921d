"""The Start tab: one sentence, and the whole machine at work on it."""

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.start.handlers import sentence, story
from ui.lenses.start.view.start_view import start_view
from ui.shared.files import calling
from ui.shared.lens import Lens
from ui.shared.site import Asked, Site
from ui.shared.wiring import served

# The sentence on the page, which only its script knows, comes as the last input.
_WITH_SENTENCE = calling("lenses/start/view/start_view.js", "[args[0], m.heldSentence()]")


def start_tab(site: Site[str]) -> Lens:
    """Lays out the tab and wires it."""
    services = site.services
    asked = served(services, sentence.guesses, sentence.typed, sentence.another, story.chapters)
    view = start_view(site.example, needs=("model",), asks="always", server_functions=asked)
    held = gr.Textbox(visible=False)

    def opened(name: str, held: str) -> str:
        with shown_to_visitor():
            return sentence.opening(services, name, held)

    opening = Asked(opened, ("model",), [view], [held], js=_WITH_SENTENCE, options=site.model_work)
    site.fields.keep(view, opening)
    return Lens()
