"""Event handlers of the Parameters tab: the shape's views and picture downloads."""

import html
import json
from dataclasses import asdict
from typing import Annotated, Any

import gradio as gr

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.lenses.parameters.figures import anatomy as anatomy_figures
from ui.lenses.parameters.figures import architecture as drawings
from ui.lenses.parameters.figures import charts as figures
from ui.lenses.parameters.handlers import anatomy, architecture, costs, scaling, shapes
from ui.lenses.parameters.payloads import ExperimentFigure, ShapeRequest
from ui.payloads import fields
from ui.services import Services
from ui.shared import sheets
from ui.shared.fields import fields_of
from ui.shared.uses import ABOVE
from ui.views import titles

PICKED = ABOVE
FIELDS = list(fields_of(shapes.ShapeForm))
_COUNT, _DRAWING, _REFERENCE = titles("parameters")


class ParametersEvents:
    """The tab's events as Gradio wants them."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def show(self, shown: str, batch: object, length: object, millions: object, *raw: object) -> list[Any]:
        """What the open view shows, by its title, of the shape's fields; the others are drawn when they are opened."""
        views: list[Any] = [gr.skip()] * 4
        with shown_to_visitor():
            try:
                values = dict(zip(FIELDS, raw, strict=True))
                config = shapes.shape(values)
                if shown == _REFERENCE:
                    views[1] = figures.bars(shapes.side_by_side(config))
                    views[2] = costs.costs(config, batch, length, millions)
                elif shown == _DRAWING:
                    views[3] = json.dumps({"shape": values})
                elif shown == _COUNT:
                    views[0] = shapes.breakdown(config)
            except GPTCoreError as error:  # said in the view's place: a notice at every move of a slider is a nuisance
                for place in {_COUNT: (0,), _REFERENCE: (1, 2), _DRAWING: (3,)}.get(shown, ()):
                    views[place] = sheets.message(str(error))
        return views

    def load(self, name: str, model: str) -> list[Any]:
        with shown_to_visitor():
            config = shapes.known_shape(self._services, name, model)
        values = shapes.controls_of(config)
        return [*(values[field] for field in FIELDS), min(256, config.n_positions), model if name == PICKED else ""]

    def follow(self, shown: str, name: str, model: str, followed: str, batch: object, millions: object) -> list[Any]:
        if name != PICKED or model == followed:
            return [gr.skip()] * (len(FIELDS) + 6)
        *fields, length, now = self.load(name, model)
        return [*fields, length, now, *self.show(shown, batch, length, millions, *fields)]

    def laws(self, workspace: str) -> list[str]:
        """Loss against size and against text, with the visitor's own runs."""
        with shown_to_visitor():
            points = [asdict(point) for point in [*scaling.bundled(), *scaling.of_runs(self._services, workspace)]]
        return [figures.laws(along, scaling.lines(along), points) for along in ("parameters", "tokens")]

    def rate(self, batch: object, length: object, millions: object, *raw: object) -> str:
        with shown_to_visitor():
            try:
                config = shapes.shape(dict(zip(FIELDS, raw, strict=True)))
                return costs.measure_training(self._services, config, batch, length, millions)
            except GPTCoreError as error:
                return html.escape(str(error), quote=False)

    def cache(self, model: str) -> str:
        with shown_to_visitor():
            return costs.measure_cache(self._services, model)

    def anatomy(self, shown: str, name: str, model: str) -> Any:
        return self.examine(name, model) if shown == _DRAWING else gr.skip()

    def examine(self, name: str, model: str) -> str:
        """The figure of an experiment, light and dark, with its words and tables."""
        with shown_to_visitor():
            experiment = anatomy.experiment(self._services, model, name)
        draw = getattr(anatomy_figures, experiment.figure)
        light, dark = (draw(**experiment.arguments, dark=night) for night in (False, True))
        tables = [asdict(table) for table in experiment.tables]
        value: ExperimentFigure = {
            "name": name, "model": model, "text": experiment.text, "light": light, "dark": dark, "tables": tables,
        }  # fmt: skip
        return json.dumps(value, ensure_ascii=False)


def drawn(request: Annotated[object, ShapeRequest]) -> str | None:
    """The drawing of a shape with its parts, as JSON; None for an invalid shape."""
    try:
        (controls,) = fields(request, "shape")
        config = shapes.shape(controls)
    except (GPTCoreError, TypeError, ValueError, KeyError, IndexError):
        return None
    light, dark = (drawings.inline(*architecture.drawn(config), dark=night) for night in (False, True))
    name, parts = shapes.name_of(config) or "shape", architecture.parts(config)
    return json.dumps({"light": light, "dark": dark, "parts": parts, "name": name}, ensure_ascii=False)
