"""Lays out the drawing of a shape, and the experiments on how its parts behave."""

import json
from dataclasses import asdict
from typing import Annotated

import gradio as gr

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.lenses.parameters.drawing import VIEW, anatomy, anatomy_figures, architecture, figures
from ui.lenses.parameters.drawing.templates import DRAWING, FIGURE
from ui.lenses.parameters.handlers import shapes
from ui.lenses.parameters.handlers.forms import ReferenceFields
from ui.lenses.parameters.payloads import ExperimentFigure, ShapeRequest
from ui.payloads import fields
from ui.services import Services
from ui.shared.files import component
from ui.shared.form_controls import control
from ui.shared.site import Asked, Site

_EXAMINED = ("experiment", "model")


def lay_out(site: Site[None]) -> None:
    """Lays out the view and wires it; the drawing's script asks the server itself."""
    component(
        "",
        DRAWING,
        "lenses/parameters/drawing/view.js",
        needs=shapes.NEEDS,
        asks="always",
        server_functions=[drawn],
        elem_id="drawing",
    )
    gr.Markdown("### How its parts behave", elem_id="anatomy")
    bare = {"show_label": False, "container": False}
    site.add("experiment", control(ReferenceFields, "", "experiment", **bare), VIEW.name)
    figure = component(
        "",
        FIGURE,
        "lenses/parameters/drawing/figure.js",
        needs=_EXAMINED,
        asks="always",
        elem_id="anatomy-figure",
    )

    def examine(name: str, model: str) -> str:
        with shown_to_visitor():
            return examined(site.services, name, model)

    site.fields.keep(figure, Asked(examine, _EXAMINED, [figure], options=site.model_work))


def examined(services: Services, name: object, model: object) -> str:
    """The figure of an experiment, light and dark, with its words and tables; JSON of an
    `ExperimentFigure`.
    """
    experiment = anatomy.experiment(services, model, name)
    draw = getattr(anatomy_figures, experiment.figure)
    light, dark = draw(**experiment.arguments)
    value: ExperimentFigure = {
        "name": str(name),
        "model": str(model),
        "text": experiment.text,
        "light": light,
        "dark": dark,
        "tables": [asdict(table) for table in experiment.tables],
    }
    return json.dumps(value, ensure_ascii=False)


def drawn(request: Annotated[object, ShapeRequest]) -> str | None:
    """The drawing of a shape with its parts, as JSON; None for an invalid shape."""
    try:
        (controls,) = fields(request, "shape")
        config = shapes.shape(controls)
    except (GPTCoreError, TypeError, ValueError, KeyError, IndexError):
        return None
    light, dark = figures.inline(*architecture.drawn(config))
    value = {
        "light": light,
        "dark": dark,
        "parts": architecture.parts(config),
        "name": shapes.name_of(config) or "shape",
    }
    return json.dumps(value, ensure_ascii=False)
