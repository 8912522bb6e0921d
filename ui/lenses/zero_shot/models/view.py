"""Lays out the scoreboard: models side by side on one prompt, and how often they are right."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from gptcore.zero_shot.items import TASKS_WITH_ITEMS
from ui.errors import shown_to_visitor
from ui.lenses.zero_shot.events import NEEDS, TAKES, parsed
from ui.lenses.zero_shot.handlers import recorded, views
from ui.lenses.zero_shot.handlers.asking import ZeroShotExample
from ui.lenses.zero_shot.handlers.fields import BoardFields
from ui.lenses.zero_shot.models import VIEW
from ui.lenses.zero_shot.models.scoreboard import scoreboard
from ui.lenses.zero_shot.prompt_state import PromptState
from ui.lenses.zero_shot.prompt_view import asking_buttons
from ui.shared.form_controls import control
from ui.shared.site import Asked, Site
from ui.shared.view.sheet_view import sheet_view
from ui.shared.waiting import when_idle
from ui.shared.wiring import QUIET, stop_event

_FIRST_TASKS = ["sentiment", "translate", "arithmetic"]
_COUNTED = ("zs.players", "zs.tests", "zs.shots", "zs.side", "zs.items")


def lay_out(site: Site[ZeroShotExample], state: PromptState) -> None:
    """Lays out the view and wires it."""
    _ladder(site, state)
    _board(site)


def _ladder(site: Site[ZeroShotExample], state: PromptState) -> None:
    """One prompt on several models."""
    services = site.services
    choices = services.models.choices()
    names = [choice.name for choice in choices if not choice.closed]
    cached = [choice.name for choice in choices if choice.cached]
    ticked = list(dict.fromkeys([services.models.default, site.example.model, *cached]))
    rungs = gr.CheckboxGroup(names, value=ticked, label="Models", elem_id="zs-rungs")
    site.add("zs.rungs", rungs, VIEW.name)
    start, stop = asking_buttons("Ask them all", "ladder-start")
    needs = (*NEEDS, "zs.rungs")
    ladder = sheet_view("", name="size-ladder", needs=needs, asks="first", elem_id="zs-ladder")

    def climb(request: gr.Request, *values: object) -> Iterator[str]:
        *taken, models, composed = values
        with shown_to_visitor():
            _, form = parsed(services, taken, composed)
            yield from views.ladder(services, request.session_hash, models, form)

    takes = (*TAKES, "zs.rungs")
    more = [state.composed]
    site.fields.listen(start.click, Asked(climb, takes, [ladder], more, options=site.model_work))
    first = Asked(when_idle(services, climb), takes, [ladder], more, options=site.model_work)
    site.fields.keep(ladder, first)
    stop.click(stop_event(services), queue=False, **QUIET)


def _board(site: Site[ZeroShotExample]) -> None:
    """Lays out the scoreboard: how often models are right, over many items of tasks."""
    services = site.services
    names = [choice.name for choice in services.models.choices() if not choice.closed]
    known = [name for name in _FIRST_TASKS if name in TASKS_WITH_ITEMS]
    _add(site, "tests", value=known)
    with gr.Row():
        players = gr.CheckboxGroup(
            names, value=[site.example.model], label="Models", elem_id="zs-players", min_width=200
        )
        site.add("zs.players", players, VIEW.name)
        _add(site, "shots", value=["0", "2"], min_width=200)
    with gr.Row():
        _add(site, "side")
        _add(site, "items", min_width=140)
    start, stop = asking_buttons("Measure accuracy", "count", "count-stop", 110)
    board = sheet_view(recorded.recorded(), name="scoreboard", needs=_COUNTED, elem_id="zs-board")

    def count(request: gr.Request, *values: object) -> Iterator[str]:
        with shown_to_visitor():
            yield from scoreboard(services, request.session_hash, *values)

    site.fields.listen(start.click, Asked(count, _COUNTED, [board], options=site.model_work))
    stop.click(stop_event(services), queue=False, **QUIET)


def _add(site: Site[ZeroShotExample], name: str, **changes: Any) -> None:
    site.add(f"zs.{name}", control(BoardFields, "zs", name, **changes), VIEW.name)
