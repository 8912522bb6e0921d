"""Lays out the ways of asking."""

from collections.abc import Iterator

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.zero_shot.events import NEEDS, TAKES, parsed
from ui.lenses.zero_shot.handlers import views
from ui.lenses.zero_shot.handlers.asking import ZeroShotExample
from ui.lenses.zero_shot.models import scoreboard
from ui.lenses.zero_shot.prompt_state import PromptState
from ui.lenses.zero_shot.prompt_view import asking_buttons, prompt_view
from ui.shared.site import Asked, Site
from ui.shared.view.sheet_view import sheet_view
from ui.shared.waiting import when_idle
from ui.shared.wiring import QUIET, stop_event


def lay_out(site: Site[ZeroShotExample], state: PromptState) -> None:
    """Lays out the view and wires it."""
    services = site.services
    start, stop = asking_buttons("Ask in every way", "compare")
    ways = prompt_view(name="ways-of-asking", needs=NEEDS[:-1], asks="first", elem_id="zs-ways")
    sheet_view(scoreboard.gpt2_prompts(), name="gpt2-prompts", elem_id="zs-gpt2")

    # The prompts are built from the fields: one that was edited by hand is not used here.
    def ask(request: gr.Request, *values: object) -> Iterator[str]:
        *taken, composed = values
        with shown_to_visitor():
            model, form = parsed(services, taken, composed)
            yield from views.ways_of_asking(services, request.session_hash, model, form)

    takes = TAKES[:-1]
    more = [site.fields[TAKES[-1]], state.composed]
    site.fields.listen(start.click, Asked(ask, takes, [ways], more, options=site.model_work))
    first = Asked(when_idle(services, ask), takes, [ways], more, options=site.model_work)
    site.fields.keep(ways, first)
    stop.click(stop_event(services), queue=False, **QUIET)
